/* SPDX-License-Identifier: MIT */
/*
 * api_job: a long call while it runs. What the caller wants to know of it is told by a
 * thread that looks some times a second; it also brings the caller's wish to stop.
 *
 * Call order: open, the work with `log`, `stats` and &cancel, close. One thread.
 */
#ifndef GS_LIB_API_API_JOB_H
#define GS_LIB_API_API_JOB_H

#include <pthread.h>

#include "lib/api/api_stats.h"
#include "lib/base/log.h"
#include "lib/gpusort.h"

typedef struct gs_api_job {
    const gpusort_job *job; /* borrowed; not NULL */
    gpusort_stats *stats;   /* the caller's, or `own` */
    gpusort_stats own;
    gs_log log;
    volatile int cancel;
    pthread_mutex_t mutex; /* of the caller's functions; guards is_over */
    pthread_cond_t over;
    bool is_over, has_watcher;
    pthread_t watcher;
} gs_api_job;

/* Also of a job that is NULL, which wishes nothing. Not closed after a failure. */
GS_MUST_CHECK gs_code gs_api_job_open(gs_api_job *j, const gpusort_job *job,
                                      gs_status *st);
/* As if the caller wished it. Any thread, until it is closed. */
void gs_api_job_stop(gs_api_job *j);
void gs_api_job_close(gs_api_job *j);

#endif
