/* SPDX-License-Identifier: MIT */
/*
 * count_sink: a stream's windows to counts of its most frequent values, numbers or texts.
 *
 * With `counters` of at least 1 / eps no count is low by more than eps N. Each window is
 * thinned out beside the others, in its thread, and all of them together whenever they
 * have twice as many counters.
 */
#ifndef GS_LIB_STREAM_COUNT_SINK_H
#define GS_LIB_STREAM_COUNT_SINK_H

#include "lib/stream/count_summary.h"
#include "lib/stream/text_counts.h"
#include "lib/stream/value_stream.h"

typedef struct gs_count_sink gs_count_sink;

/* What came, ranked, one of the two: */
typedef struct gs_frequent {
    const gs_count_summary *numbers;
    const gs_text_counts *texts;
    uint64_t values;    /* of the stream so far, */
    uint64_t in_window; /* and of those the ones that count: all, or the last */
    size_t bytes;       /* that all summaries take */
} gs_frequent;

typedef gs_code gs_count_report_fn(void *context, const gs_frequent *all, bool is_end,
                                   gs_status *st);

struct gs_count_sink {
    bool is_text;
    size_t counters;
    size_t memory_bytes; /* for counts; more is GS_ERR_LIMIT */
    gs_count_report_fn *report;
    void *report_context;
    gs_count_summary numbers, other_numbers;
    gs_text_counts texts, other_texts;
};

void gs_count_sink_release(gs_count_sink *s);
gs_value_sink gs_count_sink_as_sink(gs_count_sink *s);

/* How many values a window of numbers should have. */
size_t gs_count_window_values(size_t counters, size_t memory_bytes);

#endif
