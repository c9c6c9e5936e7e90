/* SPDX-License-Identifier: MIT */
/*
 * prefix_sink: a stream's windows to the prefixes that many of its values have.
 *
 * Each level of the hierarchy has counters as count_sink has, 1 / eps and more, so that
 * of no prefix the count is low by more than eps N. The different values of a window are
 * counted first, and only these are cut.
 */
#ifndef GS_LIB_STREAM_PREFIX_SINK_H
#define GS_LIB_STREAM_PREFIX_SINK_H

#include "lib/stream/prefix_counts.h"
#include "lib/stream/value_stream.h"

/* What came, in two parts, for gs_heavy_find. */
typedef struct gs_known_prefixes {
    const gs_prefix_counts *counts;
    const gs_prefix_counts *last; /* of a window that is not whole; NULL: none */
    uint64_t values;
    size_t bytes; /* that all counters take */
} gs_known_prefixes;

typedef gs_code gs_prefix_report_fn(void *context, const gs_known_prefixes *all,
                                    bool is_end, gs_status *st);

typedef struct gs_prefix_sink {
    size_t counters;
    size_t memory_bytes; /* for counts; more is GS_ERR_LIMIT */
    gs_prefix_report_fn *report;
    void *report_context;

    gs_prefix_counts counts; /* `by` is set before; in the last report, of all values */
} gs_prefix_sink;

void gs_prefix_sink_release(gs_prefix_sink *s);
gs_value_sink gs_prefix_sink_as_sink(gs_prefix_sink *s);

#endif
