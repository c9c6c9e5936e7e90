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

#include "lib/base/assertion.h"
#include "lib/join/number_side.h"

/* All borrowed. */
typedef struct gs_near_sides {
    gs_join_job *job;
    gs_number_side *left,
        *right; /* split, with the same decimals; the right one sorted */
    gs_join_partners match;
    int64_t low, high;  /* of the band, in their units */
    size_t shelf_bytes; /* of memory, for right lines that are kept in order */
} gs_near_sides;

/* From which number to which those of its partners are: of a left one, and of a right
 * one. Both ends grow with the number, so that windows only move to the right. */
typedef struct gs_near_reach {
    int64_t from, to;
} gs_near_reach;

static inline gs_near_reach gs_near_right_of(const gs_near_sides *s, int64_t left)
{
    switch (s->match) {
    case GS_JOIN_BAND: return (gs_near_reach){left + s->low, left + s->high};
    case GS_JOIN_EQUAL: /* by join_match.c */
    case GS_JOIN_PARTNERS_COUNT: break;
    }
    gs_assert_failed("a join of windows", __FILE__, __LINE__);
}
static inline gs_near_reach gs_near_left_of(const gs_near_sides *s, int64_t right)
{
    switch (s->match) {
    case GS_JOIN_BAND: return (gs_near_reach){right - s->high, right - s->low};
    case GS_JOIN_EQUAL:
    case GS_JOIN_PARTNERS_COUNT: break;
    }
    gs_assert_failed("a join of windows", __FILE__, __LINE__);
}

/* Fills the sink, from this ticket on. One thread calls; the workers are inside. */
GS_MUST_CHECK gs_code gs_near_match(const gs_near_sides *sides, gs_sink *sink,
                                    uint64_t ticket, gs_status *st);

#endif
