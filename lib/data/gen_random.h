/* SPDX-License-Identifier: MIT */
/*
 * gen_random: the random numbers of the generators, the same on every machine.
 *
 * Each slice of records starts its own sequence from (seed, slice), so slices can be made
 * in any order and by any number of threads. The step is splitmix64: a counter and a
 * mixing function, 2^64 numbers long.
 */
#ifndef GS_LIB_DATA_GEN_RANDOM_H
#define GS_LIB_DATA_GEN_RANDOM_H

#include <stdint.h>

__extension__ typedef unsigned __int128 gs_gen_u128;

typedef struct gs_gen_random {
    uint64_t state;
} gs_gen_random;

static inline uint64_t gs_gen_mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static inline gs_gen_random gs_gen_random_start(uint64_t seed, uint64_t number)
{
    const uint64_t a = gs_gen_mix(seed + UINT64_C(0x9e3779b97f4a7c15));
    return (gs_gen_random){gs_gen_mix(a ^ gs_gen_mix(number * 2 + 1))};
}

static inline uint64_t gs_gen_next(gs_gen_random *r)
{
    return gs_gen_mix(r->state += UINT64_C(0x9e3779b97f4a7c15));
}

/* The top part of x * n: x scaled down to 0 .. n - 1. */
static inline uint64_t gs_gen_scale(uint64_t x, uint64_t n)
{
    return (uint64_t)((gs_gen_u128)x * n >> 64);
}

static inline uint64_t gs_gen_below(gs_gen_random *r, uint64_t n)
{
    return gs_gen_scale(gs_gen_next(r), n);
}

/* From [0, 1), with 53 random bits: exact, so the same everywhere. */
static inline double gs_gen_unit(gs_gen_random *r)
{
    return (double)(gs_gen_next(r) >> 11) * (1.0 / 9007199254740992.0);
}

#endif
