/* SPDX-License-Identifier: MIT */
/*
 * index_job: what the commands that make an index have in common: how they are watched
 * while they work, and what they tell in the end.
 */
#ifndef GS_CMD_INDEX_JOB_H
#define GS_CMD_INDEX_JOB_H

#include "cmd/watch.h"

typedef struct gs_index_job {
    bool verbose;
    gs_watch watch;
    gpusort_stats *stats; /* where the work counts */
} gs_index_job;

/* Ends the program if -o was not given, or no name of a folder. */
void gs_job_check_folder(const char *folder);

/* What the library says; the context is the gs_index_job. */
void gs_index_job_say(void *context, gpusort_level level, const char *text);

/* The work counts in job->stats, from gs_watch_stats_new, which are freed. Returns the
 * exit code, after a message if the work failed. */
int gs_index_job_run(gs_index_job *job, gs_watched_fn *work, void *context);

/* The job of gpusort.h says what it says and counts where it is watched; before run. */
void gs_index_job_begin(gs_index_job *job, gpusort_job *of);

/* Both for one call of gpusort.h, whose options have `of` for a job. */
typedef gpusort_code gs_index_call_fn(void *context, gpusort_error *error);
int gs_index_job_call(gs_index_job *job, gpusort_job *of, gs_index_call_fn *call,
                      void *context);

#endif
