/* SPDX-License-Identifier: MIT */
#include "cmd/index_job.h"

#include <errno.h>
#include <string.h>

#include "cmd/report.h"
#include "lib/gpusort.h"

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

void gs_index_job_say(void *context, gpusort_level level, const char *text)
{
    const gs_index_job *const job = context;
    if (job->verbose || level <= GPUSORT_SAYS_WARNING)
        gs_report(0, "%s", text);
}

int gs_index_job_run(gs_index_job *job, gs_watched_fn *work, void *context)
{
    gs_status st = {.code = GS_OK};
    GS_NOTED(gs_watch_run(&job->watch, job->stats, NULL, 0, work, context, &st));
    gpusort_stats_free(job->stats);
    job->stats = NULL;
    return st.code == GS_OK ? GS_EXIT_GOOD : gs_report_failure(&st);
}

void gs_index_job_begin(gs_index_job *job, gpusort_job *of)
{
    job->stats = gs_watch_stats_new(&job->watch);
    of->log = gs_index_job_say;
    of->context = job;
    of->stats = job->stats;
}

typedef struct job_call {
    gs_index_call_fn *call;
    void *context;
} job_call;

static gs_code do_call(void *context, gs_status *st)
{
    const job_call *const c = context;
    gpusort_error error = GPUSORT_NO_ERROR;
    return c->call(c->context, &error) == GPUSORT_OK ? GS_OK
                                                     : gs_status_of_error(st, &error);
}

int gs_index_job_call(gs_index_job *job, gpusort_job *of, gs_index_call_fn *call,
                      void *context)
{
    job_call c = {.call = call, .context = context};
    gs_index_job_begin(job, of);
    return gs_index_job_run(job, do_call, &c);
}
