/* SPDX-License-Identifier: MIT */
/*
 * band_match: left lines, as they come out of the sort, with the right lines whose
 * numbers lie in a band around theirs.
 *
 *      right   . . [. . . . .] . . .      partners of one left line: a window,
 *      right   . . . . [. . . .] . .      of the next: it only moves to the right
 *
 * A matcher is one thread's. Call order: new, then for each portion of the order begin,
 * add, end; free. It finds its window by search when it has to go far.
 */
#ifndef GS_LIB_JOIN_BAND_MATCH_H
#define GS_LIB_JOIN_BAND_MATCH_H

#include "lib/join/band_right.h"
#include "lib/sort/run/runs.h"

typedef struct gs_band_match gs_band_match;

/* All borrowed. */
GS_MUST_CHECK gs_code gs_band_match_new(gs_band_match **out, const gs_join_format *format,
                                        const gs_band_right *right, gs_sink *sink,
                                        gs_status *st);
void gs_band_match_free(gs_band_match *m); /* NULL is fine */

void gs_band_match_begin(gs_band_match *m, uint64_t ticket);
GS_MUST_CHECK gs_code gs_band_match_add(gs_band_match *m, gs_join_number number,
                                        const uint8_t *line, size_t bytes, gs_status *st);
GS_MUST_CHECK gs_code gs_band_match_end(gs_band_match *m, gs_status *st);

/* Between begin and end, once all left lines were there: right lines without partners. */
GS_MUST_CHECK gs_code gs_band_match_unpaired(gs_band_match *m, gs_status *st);

#endif
