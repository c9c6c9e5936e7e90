/* SPDX-License-Identifier: MIT */
#include "cmd/index_inner.h"

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
