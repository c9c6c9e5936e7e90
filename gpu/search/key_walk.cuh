/* SPDX-License-Identifier: MIT */
/*
 * key_walk: the kernels that search a sorted array of 64-bit keys.
 *
 * Binary search gives a query to a thread, which halves the array 25 times for 36 million
 * keys; each step waits for the one before it, and no two threads of a warp read the same
 * line. p-ary search gives a query to a group of p threads: in each step thread i reads
 * the i-th of p separators, a ballot counts those that are less, and the array shrinks to
 * 1 / (p + 1). Steps are few, but each reads p lines that lie far apart:
 *
 *      p = 4      . . . . s . . . . s . . . . s . . . . s . . . .       20 keys
 *                                 |  less  |
 *                                  s  s  s  s                          then 4
 *
 * In the tree the separators of a step lie together, so that a step reads one line (or
 * half, or two). The array itself is the lowest level; every NODE-th key of a level is a
 * key of the level above, the greatest of its node:
 *
 *      level 2    19 .                      node k of a level is below
 *      level 1    5 11 19 | . . .           key k of the level above
 *      level 0    1 3 5 | 7 9 11 | 13 17 19 | 23 . .        (. is the greatest number)
 *
 * A query descends from node k to node k * NODE + c, where c of the node's keys are less.
 * Unused keys are the greatest number, which is less than none, and each level has at
 * least one, so that a descent ends inside the level below whatever the keys are.
 */
#ifndef GS_GPU_KEY_WALK_CUH
#define GS_GPU_KEY_WALK_CUH

#include <stddef.h>
#include <stdint.h>

enum {
    GS_KEY_LEVELS_MAX = 17, /* 2^32 keys in nodes of four */
    GS_KEY_STEPS_MAX = 16,  /* 2^32 keys cut in five */
    GS_KEY_UNUSED = 0xff,   /* every byte of a key that is not there */
};

/* Queries in memory of the device or the host; likewise ranks. */
struct gs_key_batch {
    const uint64_t *queries;
    uint32_t *ranks;
    uint32_t count;
};

/* Which of the warp's votes are those of this thread's group, at the low end. */
template <int LANES> static __device__ __forceinline__ uint32_t gs_group_votes(bool vote)
{
    const uint32_t all = __ballot_sync(~0u, vote);
    if (LANES == 32)
        return all;
    return (all >> (threadIdx.x % 32 / LANES * LANES)) & ((1u << (LANES % 32)) - 1);
}

/* --- binary search ----------------------------------------------------------------- */

/*
 * A thread a query; log2(n) dependent loads of 8 bytes, the last two of one sector.
 */
static __global__ void k_search_binary(const uint64_t *__restrict__ keys, uint32_t n,
                                       gs_key_batch batch)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= batch.count)
        return;
    const uint64_t query = batch.queries[i];
    uint32_t at = 0;
    for (uint32_t left = n; left > 0;) {
        const uint32_t half = left / 2;
        const bool goes_right = __ldg(keys + at + half) < query;
        at = goes_right ? at + half + 1 : at;
        left = goes_right ? left - half - 1 : half;
    }
    batch.ranks[i] = at;
}

/* --- searches by groups of threads ------------------------------------------------- */

/*
 * A warp takes 32 / LANES * ROUNDS queries: it loads them together, each group walks
 * with ROUNDS of them at once so that as many loads are in flight, and it stores the
 * ranks together. Many rounds for throughput, one for the quickest answer.
 */

/* Separators at lo + part - 1, lo + 2 * part - 1, ...; a step leaves part - 1 keys. How
 * the parts shrink follows from n alone. */
