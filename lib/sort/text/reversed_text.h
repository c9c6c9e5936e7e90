/* SPDX-License-Identifier: MIT */
/*
 * reversed_text: a text whose lines stand the other way round is written from its end.
 *
 *      text      | za | yb | xc | wd | ve | uf | tg |
 *      pieces    | piece 1      | piece 0           |    each from its last line to its
 *      output    tg uf ve wd                             first
 *                            xc yb za
 *
 * Of lines that are equal nobody can tell which came first: what is kept of their order,
 * as with -s, is not for this.
 */
#ifndef GS_LIB_SORT_TEXT_REVERSED_TEXT_H
#define GS_LIB_SORT_TEXT_REVERSED_TEXT_H

#include "lib/sort/run/runs.h"
#include "lib/sort/text/text_cursor.h"
#include "lib/sort/witness/witnesses.h"

/* Where the piece begins, of about so many bytes, that ends at `end`, which is behind a
 * line; it holds whole lines, and one at least. */
const uint8_t *gs_reversed_cut(const gs_text_form *form, const gs_text *text,
                               const uint8_t *end, size_t piece_bytes);

/* Adds the lines of [begin, end) to a piece of the output, the last one first, and notes
 * in `records` how many they are. The form has no encoder that a witness asks for. */
GS_MUST_CHECK gs_code gs_reversed_add(const gs_text_form *form, const gs_text *text,
                                      const uint8_t *begin, const uint8_t *end,
                                      gs_sink_piece *piece, gs_multiset *records,
                                      gs_status *st);

#endif
