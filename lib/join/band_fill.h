/* SPDX-License-Identifier: MIT */
/*
 * band_fill: the right lines of a band join, put on their shelf by all threads together.
 *
 *      worker 0   | portion 0 | portion 3 |      each has a shelf of its own, where every
 *      worker 1   | portion 1 | portion 2 |      portion begins a block
 *      the shelf  | portion 0 | portion 1 | portion 2 | portion 3 |      blocks only move
 *
 * Call order: new; for each portion of the order begin, and add from the thread of that
 * worker, end; then join, once all is there; free, once the shelf is not used any more.
 */
#ifndef GS_LIB_JOIN_BAND_FILL_H
#define GS_LIB_JOIN_BAND_FILL_H

#include "lib/join/band_right.h"

typedef struct gs_band_fill gs_band_fill;

/* All is borrowed. */
GS_MUST_CHECK gs_code gs_band_fill_new(gs_band_fill **out, const gs_join_format *format,
                                       gs_join_store *store, unsigned workers,
                                       size_t portion_max, gs_status *st);
void gs_band_fill_free(gs_band_fill *fill); /* NULL is fine */

void gs_band_fill_begin(gs_band_fill *fill, unsigned worker, size_t portion);
GS_MUST_CHECK gs_code gs_band_fill_add(gs_band_fill *fill, unsigned worker,
                                       gs_join_number number, const uint8_t *line,
                                       size_t bytes, gs_status *st);
void gs_band_fill_end(gs_band_fill *fill, unsigned worker);

/* The lines of all portions, in order, are those of `right`, which is zeroed but for what
 * it borrows. */
GS_MUST_CHECK gs_code gs_band_fill_join(gs_band_fill *fill, gs_band_right *right,
                                        gs_status *st);

#endif
