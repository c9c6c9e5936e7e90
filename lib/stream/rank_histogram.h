/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * rank_histogram: a stream of unknown length as an exponential histogram of summaries.
 *
 *      windows that came      1   2   3   4   5   6   7 | 8   9   10 ...
 *      phase                  0 | 1     | 2             | 3
 *      buckets of phase 3             [ 8  9 | 10  11 ] [ 12  13 ] [ 14 ]
 *      finished phases        [1] [2 3] [4 5 6 7]
 *
 * Each window of values comes sorted, as a summary of level 0. Two buckets of one level
 * become one of the next: merged, and pruned. Since the error grows a little with each
 * level, one must know how many there will be: so the stream is cut into phases of 1, 2,
 * 4, ... windows. Phase p has p levels, ends as one bucket, and starts the next.
 *
 * Of eps a quarter goes to the windows, one to the levels (B = 2p / eps each), one to the
 * end of a phase (2 / eps), and the last is left for what is saved. Hence at most
 *
 *      (2/eps + 2) (p + 2) + 4 (2p/eps + 2) + p (2p/eps + 2)    entries,  p = log2(N / W) + 1
 *
 * which is the paper's O(log^2(eps N) / eps) and does not need N beforehand.
 */
/* clang-format on */
#ifndef GS_LIB_STREAM_RANK_HISTOGRAM_H
#define GS_LIB_STREAM_RANK_HISTOGRAM_H

#include "lib/stream/rank_summary.h"

enum { GS_RANK_LEVELS_MAX = 64 };

typedef struct gs_rank_histogram {
    double eps;
    size_t window_values;
    uint64_t values;
    unsigned phase;
    uint64_t windows; /* of this phase */
    gs_rank_summary levels[GS_RANK_LEVELS_MAX];
    gs_rank_summary finished[GS_RANK_LEVELS_MAX];
    gs_rank_summary spare;
} gs_rank_histogram;

#define GS_EPS_MIN 1e-9
#define GS_EPS_MAX 0.5

/* How many values a window should have: enough for the error, and for a fast sort; fewer
 * where two windows would take more than so many bytes, which costs time and no error. */
size_t gs_rank_window_values(double eps, size_t memory_bytes);
/* Which values of a sorted window of so many go into its summary. */
uint64_t gs_rank_window_stride(double eps, size_t values);

/* 0 values of which eps are an error: `h` is zeroed. */
void gs_rank_histogram_init(gs_rank_histogram *h, double eps, size_t window_values);
void gs_rank_histogram_release(gs_rank_histogram *h);

/* A window, of so many values or fewer, by its summary, whose memory is given on:
 * `window` is a spare one then.
 */
GS_MUST_CHECK gs_code gs_rank_histogram_add(gs_rank_histogram *h, gs_rank_summary *window,
                                            gs_status *st);

/* Everything so far and `last`, the part of a window that has come, as one summary. */
GS_MUST_CHECK gs_code gs_rank_histogram_all(const gs_rank_histogram *h,
                                            const gs_rank_summary *last,
                                            gs_rank_summary *out, gs_status *st);

/* What it has room for, and what that may ever be of a stream of so many values. */
size_t gs_rank_histogram_entries(const gs_rank_histogram *h);
size_t gs_rank_histogram_entries_max(double eps, size_t window_values, uint64_t values);

#endif
