/* SPDX-License-Identifier: MIT */
/* gpusort join: lines of two files that have the same key, in one. */
#include "cmd/commands.h"

#include "cmd/join_args.h"
#include "cmd/report.h"
#include "lib/gpusort.h"

static void say(void *context, gpusort_level level, const char *text)
{
    const gs_join_args *const args = context;
    if (args->verbose || level <= GPUSORT_SAYS_WARNING)
        gs_report(0, "%s", text);
}

static gs_code work(void *context, gs_status *st)
{
    const gs_join_args *const args = context;
    gpusort_error error = GPUSORT_NO_ERROR;
    return gpusort_join(&args->options, &error) == GPUSORT_OK
               ? GS_OK
               : gs_status_of_error(st, &error);
}

int cmd_join(int argc, char **argv)
{
    gs_join_args args;
    gs_join_args_parse(&args, argc, argv);
    gpusort_stats *const stats = gs_watch_stats_new(&args.watch);
    gpusort_job *const job = &args.sort.job;
    job->log = say;
    job->context = &args;
    job->stats = stats;
    job->flags |= GPUSORT_ENDS_BY_PIPE;
    gs_status st = {.code = GS_OK};
    GS_NOTED(gs_watch_run(&args.watch, stats, NULL, 0, work, &args, &st));
    gpusort_stats_free(stats);
    gs_join_args_release(&args);
    return st.code == GS_OK ? GS_EXIT_GOOD : gs_report_failure(&st);
}
