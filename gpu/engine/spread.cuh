/* SPDX-License-Identifier: MIT */
/*
 * spread: the kernels that cut a GPU's keys into one range for each GPU.
 *
 * A warp looks at a chunk of neighbouring keys, counts by ballots how many go where, lane
 * b for range b, and takes room for them with one atomic addition a range. There are few
 * ranges, so neighbours that stay together are written together.
 */
#ifndef GS_GPU_SPREAD_CUH
#define GS_GPU_SPREAD_CUH

#include "gpu/engine/engine.h"
#include "gpu/device/key.cuh"

enum { GS_SPREAD_THREADS = 256 };

/* A key, and where it stands in the batch. */
struct gs_spread_mark {
    gs_num128 number; /* of 64 bits: in `lo` */
    uint64_t index;
};

/* The first marks of the ranges but the first, in ascending order. */
template <typename N> struct gs_splitters {
    uint32_t range_count;
    N numbers[GS_GPU_DEVICES_MAX - 1];
    uint64_t indices[GS_GPU_DEVICES_MAX - 1];
};

template <typename N>
static __device__ __forceinline__ uint32_t gs_spread_range(const gs_splitters<N> &s, N a,
                                                           uint64_t index)
{
    uint32_t range = 0;
    for (uint32_t i = 0; i + 1 < s.range_count; i++)
        range += s.numbers[i] < a || (s.numbers[i] == a && s.indices[i] <= index);
    return range;
}

/* One mark a thread, at a random place of `keys`, which begin at `first` of the batch. */
template <typename V>
__global__ void k_take_marks(V keys, uint64_t count, uint64_t first, uint64_t seed,
                             uint32_t mark_count, gs_spread_mark *marks)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= mark_count)
        return;
    uint64_t r = first + seed * UINT64_C(0x9e3779b97f4a7c15) + i;
    r = (r ^ (r >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    r = (r ^ (r >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    r ^= r >> 32;
    const uint64_t place = __umul64hi(r, count);
    marks[i] = {gs_num_widen(keys.load(place)), first + place};
}

/* Adds to counts[b] how many keys go to range b. Reads each key once; any grid. */
template <typename V>
__global__ void
k_count_ranges(V keys, uint64_t count, uint64_t first,
               const __grid_constant__ gs_splitters<typename V::num> splitters,
               unsigned long long *counts)
{
    const uint32_t lane = threadIdx.x & 31, ranges = splitters.range_count;
    const uint64_t warp = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x;
    unsigned long long mine = 0;
    for (uint64_t at = warp * 32; at < count; at += step) {
        const uint64_t i = at + lane;
        const uint32_t range =
            i < count ? gs_spread_range(splitters, keys.load(i), first + i) : ranges;
        for (uint32_t b = 0; b < ranges; b++) {
            const uint32_t here = __ballot_sync(~0u, range == b);
            mine += lane == b ? (unsigned)__popc(here) : 0u;
        }
    }
    if (lane < ranges && mine != 0)
        atomicAdd(&counts[lane], mine);
}

/* Writes each key to its range in `to`; cursors[b] is where range b goes on, and ends up
 * at its end. Reads and writes each key once; a warp's chunk is 32 * ITEMS keys. */
template <typename V, int ITEMS>
__global__ void
k_part_ranges(V keys, V to, uint64_t count, uint64_t first,
              const __grid_constant__ gs_splitters<typename V::num> splitters,
              unsigned long long *cursors)
{
    const uint32_t lane = threadIdx.x & 31, ranges = splitters.range_count;
    const uint32_t below = (1u << lane) - 1;
    const uint64_t warp = ((uint64_t)blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const uint64_t step = (uint64_t)gridDim.x * blockDim.x * ITEMS;
    for (uint64_t at = warp * 32 * ITEMS; at < count; at += step) {
        typename V::num a[ITEMS];
        uint32_t range[ITEMS];
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
            const uint64_t i = at + (uint32_t)k * 32 + lane;
            range[k] = ranges;
            if (i < count) {
                a[k] = keys.load(i);
                range[k] = gs_spread_range(splitters, a[k], first + i);
            }
        }
        unsigned long long mine = 0;
        for (uint32_t b = 0; b < ranges; b++) {
            unsigned all = 0;
#pragma unroll
            for (int k = 0; k < ITEMS; k++)
                all += (unsigned)__popc(__ballot_sync(~0u, range[k] == b));
            mine = lane == b ? all : mine;
        }
        if (lane < ranges && mine != 0)
            mine = atomicAdd(&cursors[lane], mine);
        for (uint32_t b = 0; b < ranges; b++) {
            unsigned long long next = __shfl_sync(~0u, mine, (int)b);
#pragma unroll
            for (int k = 0; k < ITEMS; k++) {
                const uint32_t here = __ballot_sync(~0u, range[k] == b);
                if (range[k] == b)
                    to.store(next + (unsigned)__popc(here & below), a[k]);
                next += (unsigned)__popc(here);
            }
        }
    }
}

#endif
