/* SPDX-License-Identifier: MIT */
/*
 * progress: one line on standard error that says how far a sort has come.
 *
 * A thread of its own reads the counters a few times a second and touches nothing else.
 * On a terminal the line is drawn over itself and wiped at the end; elsewhere whole lines
 * are printed, less often.
 */
#ifndef GS_CMD_PROGRESS_H
#define GS_CMD_PROGRESS_H

#include "lib/base/status.h"
#include "lib/gpusort.h"

typedef enum gs_progress_mode {
    GS_PROGRESS_NEVER,
    GS_PROGRESS_AUTO, /* if standard error is a terminal */
    GS_PROGRESS_ALWAYS,
} gs_progress_mode;

typedef struct gs_progress gs_progress;

/* Borrows `stats` until stop(). *out is NULL when nothing is to be shown. */
GS_MUST_CHECK gs_code gs_progress_start(gs_progress **out, const gpusort_stats *stats,
                                        gs_progress_mode mode, gs_status *st);
void gs_progress_stop(gs_progress *p); /* NULL is fine */

#endif
