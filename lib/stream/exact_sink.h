/* SPDX-License-Identifier: MIT */
/*
 * exact_sink: a stream of numbers, all of it kept as sorted runs, and its exact
 * quantiles.
 */
#ifndef GS_LIB_STREAM_EXACT_SINK_H
#define GS_LIB_STREAM_EXACT_SINK_H

#include "lib/stream/key_runs.h"
#include "lib/stream/value_stream.h"

typedef struct gs_exact_sink gs_exact_sink;

typedef gs_code gs_exact_report_fn(void *context, gs_exact_sink *all, bool is_end,
                                   gs_status *st);

struct gs_exact_sink {
    gs_key_runs runs;
    gs_exact_report_fn *report;
    void *report_context;
    uint64_t values;
    const uint64_t *last; /* of a window that is not whole yet */
    size_t last_count;
};

/* How many values a window should have, of so much memory for all. */
size_t gs_exact_window_values(size_t memory_bytes, bool uses_gpu);

/* `report` and `report_context` are set before; the rest is as for gs_key_runs_init. */
GS_MUST_CHECK gs_code gs_exact_sink_init(gs_exact_sink *s, size_t window_values,
                                         size_t memory_bytes,
                                         const char *const *temp_folders,
                                         size_t temp_folder_count, gs_status *st);
void gs_exact_sink_release(gs_exact_sink *s);
gs_value_sink gs_exact_sink_as_sink(gs_exact_sink *s);

/* For a report: the key of a rank from 1 to `values`. */
GS_MUST_CHECK gs_code gs_exact_at(gs_exact_sink *s, uint64_t rank, uint64_t *key,
                                  gs_status *st);

#endif
