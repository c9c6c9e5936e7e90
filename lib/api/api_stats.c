/* SPDX-License-Identifier: MIT */
#include "lib/api/api_stats.h"

#include <string.h>

#include "lib/api/api_call.h"
#include "lib/base/mem.h"

_Static_assert((int)GPUSORT_STARTING == (int)GS_PHASE_START &&
                   (int)GPUSORT_READING == (int)GS_PHASE_READ &&
                   (int)GPUSORT_SORTING == (int)GS_PHASE_SORT &&
                   (int)GPUSORT_MERGING == (int)GS_PHASE_MERGE &&
                   (int)GPUSORT_FINISHING == (int)GS_PHASE_DONE &&
                   (int)GPUSORT_PHASES == (int)GS_PHASE_COUNT,
               "the phases of others are ours");
_Static_assert(sizeof((gpusort_figures){0}.phase_ns) == GPUSORT_PHASES * sizeof(uint64_t),
               "a time each");
_Static_assert((int)GPUSORT_LANE_READ == (int)GS_LANE_READ &&
                   (int)GPUSORT_LANE_WORKER == (int)GS_LANE_WORKER &&
                   (int)GPUSORT_LANE_UPLOAD == (int)GS_LANE_UPLOAD &&
                   (int)GPUSORT_LANE_GPU == (int)GS_LANE_GPU &&
                   (int)GPUSORT_LANE_DOWNLOAD == (int)GS_LANE_DOWNLOAD &&
                   (int)GPUSORT_LANE_WRITE == (int)GS_LANE_WRITE &&
                   (int)GPUSORT_LANES == (int)GS_LANE_COUNT,
               "the lanes of others are ours");

/* As much of the answer as the caller has room for, who may be of another version. */
static void give(void *out, const void *answer, size_t bytes)
{
    size_t room;
    memcpy(&room, out, sizeof room);
    if (room > bytes)
        memset((char *)out + bytes, 0, room - bytes);
    if (room > sizeof room)
        memcpy((char *)out + sizeof room, (const char *)answer + sizeof room,
               (room < bytes ? room : bytes) - sizeof room);
}

gpusort_code gpusort_stats_new(gpusort_stats **out, unsigned flags, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gpusort_stats *s = NULL;
    *out = NULL;
    if ((flags & ~(unsigned)GPUSORT_SPANS) != 0)
        (void)GS_FAIL(&st, GS_ERR_ARG, 0, "unknown flags of statistics: %u", flags);
    else if (gs_mem_new(&s, sizeof *s, "statistics", &st) == GS_OK &&
             (flags & GPUSORT_SPANS) != 0)
        GS_NOTED(gs_trace_new(&s->trace, &st));
    if (st.code == GS_OK)
        *out = s;
    else
        gpusort_stats_free(s);
    return gs_api_result(&st, error);
}

void gpusort_stats_read(const gpusort_stats *stats, gpusort_figures *out)
{
    const gs_index_stats *const index = &stats->index;
    const gs_sort_stats *const sort = &index->sort;
    gpusort_figures now = {
        .phase = (gpusort_phase)sort->phase,
        .threads = sort->threads,
        .input_bytes = sort->input_bytes,
        .input_bytes_total = sort->input_bytes_total,
        .records = sort->records,
        .text_bytes = sort->text_bytes,
        .output_bytes = sort->output_bytes,
        .output_records = sort->output_records,
        .spilled_bytes = sort->spill_bytes,
        .runs = sort->runs,
        .passes = sort->passes,
        .merged_bytes = sort->merge_bytes,
        .merged_bytes_total = sort->merge_bytes_total,
        .memory_bytes = sort->memory_limit_bytes,
        .has_output_sum = sort->has_output_sum,
        .output_sum = sort->output_sum,
        .engine = sort->engine,
        .verified = sort->verified,
        .spans_lost = gs_trace_dropped_count(stats->trace),
        .method = index->method,
        .tokens = index->tokens,
        .terms = index->terms,
        .skipped = index->skipped,
    };
    for (int phase = 0; phase < GPUSORT_PHASES; phase++)
        now.phase_ns[phase] = sort->phase_ns[phase];
    give(out, &now, sizeof now);
}

int gpusort_stats_span(const gpusort_stats *stats, size_t i, gpusort_span *out)
{
    if (i >= gs_trace_span_count(stats->trace))
        return 0;
    const gs_trace_span *const span = gs_trace_span_at(stats->trace, i);
    const gpusort_span answer = {
        .name = span->name,
        .lane = (gpusort_lane)span->lane,
        .number = span->number,
        .begin_ns = span->begin_ns,
        .end_ns = span->end_ns,
        .bytes = span->bytes,
    };
    give(out, &answer, sizeof answer);
    return 1;
}

void gpusort_stats_free(gpusort_stats *stats)
{
    if (stats != NULL)
        gs_trace_free(stats->trace);
    gs_mem_free(stats);
}
