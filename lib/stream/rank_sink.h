/* SPDX-License-Identifier: MIT */
/*
 * rank_sink: a stream of numbers's windows to a rank histogram, and reports of its
 * summary.
 */
#ifndef GS_LIB_STREAM_RANK_SINK_H
#define GS_LIB_STREAM_RANK_SINK_H

#include "lib/stream/value_stream.h"
#include "lib/stream/rank_histogram.h"

typedef gs_code gs_rank_report_fn(void *context, const gs_rank_summary *all, bool is_end,
                                  gs_status *st);

typedef struct gs_rank_sink {
    gs_rank_histogram histogram;
    gs_rank_report_fn *report;
    void *report_context;
    size_t memory_bytes; /* the histogram may take; more is GS_ERR_LIMIT */
    gs_rank_summary all;
} gs_rank_sink;

void gs_rank_sink_init(gs_rank_sink *s, double eps, size_t memory_bytes,
                       gs_rank_report_fn *report, void *report_context);
void gs_rank_sink_release(gs_rank_sink *s);
gs_value_sink gs_rank_sink_as_sink(gs_rank_sink *s);

#endif
