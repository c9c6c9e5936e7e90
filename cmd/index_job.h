/* SPDX-License-Identifier: MIT */
/*
 * index_job: what the commands that make an index have in common: how they are watched
 * while they work, and what they tell in the end.
 *
 * Their options are GS_JOB_* in the command's own table, and -v.
 */
#ifndef GS_CMD_INDEX_JOB_H
#define GS_CMD_INDEX_JOB_H

#include "cmd/opt_scan.h"
#include "cmd/progress.h"
#include "cmd/stats_json.h"
#include "lib/base/log.h"
#include "lib/base/trace.h"
#include "lib/index/write/writers.h"

enum { GS_JOB_PROGRESS = 512, GS_JOB_STATS, GS_JOB_TRACE };

typedef struct gs_index_job {
    bool verbose;
    gs_progress_mode progress;
    bool has_stats;
    const char *stats_path; /* NULL: standard error */
    const char *trace_path;

    gs_log log; /* set by run */
    gs_trace *trace;
    gs_index_stats stats;
} gs_index_job;

/* The work: `job` has where to log, trace and count. */
typedef gs_code gs_index_job_fn(void *context, gs_index_job *job, gs_status *st);

/* False if the option is none of these. */
bool gs_index_job_option(gs_index_job *job, const gs_opt_scan *scan, int code);
/* Ends the program if -o was not given, or no name of a folder. */
void gs_job_check_folder(const char *folder);
/* -S and its like: at least one byte. */
size_t gs_job_memory(const gs_opt_scan *scan, int code);
/* One more word behind those of an array from gs_mem. */
void gs_job_add_word(const char ***array, size_t *count, const char *word);

/* Returns the exit code, after a message if the work failed. The first figures of --stats
 * are `method` and those of the index. */
int gs_index_job_run(gs_index_job *job, gs_index_job_fn *work, void *context);

#endif
