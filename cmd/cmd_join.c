/* SPDX-License-Identifier: MIT */
/* gpusort join: lines of two files that have the same key, in one. */
#include "cmd/commands.h"

#include "cmd/join_args.h"
#include "cmd/report.h"
#include "lib/api/apis.h"

static void say(void *context, gs_log_level level, const char *text)
{
    const gs_join_args *const args = context;
    if (args->verbose || level <= GS_LOG_WARNING)
        gs_report(0, "%s", text);
}

static gs_code work(void *context, gs_status *st)
{
    const gs_join_args *const args = context;
    return gs_join_run(&args->options, st);
}

int cmd_join(int argc, char **argv)
{
    gs_join_args args;
    gs_join_args_parse(&args, argc, argv);
    gpusort_stats *const stats = gs_watch_stats_new(&args.watch);
    stats->index.sort.engine = "cpu";
    const gs_log log = {.fn = say, .context = &args};
    args.options.sort.ends_by_pipe = true;
    args.options.sort.log = &log;
    args.options.sort.stats = &stats->index.sort;
    args.options.sort.trace = stats->trace;
    gs_status st = {.code = GS_OK};
    GS_NOTED(gs_watch_run(&args.watch, stats, NULL, 0, work, &args, &st));
    gpusort_stats_free(stats);
    gs_join_args_release(&args);
    return st.code == GS_OK ? GS_EXIT_GOOD : gs_report_failure(&st);
}
