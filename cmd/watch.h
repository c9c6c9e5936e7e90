/* SPDX-License-Identifier: MIT */
/*
 * watch: what the user sees of a run that takes its time: its progress, its figures and
 * its timeline.
 */
#ifndef GS_CMD_WATCH_H
#define GS_CMD_WATCH_H

#include "cmd/opt_kinds.h"
#include "cmd/progress.h"
#include "cmd/stats_json.h"
#include "lib/gpusort.h"

/* What the options of GS_WATCH_OPTIONS said. */
typedef struct gs_watch {
    gs_progress_mode progress;
    bool has_stats;
    const char *stats_path; /* NULL: standard error */
    const char *trace_path;
} gs_watch;

#define GS_WATCH_OPTIONS(watch)                                                          \
    {0, "progress", GS_OPT_CALL_MAYBE(gs_watch_progress, &(watch)->progress)},           \
        {0, "stats", GS_OPT_CALL_MAYBE(gs_watch_stats, (watch))},                        \
    {                                                                                    \
        0, "trace", GS_OPT_TEXT(&(watch)->trace_path)                                    \
    }

gs_opt_fn gs_watch_progress, gs_watch_stats;

/* Where the work is to count; ends the program when there is no memory. From
 * gpusort_stats_new. */
gpusort_stats *gs_watch_stats_new(const gs_watch *watch);

typedef gs_code gs_watched_fn(void *context, gs_status *st);

/* Does the work, which counts in `stats`, while it is watched. The extra figures, which
 * may change until its end, come first in what is told of a run that succeeded. */
GS_MUST_CHECK gs_code gs_watch_run(const gs_watch *watch, const gpusort_stats *stats,
                                   const gs_stats_extra *extras, size_t extra_count,
                                   gs_watched_fn *work, void *context, gs_status *st);

#endif
