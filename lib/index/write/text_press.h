/* SPDX-License-Identifier: MIT */
/*
 * text_press: a block of texts (lib/index/format/stored_text.h) to its compressed bytes.
 * One thread.
 */
#ifndef GS_LIB_INDEX_WRITE_TEXT_PRESS_H
#define GS_LIB_INDEX_WRITE_TEXT_PRESS_H

#include "lib/base/text_span.h"
#include "lib/index/format/formats.h"

typedef struct gs_text_press gs_text_press;

GS_MUST_CHECK gs_code gs_text_press_new(gs_text_press **out, gs_status *st);
void gs_text_press_free(gs_text_press *p); /* NULL is fine */
/* 1 to GS_TEXT_BLOCK_BYTES bytes; *out is valid until the next call. */
GS_MUST_CHECK gs_code gs_text_press_run(gs_text_press *p, const uint8_t *block,
                                        size_t bytes, gs_text_span *out, gs_status *st);

#endif
