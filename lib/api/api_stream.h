/* SPDX-License-Identifier: MIT */
/*
 * api_stream: a stream of values as gpusort.h asks for it, as the options and the sink of
 * the room of streams.
 *
 * Call order: open, a stream with `options` and `sink`, close. Reports go to the caller's
 * function, if there is one, and what they told stays in `summary` until the next.
 */
#ifndef GS_LIB_API_API_STREAM_H
#define GS_LIB_API_API_STREAM_H

#include "lib/api/api_job.h"
#include "lib/api/api_summary.h"

typedef struct gs_api_stream {
    gpusort_stream_options asked; /* with what zero stands for */
    gs_api_job job;
    bool is_open, is_asked; /* by ask or end: the caller's function hears nothing */
    gs_team *team;
    gs_tuple_sorter *sorter;
    size_t memory_bytes; /* for windows and for what is kept of them, each a half */
    gs_value_stream_options options; /* but for names of inputs */
    gs_value_sink sink;
    union {
        gs_rank_sink ranks;
        gs_exact_sink exact;
        gs_count_sink counts;
        gs_prefix_sink prefixes;
        gs_pair_sink pairs;
        gs_table_sink table;
        gs_sliding_sink sliding;
        gs_time_sink of_time;
    } as;
    void (*release_sink)(struct gs_api_stream *s); /* NULL: there is none */
    gpusort_summary summary;
} gs_api_stream;

/* Closed also after a failure. `s` stays where it is until then. */
GS_MUST_CHECK gs_code gs_api_stream_open(gs_api_stream *s,
                                         const gpusort_stream_options *options,
                                         gs_status *st);
void gs_api_stream_close(gs_api_stream *s);

#endif
