/* SPDX-License-Identifier: MIT */
/*
 * share: the arithmetic of plans that share memory out.
 */
#ifndef GS_LIB_BASE_SHARE_H
#define GS_LIB_BASE_SHARE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/machine.h"

static inline size_t gs_clamp(size_t x, size_t least, size_t most)
{
    return x < least ? least : x > most ? most : x;
}

/* The largest power of two that is not greater; of 0, 1. */
static inline size_t gs_power_below(size_t x)
{
    size_t p = 1;
    while (p <= x / 2)
        p *= 2;
    return p;
}

/* How many threads a job has that was given --parallel, or 0 for every core. */
static inline unsigned gs_share_workers(unsigned threads)
{
    enum { WORKERS_MAX = 256 };
    return (unsigned)gs_clamp(threads ? threads : gs_machine_cores(), 1, WORKERS_MAX);
}

/* Bytes of input from which a GPU is sooner than so many cores: what it saves has to pay
 * for its start, and goes with what the cores take for a byte, divided by their number.
 */
static inline uint64_t gs_share_device_bytes_min(unsigned mib_a_core, unsigned cores)
{
    enum { CORES_MIN = 4 };
    return (uint64_t)mib_a_core * (cores > CORES_MIN ? cores : CORES_MIN) << 20;
}

#endif
