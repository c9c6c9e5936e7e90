/* SPDX-License-Identifier: MIT */
#include "cmd/index_job.h"

#include <errno.h>
#include <string.h>

#include "cmd/report.h"

void gs_job_check_folder(const char *folder)
{
    if (folder == NULL)
        gs_die_usage("say where the index is to be: -o DIR");
    if (*folder == '\0')
        gs_die(ENOENT, "cannot create ''");
    if (strcmp(folder, "-") == 0) {
        gs_report(0, "an index is a folder, which standard output cannot be");
        gs_die(0, "give it a name; for a folder of that name say -o ./-");
    }
}

static void say(void *context, gs_log_level level, const char *text)
{
    const gs_index_job *const job = context;
    if (job->verbose || level <= GS_LOG_WARNING)
        gs_report(0, "%s", text);
}

typedef struct job_work {
    gs_index_job *job;
    gs_index_job_fn *work;
    void *context;
} job_work;

static gs_code do_work(void *context, gs_status *st)
{
    const job_work *const w = context;
    return w->work(w->context, w->job, st);
}

int gs_index_job_run(gs_index_job *job, gs_index_job_fn *work, void *context)
{
    gs_status st = {.code = GS_OK};
    gpusort_stats *const counted = gs_watch_stats_new(&job->watch);
    gs_index_stats *const stats = &counted->index;
    const gs_stats_extra extras[] = {
        {"method", &stats->method, NULL},
        {"tokens", NULL, &stats->tokens},
        {"terms", NULL, &stats->terms},
        {"skipped", NULL, &stats->skipped},
    };
    job->stats = stats;
    job->trace = counted->trace;
    job_work w = {.job = job, .work = work, .context = context};
    job->log = (gs_log){.fn = say, .context = job};
    GS_NOTED(gs_watch_run(&job->watch, counted, GS_COUNTED(extras), do_work, &w, &st));
    gpusort_stats_free(counted);
    return st.code == GS_OK ? GS_EXIT_GOOD : gs_report_failure(&st);
}
