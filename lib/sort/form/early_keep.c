/* SPDX-License-Identifier: MIT */
#include "lib/sort/form/early_keep.h"

#include "lib/base/assertion.h"
#include "lib/sort/form/early_bring.h"
#include "lib/sort/form/early_state.h"

typedef struct keep_job {
    gs_early_split *split;
    gs_trace *trace;
} keep_job;

static gs_code keep_worker(void *context, unsigned worker, gs_status *st)
{
    const keep_job *const job = context;
    const gs_early_split *const s = job->split;
    const uint64_t begin_ns = gs_trace_begin(job->trace);
    GS_NOTED(gs_list_file_write(s->file, &s->lists, s->layout.has_eol, worker, st));
    gs_trace_end(job->trace, GS_LANE_WORKER, worker, "write lists", begin_ns, 0);
    return st->code;
}

/* What is in the files counts there from now on. */
static void count_kept(gs_early_split *s)
{
    for (size_t i = 0; i < s->splitters->bucket_count; i++) {
        const gs_listed listed = gs_text_lists_listed(&s->lists, i);
        gs_listed *const kept = &s->kept[i];
        kept->count += listed.count;
        kept->bytes += listed.bytes;
        kept->has_others = kept->has_others || listed.has_others;
    }
}

gs_code gs_early_split_keep(gs_early_split *s, gs_team *team, uint64_t *bytes,
                            gs_status *st)
{
    keep_job job = {s, gs_team_trace(team)};
    const uint64_t before = gs_list_file_bytes(s->file);
    GS_TRY(gs_list_file_begin(s->file, s->splitters->bucket_count, st));
    GS_TRY(gs_team_run(team, keep_worker, &job, st));
    *bytes = gs_list_file_bytes(s->file) - before;
    count_kept(s);
    gs_early_split_clear(s);
    return GS_OK;
}

/* For a bucket of every worker, with scratch for its elements. */
static size_t bring_bytes(const gs_early_split *s)
{
    const gs_bucket_need need = gs_early_split_need(s, SIZE_MAX);
    return s->workers * (need.bytes + need.records * sizeof(gs_element));
}

bool gs_early_split_is_even(const gs_early_split *s)
{
    return bring_bytes(s) <= s->memory_bytes;
}

gs_code gs_early_split_make_room(gs_early_split *s, gs_team *team, uint64_t *bytes,
                                 gs_status *st)
{
    *bytes = 0;
    if (bring_bytes(s) <= s->near_bytes)
        return GS_OK;
    GS_TRY(gs_early_split_keep(s, team, bytes, st));
    gs_text_lists_discard(&s->lists);
    return GS_OK;
}
