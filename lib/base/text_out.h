/* SPDX-License-Identifier: MIT */
/*
 * text_out: text that goes to a function of the caller's, a buffer at a time.
 *
 * Call order: open, put*, flush, release. One thread.
 */
#ifndef GS_LIB_BASE_TEXT_OUT_H
#define GS_LIB_BASE_TEXT_OUT_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

typedef gs_code gs_text_write_fn(void *context, const void *data, size_t bytes,
                                 gs_status *st);

/* A buffer in front of that function. */
typedef struct gs_text_out {
    gs_text_write_fn *write;
    void *context;
    size_t used;
    uint8_t *buffer;
} gs_text_out;

GS_MUST_CHECK gs_code gs_text_out_open(gs_text_out *out, gs_text_write_fn *write,
                                       void *context, gs_status *st);
void gs_text_out_release(gs_text_out *out);
GS_MUST_CHECK gs_code gs_text_out_put(gs_text_out *out, const void *data, size_t bytes,
                                      gs_status *st);
GS_MUST_CHECK gs_code gs_text_out_number(gs_text_out *out, uint64_t x, char after,
                                         gs_status *st);
/* Two numbers, with a character before the first, 0 for none, and one between them. */
GS_MUST_CHECK gs_code gs_text_out_two_numbers(gs_text_out *out, char before, uint64_t x,
                                              char between, uint64_t y, gs_status *st);
/* With its quotes; each byte that is not UTF-8 comes out as U+FFFD. */
GS_MUST_CHECK gs_code gs_text_out_json(gs_text_out *out, const uint8_t *text,
                                       size_t bytes, gs_status *st);
/* The same without quotes, for a part of a text that no character is cut by. */
GS_MUST_CHECK gs_code gs_text_out_json_part(gs_text_out *out, const uint8_t *text,
                                            size_t bytes, gs_status *st);
GS_MUST_CHECK gs_code gs_text_out_flush(gs_text_out *out, gs_status *st);

#endif
