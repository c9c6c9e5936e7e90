/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * sum_summary: of pairs (x, y) some x, in order, and between what the sums of all y below
 * and up to each of them lie.
 *
 *      x            3          8          20
 *      y below it   0          at most 7  at most 30      of all y: 100
 *      and up to    at least 5 at least 9 at least 31
 *
 * The sum of y for x up to 10 is between 9 and 30 here: what is known up to 8, and below
 * 20. Values y above and below zero are summed apart, so that both sums only grow.
 *
 * Merging adds what is not known, so that a share of all |y| that both may be off by is
 * one that the result may be off by. Pruning to parts adds 1 / parts of the sums.
 *
 * Sums are doubles. One thread; a zeroed summary is empty.
 */
/* clang-format on */
#ifndef GS_LIB_STREAM_SUM_SUMMARY_H
#define GS_LIB_STREAM_SUM_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "lib/stream/number_text.h"

enum { GS_SUM_SIGNS = 2 }; /* of y above zero, and of -y of those below */

typedef struct gs_sum_entry {
    uint64_t key;                /* of x */
    double before[GS_SUM_SIGNS]; /* at most: of smaller x */
    double upto[GS_SUM_SIGNS];   /* at least: of those and of this x */
} gs_sum_entry;

typedef struct gs_sum_summary {
    gs_sum_entry *entries;
    size_t count, capacity;
    double totals[GS_SUM_SIGNS];
} gs_sum_summary;

typedef struct gs_sum_bounds {
    double least, most;
} gs_sum_bounds;

void gs_sum_summary_release(gs_sum_summary *s);

/* Room for just so many entries, if there is not: what is held is bounded. */
GS_MUST_CHECK gs_code gs_sum_summary_reserve(gs_sum_summary *s, size_t count,
                                             gs_status *st);

/* Pairs of keys of a type, ordered by the first of each. Infinite y are an error. */
GS_MUST_CHECK gs_code gs_sum_summary_take(gs_sum_summary *s, gs_number_type type,
                                          const uint64_t *pairs, size_t count,
                                          gs_status *st);
/* `out` is neither of the two, and what it held is gone. */
GS_MUST_CHECK gs_code gs_sum_summary_merge(gs_sum_summary *out, const gs_sum_summary *a,
                                           const gs_sum_summary *b, gs_status *st);
GS_MUST_CHECK gs_code gs_sum_summary_copy(gs_sum_summary *to, const gs_sum_summary *from,
                                          gs_status *st);
/* Leaves at most 4 * parts + 6 entries. */
void gs_sum_summary_prune(gs_sum_summary *s, uint64_t parts);

/* Between what is the sum of y for x up to that of the key? */
gs_sum_bounds gs_sum_summary_at(const gs_sum_summary *s, uint64_t key);
/* Of the |y| of all. */
double gs_sum_summary_total(const gs_sum_summary *s);

#endif
