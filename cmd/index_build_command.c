/* SPDX-License-Identifier: MIT */
#include "cmd/index_build_command.h"

#include <string.h>

#include "cmd/index_build_args.h"
#include "cmd/report.h"
#include "cmd/signals.h"
#include "cmd/stats_json.h"
#include "cmd/trace_file.h"
#include "lib/base/machine.h"

static void say(void *context, gs_log_level level, const char *text)
{
    const gs_index_build_args *const args = context;
    if (args->verbose || level == GS_LOG_WARNING)
        gs_report(0, "%s", text);
}

static gs_code write_stats(const gs_index_build_args *args, const gs_index_stats *stats,
                           uint64_t total_ns, gs_status *st)
{
    const gs_stats_extra extras[] = {
        {"method", stats->method, 0},
        {"tokens", NULL, stats->tokens},
        {"terms", NULL, stats->terms},
        {"skipped", NULL, stats->skipped},
    };
    return gs_stats_json_write_more(args->stats_path, &stats->sort, total_ns, extras,
                                    sizeof extras / sizeof *extras, st);
}

static gs_code watch_and_build(gs_index_build_args *args, const gs_index_stats *stats,
                               gs_status *st)
{
    const uint64_t start_ns = gs_machine_now_ns();
    gs_progress *progress = NULL;
    gs_trace_file *trace = NULL;
    if (args->has_stats)
        GS_TRY(gs_stats_json_try(args->stats_path, st));
    GS_TRY(gs_trace_file_start(&trace, args->trace_path, &stats->sort, st));
    args->options.trace = gs_trace_file_spans(trace);
    GS_NOTED(gs_progress_start(&progress, &stats->sort, args->progress, st));
    if (st->code == GS_OK)
        GS_NOTED(gs_index_build(&args->options, st));
    gs_progress_stop(progress);
    GS_NOTED(gs_trace_file_finish(trace, st));
    if (st->code == GS_OK && args->has_stats)
        GS_NOTED(write_stats(args, stats, gs_machine_now_ns() - start_ns, st));
    return st->code;
}

int gs_index_build_command(int argc, char **argv)
{
    gs_index_build_args args;
    gs_index_build_args_parse(&args, argc, argv);
    if (args.wants_help) {
        gs_index_build_args_release(&args);
        gs_index_build_usage_print(stdout);
        return gs_stdout_close(GS_EXIT_GOOD);
    }
    gs_signals_install();

    gs_index_stats stats;
    memset(&stats, 0, sizeof stats);
    const gs_log log = {.fn = say, .context = &args};
    args.options.log = &log;
    args.options.stats = &stats;
    int exit_code = GS_EXIT_GOOD;
    gs_status st = {.code = GS_OK};
    if (watch_and_build(&args, &stats, &st) != GS_OK) {
        gs_report_status(&st, true);
        exit_code = GS_EXIT_TROUBLE;
    }
    gs_index_build_args_release(&args);
    return exit_code;
}
