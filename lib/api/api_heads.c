/* SPDX-License-Identifier: MIT */
/*
 * The beginnings of the posting lists of many terms, asked for again and again.
 */
#include "lib/api/api_call.h"
#include "lib/api/api_index.h"
#include "lib/api/api_job.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/index/lookup/lookups.h"

struct gpusort_heads {
    const gs_segments *segments;
    gpusort_job job;
    gs_api_job running; /* while a call is */
    gs_term_heads *heads;
};

static gs_code open_heads(gpusort_heads *h, const gpusort_heads_options *asked,
                          gs_status *st)
{
    GS_TRY(gs_api_job_open(&h->running, &h->job, st)); /* which looks at the job */
    const gs_term_heads_options options = {
        .segments = h->segments,
        .workers = h->job.threads != 0 ? h->job.threads : gs_machine_cores(),
        .head = asked->head != 0 ? asked->head : UINT64_MAX,
        .engine = h->job.engine,
        .device = h->job.gpu_count > 0 ? h->job.gpus[0] : 0,
        .device_bytes = h->job.gpu_memory_bytes,
        .expected_terms = asked->expected_terms,
        .log = &h->running.log,
    };
    GS_NOTED(gs_term_heads_new(&h->heads, &options, st));
    gs_api_job_close(&h->running);
    return st->code;
}

gpusort_code gpusort_heads_new(gpusort_heads **out, const gpusort_index *index,
                               const gpusort_heads_options *options, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gpusort_heads_options asked = {0};
    gpusort_heads *h = NULL;
    *out = NULL;
    if (gs_api_take_options(&asked, sizeof asked, options, &st) == GS_OK &&
        gs_mem_new(&h, sizeof *h, "heads of posting lists", &st) == GS_OK) {
        h->segments = index->segments;
        h->job = asked.job;
        GS_NOTED(open_heads(h, &asked, &st));
    }
    if (st.code == GS_OK)
        *out = h;
    else
        gpusort_heads_free(h);
    return gs_api_result(&st, error);
}

void gpusort_heads_free(gpusort_heads *heads)
{
    if (heads == NULL)
        return;
    gs_term_heads_free(heads->heads);
    gs_mem_free(heads);
}

static gs_code find(gpusort_heads *h, const gs_head_terms *terms,
                    const gs_head_arrays *to, gs_status *st)
{
    if (to->dfs == NULL || to->offsets == NULL)
        return GS_FAIL(st, GS_ERR_ARG, 0, "heads need arrays for counts and offsets");
    if (terms->count > 0 && (terms->bytes == NULL || terms->offsets == NULL))
        return GS_FAIL(st, GS_ERR_ARG, 0, "%zu terms without bytes or offsets",
                       terms->count);
    if (to->docs == NULL && to->tfs != NULL)
        return GS_FAIL(st, GS_ERR_ARG, 0, "frequencies without documents");
    GS_TRY(gs_api_job_open(&h->running, &h->job, st));
    GS_NOTED(gs_term_heads_find(h->heads, terms, to, &h->running.cancel, st));
    gs_api_job_close(&h->running);
    if (st->code == GS_OK)
        GS_NOTED(gs_segments_check_unchanged(h->segments, st));
    return st->code;
}

gpusort_code gpusort_heads_find(gpusort_heads *heads, const void *terms,
                                const uint64_t *offsets, size_t count,
                                const gpusort_heads_lists *lists, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gpusort_heads_lists asked = {0};
    if (gs_api_take_options(&asked, sizeof asked, lists, &st) == GS_OK) {
        const gs_head_terms all = {terms, offsets, count};
        const gs_head_arrays to = {asked.counts, asked.offsets, asked.documents,
                                   asked.frequencies, asked.room};
        GS_NOTED(find(heads, &all, &to, &st));
    }
    return gs_api_result(&st, error);
}
