/* SPDX-License-Identifier: MIT */
/*
 * team: a fixed number of threads that do one job together, again and again.
 *
 * gs_team_run calls fn(context, worker, st) once for each worker, worker 0 on the calling
 * thread, and returns when all have returned. Each worker has its own status; the first
 * failure in worker order is kept. A worker that fails must see to it that the others do
 * not wait for it for ever. Threads start with the first run that needs them; where the
 * system has fewer to give, the workers are fewer from then on.
 */
#ifndef GS_LIB_BASE_TEAM_H
#define GS_LIB_BASE_TEAM_H

#include "lib/base/status.h"
#include "lib/base/trace.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gs_team gs_team;
typedef gs_code gs_team_fn(void *context, unsigned worker, gs_status *st);

GS_MUST_CHECK gs_code gs_team_new(gs_team **out, unsigned workers, gs_status *st);
void gs_team_free(gs_team *team); /* NULL is fine */

unsigned gs_team_workers(const gs_team *team);

/* Where the jobs of this team put their spans (lane GS_LANE_WORKER); NULL: nowhere. */
void gs_team_set_trace(gs_team *team, gs_trace *trace);
gs_trace *gs_team_trace(const gs_team *team);

GS_MUST_CHECK gs_code gs_team_run(gs_team *team, gs_team_fn *fn, void *context,
                                  gs_status *st);

#ifdef __cplusplus
}
#endif
#endif
