/* SPDX-License-Identifier: MIT */
/*
 * landing: host memory in which arrives what a GPU has sorted.
 *
 * A GPU copies several times faster to memory that is locked in place, which takes as
 * long as the sort: the thread that starts the device does it, while the input is read.
 * The memory is as much as the blocks of the output's stream, and may be these.
 *
 * Call order: init, pin when the device is there, before the first copy; release. One
 * thread at a time.
 */
#ifndef GS_LIB_SORT_DEVICE_LANDING_H
#define GS_LIB_SORT_DEVICE_LANDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

/* Zeroed at first. */
typedef struct gs_landing {
    uint8_t *memory;
    size_t bytes;
    bool is_pinned;
} gs_landing;

GS_MUST_CHECK gs_code gs_landing_init(gs_landing *l, size_t bytes, gs_status *st);
/* Locks it; where that is refused, copies are slower. Of the thread's current device. */
void gs_landing_pin(gs_landing *l);
/* No copy is under way. A zeroed one is fine. */
void gs_landing_release(gs_landing *l);

#endif
