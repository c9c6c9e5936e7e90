/* SPDX-License-Identifier: MIT */
/*
 * landing: host memory in which arrives what a GPU has sorted.
 *
 * A GPU copies several times faster to memory that is locked in place, which takes as
 * long as the sort. So a thread of its own does it, while the input is still read. The
 * memory is as much as the blocks of the output's stream, and may be these.
 *
 * Call order: init, start when the device is there, wait before the first copy, release.
 * One thread calls; start may be another's, before wait.
 */
#ifndef GS_LIB_SORT_DEVICE_LANDING_H
#define GS_LIB_SORT_DEVICE_LANDING_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

/* Zeroed at first. */
typedef struct gs_landing {
    uint8_t *memory;
    size_t bytes;
    pthread_t thread;
    bool has_thread, is_pinned;
} gs_landing;

GS_MUST_CHECK gs_code gs_landing_init(gs_landing *l, size_t bytes, gs_status *st);
/* Begins to lock it; where that fails, copies are slower. */
void gs_landing_start(gs_landing *l);
/* Until it is locked, or was refused. */
void gs_landing_wait(gs_landing *l);
/* No copy is under way. A zeroed one is fine. */
void gs_landing_release(gs_landing *l);

#endif
