/* SPDX-License-Identifier: MIT */
/*
 * text_span: some bytes of a text that lies elsewhere.
 */
#ifndef GS_LIB_BASE_TEXT_SPAN_H
#define GS_LIB_BASE_TEXT_SPAN_H

#include <stddef.h>
#include <stdint.h>

typedef struct gs_text_span {
    const uint8_t *data;
    size_t bytes;
} gs_text_span;

#endif