template <int WIDTH> struct gs_pary_walk {
    enum { LANES = WIDTH };
    struct view {
        const uint64_t *keys;
        uint32_t n, steps;
        uint32_t parts[GS_KEY_STEPS_MAX];
    };
    template <int ROUNDS>
    static __device__ __forceinline__ void
    walk(const view &v, const uint64_t (&query)[ROUNDS], uint32_t (&at)[ROUNDS])
    {
        const uint32_t lane = threadIdx.x % LANES;
        for (uint32_t step = 0; step < v.steps; step++) {
            const uint64_t part = v.parts[step], mine = (lane + 1) * part - 1;
            uint64_t key[ROUNDS];
#pragma unroll
            for (int r = 0; r < ROUNDS; r++)
                key[r] = at[r] + mine < v.n ? __ldg(v.keys + at[r] + mine) : ~0ull;
#pragma unroll
            for (int r = 0; r < ROUNDS; r++)
                at[r] +=
                    (uint32_t)part * __popc(gs_group_votes<LANES>(key[r] < query[r]));
        }
    }
};

/* A node is read with 16 bytes a thread. */
template <int NODE> struct gs_tree_walk {
    enum { LANES = NODE / 2 };
    struct view {
        const uint64_t *keys;
        uint32_t levels;
        uint64_t begins[GS_KEY_LEVELS_MAX]; /* of the levels, in keys; 0 is the array */
    };
    template <int ROUNDS>
    static __device__ __forceinline__ void
    walk(const view &v, const uint64_t (&query)[ROUNDS], uint32_t (&at)[ROUNDS])
    {
        const uint32_t lane = threadIdx.x % LANES;
        for (int level = (int)v.levels - 1; level >= 0; level--) {
            const ulonglong2 *const nodes =
                reinterpret_cast<const ulonglong2 *>(v.keys + v.begins[level]) + lane;
            ulonglong2 pair[ROUNDS];
#pragma unroll
            for (int r = 0; r < ROUNDS; r++)
                pair[r] = __ldg(nodes + (size_t)at[r] * LANES);
#pragma unroll
            for (int r = 0; r < ROUNDS; r++)
                at[r] = at[r] * NODE +
                        __popc(gs_group_votes<LANES>(pair[r].x < query[r])) +
                        __popc(gs_group_votes<LANES>(pair[r].y < query[r]));
        }
    }
};

template <typename W, int ROUNDS>
static __global__ void k_search_groups(const __grid_constant__ typename W::view view,
                                       gs_key_batch batch)
{
    constexpr uint32_t GROUPS = 32 / W::LANES, QUERIES = GROUPS * ROUNDS;
    static_assert(QUERIES <= 32, "one load of the warp");
    const uint32_t lane = threadIdx.x % 32;
    const uint32_t warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    const uint32_t mine = warp * QUERIES + lane;
    const bool has_query = lane < QUERIES && mine < batch.count;
    const uint64_t loaded = has_query ? batch.queries[mine] : 0;
    uint64_t query[ROUNDS];
    uint32_t at[ROUNDS], rank = 0;
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        query[r] = __shfl_sync(~0u, loaded, r * GROUPS + lane / W::LANES);
        at[r] = 0;
    }
    W::walk(view, query, at);
#pragma unroll
    for (int r = 0; r < ROUNDS; r++) {
        const uint32_t of_group = __shfl_sync(~0u, at[r], lane % GROUPS * W::LANES);
        rank = lane / GROUPS == (uint32_t)r ? of_group : rank;
    }
    if (has_query)
        batch.ranks[mine] = rank;
}

/* The level above: the last key of every node. A thread a key, 8 bytes read of each line
 * or two, 8 written. `above` has room up to the end of its last node, filled with
 * GS_KEY_UNUSED. */
static __global__ void k_build_level(const uint64_t *__restrict__ level, uint64_t *above,
                                     uint32_t node_keys, uint32_t nodes)
{
    const uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < nodes)
        above[i] = level[(size_t)i * node_keys + node_keys - 1];
}

static __global__ void k_search_nothing()
{
}

/* Holds the stream back for so many nanoseconds. */
static __global__ void k_search_later(uint32_t ns)
{
    uint64_t begin, now;
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(begin));
    do {
        asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now));
    } while (now - begin < ns);
}

#endif
