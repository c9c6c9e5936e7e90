/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * rank_summary: some values of a set, in order, and between which ranks each lies.
 *
 *      key        3        8        20       41          of 1000 values
 *      rank     1..1    240..260  490..520  1000..1000
 *
 * The value of rank r is answered by the entry whose ranks are nearest: its error is at
 * most half of the widest gap, from the least rank of an entry to the most of the next.
 * The first entry is the minimum and the last the maximum, exactly.
 *
 * Merging two summaries adds their errors, counted in ranks, so that a relative error
 * that both hold is held by the result. Pruning to B + 1 entries adds 1 / 2B of all
 * values. (Greenwald and Khanna's summaries for networks of sensors.)
 *
 * One thread; a zeroed summary is empty.
 */
/* clang-format on */
#ifndef GS_LIB_STREAM_RANK_SUMMARY_H
#define GS_LIB_STREAM_RANK_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

typedef struct gs_rank_entry {
    uint64_t key;
    uint64_t least, most; /* its rank, from 1, is one of these */
} gs_rank_entry;

typedef struct gs_rank_summary {
    gs_rank_entry *entries;
    size_t count, capacity;
    uint64_t values; /* how many it stands for */
} gs_rank_summary;

void gs_rank_summary_release(gs_rank_summary *s);

/* Room for just so many entries, if there is not: what is held is bounded. */
GS_MUST_CHECK gs_code gs_rank_summary_reserve(gs_rank_summary *s, size_t count,
                                              gs_status *st);

/* Every stride-th of `keys`, which are in order, with its true rank; the error is half
 * the stride, rounded down. */
GS_MUST_CHECK gs_code gs_rank_summary_take(gs_rank_summary *s, const uint64_t *keys,
                                           size_t count, uint64_t stride, gs_status *st);

/* `out` is neither of the two, and what it held is gone. */
GS_MUST_CHECK gs_code gs_rank_summary_merge(gs_rank_summary *out,
                                            const gs_rank_summary *a,
                                            const gs_rank_summary *b, gs_status *st);

/* Leaves at most parts + 1 entries. */
void gs_rank_summary_prune(gs_rank_summary *s, uint64_t parts);

GS_MUST_CHECK gs_code gs_rank_summary_copy(gs_rank_summary *to,
                                           const gs_rank_summary *from, gs_status *st);

/* Gives back the memory that its entries do not need. */
GS_MUST_CHECK gs_code gs_rank_summary_trim(gs_rank_summary *s, gs_status *st);

/* Leaves so few entries as an error of `error` ranks allows. */
void gs_rank_summary_shrink(gs_rank_summary *s, uint64_t error);

/* The rank that a share of so many values is: the smallest that is not less, from 1. */
uint64_t gs_rank_of_share(double share, uint64_t values);

/* The entry for a rank from 1 to `values`; there is at least one. */
const gs_rank_entry *gs_rank_summary_at(const gs_rank_summary *s, uint64_t rank);

/* No answer is further from its rank, in ranks. */
uint64_t gs_rank_summary_error(const gs_rank_summary *s);

/* Between which numbers is that of the values up to `key`, and with it? */
void gs_rank_summary_bounds(const gs_rank_summary *s, uint64_t key, uint64_t *least,
                            uint64_t *most);

/* Is it sound: keys and ranks in order and in their limits, and no two of one rank? */
bool gs_rank_summary_is_sound(const gs_rank_summary *s);

#endif
