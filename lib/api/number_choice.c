/* SPDX-License-Identifier: MIT */
#include "lib/api/number_choice.h"

/*
 * 100 M u64 take sixteen cores 0.29 s; by an H200 0.09 s, of which the bus and the sort
 * are 0.02 and the rest is what these cores do, and the first time 0.33 s more
 * (gpu/NOTES.md).
 */
enum {
    BYTE_PS = 5600,      /* of one core that sorts */
    WAY_PS = 14000,      /* a number, of one core that brings it there and back */
    WAY_CORES_MAX = 16,  /* more are no faster */
    START_MS = 330,      /* of the driver */
    LOCK_MS = 10,        /* of memory, each time */
    PS_PER_MS = 1000000, /* times 1000 numbers */
};

bool gs_number_gpu_pays(size_t count, size_t width, unsigned cores, bool is_started)
{
    const size_t way_cores = cores < WAY_CORES_MAX ? cores : WAY_CORES_MAX;
    const size_t by_cores = BYTE_PS * width / cores, by_gpu = WAY_PS / way_cores;
    const size_t once_ms = is_started ? LOCK_MS : LOCK_MS + START_MS;
    /* Twice that, since neither is known well of another machine. */
    return by_cores > by_gpu &&
           count / 1000 * (by_cores - by_gpu) / PS_PER_MS >= 2 * once_ms;
}
