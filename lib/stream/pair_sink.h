/* SPDX-License-Identifier: MIT */
/*
 * pair_sink: a stream's windows of pairs (x, y) to sums of y by x, and to what x is like.
 */
#ifndef GS_LIB_STREAM_PAIR_SINK_H
#define GS_LIB_STREAM_PAIR_SINK_H

#include "lib/stream/rank_histogram.h"
#include "lib/stream/sum_histogram.h"
#include "lib/stream/value_stream.h"

/* What is known of all pairs so far. */
typedef struct gs_pair_facts {
    uint64_t values;
    uint64_t least_key, most_key; /* of x, */
    double x_sum;                 /* its sum, not finite if too large for a double, */
    gs_rank_summary ranks;        /* and its ranks, if they were asked for */
    gs_sum_summary sums;
} gs_pair_facts;

/* Of a window of pairs in order: what x is like, the sums of all of them, and of its
 * ranks every stride-th; with a stride of 0 none. The window's scratch is used. */
GS_MUST_CHECK gs_code gs_pair_facts_take(gs_pair_facts *f, gs_number_type type,
                                         const gs_window *window, uint64_t stride,
                                         gs_sum_summary *sums, gs_status *st);
void gs_pair_facts_release(gs_pair_facts *f);
/* All but the summaries. */
void gs_pair_facts_add(gs_pair_facts *to, const gs_pair_facts *from);

typedef gs_code gs_pair_report_fn(void *context, const gs_pair_facts *all, bool is_end,
                                  gs_status *st);

typedef struct gs_pair_sink {
    gs_number_type type;
    double eps;
    bool has_ranks;
    size_t memory_bytes; /* for summaries; more is GS_ERR_LIMIT */
    gs_pair_report_fn *report;
    void *report_context;
    gs_rank_histogram ranks;
    gs_sum_histogram sums;
    gs_pair_facts all, reported;
} gs_pair_sink;

/* What stands above from `type` to `report_context` is set before. */
void gs_pair_sink_init(gs_pair_sink *s, size_t window_values);
void gs_pair_sink_release(gs_pair_sink *s);
gs_value_sink gs_pair_sink_as_sink(gs_pair_sink *s);

size_t gs_pair_sink_bytes(const gs_pair_sink *s);

#endif
