/* SPDX-License-Identifier: MIT */
#include "cmd/watch.h"

#include <stdlib.h>

#include "cmd/report.h"
#include "cmd/trace_file.h"
#include "lib/base/machine.h"

void gs_watch_progress(void *to, gs_opt_scan *scan)
{
    static const gs_word words[] = {
        {"auto", GS_PROGRESS_AUTO},
        {"always", GS_PROGRESS_ALWAYS},
        {"never", GS_PROGRESS_NEVER},
    };
    *(gs_progress_mode *)to = scan->argument
                                  ? (gs_progress_mode)gs_word_arg(scan, GS_COUNTED(words))
                                  : GS_PROGRESS_ALWAYS;
}

void gs_watch_stats(void *to, gs_opt_scan *scan)
{
    gs_watch *const watch = to;
    watch->has_stats = true;
    watch->stats_path = scan->argument;
}

gpusort_stats *gs_watch_stats_new(const gs_watch *watch)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    gpusort_stats *stats = NULL;
    const unsigned flags = watch->trace_path != NULL ? GPUSORT_SPANS : 0;
    if (gpusort_stats_new(&stats, flags, &error) != GPUSORT_OK)
        exit(gs_report_error(&error));
    return stats;
}

gs_code gs_watch_run(const gs_watch *watch, const gpusort_stats *stats,
                     const gs_stats_extra *extras, size_t extra_count,
                     gs_watched_fn *work, void *context, gs_status *st)
{
    const uint64_t start_ns = gs_machine_now_ns();
    gs_progress *progress = NULL;
    gs_trace_file *trace = NULL;
    if (watch->has_stats)
        GS_TRY(gs_stats_json_try(watch->stats_path, st));
    GS_TRY(gs_trace_file_start(&trace, watch->trace_path, stats, st));
    GS_NOTED(gs_progress_start(&progress, stats, watch->progress, st));
    if (st->code == GS_OK)
        GS_NOTED(work(context, st));
    gs_progress_stop(progress);
    GS_NOTED(gs_trace_file_finish(trace, st));
    if (st->code == GS_OK && watch->has_stats)
        GS_NOTED(gs_stats_json_write(watch->stats_path, stats,
                                     gs_machine_now_ns() - start_ns, extras, extra_count,
                                     st));
    return st->code;
}
