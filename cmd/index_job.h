/* SPDX-License-Identifier: MIT */
/*
 * index_job: what the commands that make an index have in common: how they are watched
 * while they work, and what they tell in the end.
 */
#ifndef GS_CMD_INDEX_JOB_H
#define GS_CMD_INDEX_JOB_H

#include "cmd/watch.h"
#include "lib/api/apis.h"
#include "lib/base/log.h"
#include "lib/index/write/writers.h"

typedef struct gs_index_job {
    bool verbose;
    gs_watch watch;

    gs_log log; /* set by run */
    gs_trace *trace;
    gs_index_stats *stats;
} gs_index_job;

/* The work: `job` has where to log, trace and count. */
typedef gs_code gs_index_job_fn(void *context, gs_index_job *job, gs_status *st);

/* Ends the program if -o was not given, or no name of a folder. */
void gs_job_check_folder(const char *folder);

/* Returns the exit code, after a message if the work failed. The first figures of --stats
 * are `method` and those of the index. */
int gs_index_job_run(gs_index_job *job, gs_index_job_fn *work, void *context);

#endif
