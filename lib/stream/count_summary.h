/* SPDX-License-Identifier: MIT */
/*
 * count_summary: how often keys came, in their order, thinned out as gs_text_counts is:
 * what is said there of `lost` and of merging holds here.
 *
 * One thread; a zeroed summary is empty.
 */
#ifndef GS_LIB_STREAM_COUNT_SUMMARY_H
#define GS_LIB_STREAM_COUNT_SUMMARY_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "lib/stream/count_merge.h"

typedef struct gs_count_summary {
    gs_key_count *entries;
    size_t count, capacity;
    uint64_t values; /* that were counted */
    uint64_t lost;   /* no count is low by more */
    uint64_t *room;  /* for pruning */
    size_t room_capacity;
} gs_count_summary;

void gs_count_summary_release(gs_count_summary *s);

/* Of keys that are in order. */
GS_MUST_CHECK gs_code gs_count_summary_take(gs_count_summary *s, const uint64_t *keys,
                                            size_t count, gs_status *st);
/* `out` is neither of the two, and what it held is gone. */
GS_MUST_CHECK gs_code gs_count_summary_merge(gs_count_summary *out,
                                             const gs_count_summary *a,
                                             const gs_count_summary *b, gs_status *st);
/* Leaves at most so many, from 1 on. */
GS_MUST_CHECK gs_code gs_count_summary_prune(gs_count_summary *s, size_t counters,
                                             gs_status *st);
GS_MUST_CHECK gs_code gs_count_summary_copy(gs_count_summary *to,
                                            const gs_count_summary *from, gs_status *st);
/* Gives back the memory that its entries do not need. */
GS_MUST_CHECK gs_code gs_count_summary_trim(gs_count_summary *s, gs_status *st);
/* The most frequent first, and equal ones by their keys; no summary any more. And back.
 */
void gs_count_summary_rank(gs_count_summary *s);
void gs_count_summary_order(gs_count_summary *s);

/* What it takes. */
size_t gs_count_summary_bytes(const gs_count_summary *s);

#endif
