/* SPDX-License-Identifier: MIT */
#include "cmd/index_inner.h"

#include "cmd/report.h"
#include "lib/base/quote.h"

typedef struct inner_work {
    gs_index_inner inner;
    gs_index_inner_fn *work;
    void *context;
} inner_work;

static void say(void *context, gs_log_level level, const char *text)
{
    gs_index_job_say(context, (gpusort_level)level, text);
}

static gs_code do_work(void *context, gs_status *st)
{
    inner_work *const w = context;
    return w->work(w->context, &w->inner, st);
}

int gs_index_inner_run(gs_index_job *job, gs_index_inner_fn *work, void *context)
{
    job->stats = gs_watch_stats_new(&job->watch);
    inner_work w = {.inner = {.log = {.fn = say, .context = job},
                              .trace = job->stats->trace,
                              .stats = &job->stats->index},
                    .work = work,
                    .context = context};
    return gs_index_job_run(job, do_work, &w);
}

gs_code gs_inner_print(void *context, const void *data, size_t bytes, gs_status *st)
{
    if (context != NULL)
        GS_TRY(gs_segments_check_unchanged((const gs_segments *)context, st));
    return gs_stdout_write(data, bytes, st);
}

gs_code gs_inner_open_first(gs_segments **out, const char *folder, char **operands,
                            int count, bool verifies, gs_status *st)
{
    if (gs_segments_open(out, folder, st) == GS_OK)
        return verifies ? gs_segments_check_sums(*out, st) : GS_OK;
    for (int i = 0; i < count; i++) {
        gs_status ignored = {.code = GS_OK};
        gs_segments *other = NULL;
        if (gs_segments_open(&other, operands[i], &ignored) == GS_OK)
            st->hint = "the index comes first, before what is looked for";
        gs_segments_close(other);
    }
    return st->code;
}

gs_code gs_inner_need_texts(const gs_segments *index, gs_status *st)
{
    gs_quoted q;
    if (gs_segments_header(index)->has_texts)
        return GS_OK;
    (void)GS_FAIL(st, GS_ERR_ARG, 0, "%s has no stored texts",
                  gs_quote_name(&q, index->folder));
    return gs_status_hint(st, "build it with --store to keep the text of documents");
}
