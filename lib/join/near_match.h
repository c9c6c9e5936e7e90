/* SPDX-License-Identifier: MIT */
/*
 * near_match: pairs of a band join of two sides that are sorted apart from their text
 * (number_side.h).
 *
 *      left     | 70 | 71 | 75 | ...        a window of right lines for each left one
 *      right    | [69 [70 71] 73] | 80      only moves to the right
 *
 * Where a pair is its two lines as they are, one behind the other, it is copied from
 * their texts, which are asked for some lines ahead: what a sort would do to bring lines
 * together is done here, once, for those that have partners. Else the right lines that
 * have partners are kept in order as they are shown (band_fill.h), and those who know all
 * kinds of output make the pairs (band_match.h).
 */
#ifndef GS_LIB_JOIN_NEAR_MATCH_H
#define GS_LIB_JOIN_NEAR_MATCH_H

#include "lib/join/number_side.h"

/* All borrowed. */
typedef struct gs_near_sides {
    gs_join_job *job;
    gs_number_side *left,
        *right;         /* split, with the same decimals; the right one sorted */
    int64_t low, high;  /* of the band, in their units */
    size_t shelf_bytes; /* of memory, for right lines that are kept in order */
} gs_near_sides;

/* Fills the sink, from this ticket on. One thread calls; the workers are inside. */
GS_MUST_CHECK gs_code gs_near_match(const gs_near_sides *sides, gs_sink *sink,
                                    uint64_t ticket, gs_status *st);

#endif
