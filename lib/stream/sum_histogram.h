/* SPDX-License-Identifier: MIT */
/*
 * sum_histogram: a stream of pairs as an exponential histogram of sum summaries, in
 * phases as those of rank_histogram.
 *
 * What lies between the bounds of a sum is at most 2 eps of all |y|, their middle so off
 * by eps at most: a quarter of that each for windows, for levels and for the end of a
 * phase, and one that is left.
 */
#ifndef GS_LIB_STREAM_SUM_HISTOGRAM_H
#define GS_LIB_STREAM_SUM_HISTOGRAM_H

#include "lib/stream/sum_summary.h"

enum { GS_SUM_LEVELS_MAX = 64 };

typedef struct gs_sum_histogram {
    double eps;
    unsigned phase;
    uint64_t windows; /* of this phase */
    gs_sum_summary levels[GS_SUM_LEVELS_MAX];
    gs_sum_summary finished[GS_SUM_LEVELS_MAX];
    gs_sum_summary spare;
} gs_sum_histogram;

void gs_sum_histogram_init(gs_sum_histogram *h, double eps);
void gs_sum_histogram_release(gs_sum_histogram *h);

/* To how many parts the summary of a window may be pruned. */
uint64_t gs_sum_window_parts(double eps);
/* A window of one value or more, by its summary, whose memory is given on. */
GS_MUST_CHECK gs_code gs_sum_histogram_add(gs_sum_histogram *h, gs_sum_summary *window,
                                           gs_status *st);
/* Everything so far and `last`, which may be NULL, as one summary. */
GS_MUST_CHECK gs_code gs_sum_histogram_all(const gs_sum_histogram *h,
                                           const gs_sum_summary *last,
                                           gs_sum_summary *out, gs_status *st);
size_t gs_sum_histogram_bytes(const gs_sum_histogram *h);

#endif
