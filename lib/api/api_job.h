/* SPDX-License-Identifier: MIT */
/*
 * api_job: a long call while it runs. What the caller wants to know of it is told by a
 * thread that looks some times a second; it also brings the caller's wish to stop.
 *
 * Call order: open, the work with `log` and &cancel, close. One thread.
 */
#ifndef GS_LIB_API_API_JOB_H
#define GS_LIB_API_API_JOB_H

#include <pthread.h>

#include "lib/base/log.h"
#include "lib/gpusort.h"
#include "lib/sort/plan/plans.h"

typedef struct gs_api_job {
    const gpusort_job *job; /* borrowed */
    const gs_sort_stats *stats;
    gs_log log;
    volatile int cancel;
    pthread_mutex_t mutex; /* of the caller's functions; guards is_over */
    pthread_cond_t over;
    bool is_over, has_watcher;
    pthread_t watcher;
} gs_api_job;

/* `stats` is what the work counts in. */
GS_MUST_CHECK gs_code gs_api_job_open(gs_api_job *j, const gpusort_job *job,
                                      const gs_sort_stats *stats, gs_status *st);
void gs_api_job_close(gs_api_job *j);

#endif
