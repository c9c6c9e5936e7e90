/* SPDX-License-Identifier: MIT */
/*
 * index_inner: an index_job of what has no call in gpusort.h: the work gets where it is
 * to log, to keep its spans and to count.
 */
#ifndef GS_CMD_INDEX_INNER_H
#define GS_CMD_INDEX_INNER_H

#include "cmd/index_job.h"
#include "lib/api/apis.h"
#include "lib/base/log.h"

typedef struct gs_index_inner {
    gs_log log;
    gs_trace *trace;
    gs_index_stats *stats;
} gs_index_inner;

typedef gs_code gs_index_inner_fn(void *context, gs_index_inner *inner, gs_status *st);

/* As gs_index_job_run. */
int gs_index_inner_run(gs_index_job *job, gs_index_inner_fn *work, void *context);

#endif
