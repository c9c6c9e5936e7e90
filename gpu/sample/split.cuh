/* SPDX-License-Identifier: MIT */
/*
 * split: the kernels of the sample sorts and the quicksort that the papers compare with.
 *
 * A level cuts every segment by splitters in two phases. First each tile of 2048 numbers
 * (256 threads, 8 each) counts its numbers per bucket; a prefix sum over the counts of a
 * segment, bucket by bucket and in each tile by tile, says where each tile's share of
 * each bucket goes; then each tile finds the bucket numbers again, which costs less than
 * to keep them, and writes:
 *
 *     splitters      s0      s1      s2
 *     buckets    0   1   2   3   4   5   6      odd: equal to a splitter, done
 *
 * Buckets that fit a block are sorted by k_local, the others are the next level. Places
 * are of a type P that counts all numbers: 64 bits past 2^32 of them.
 */
#ifndef GS_GPU_SPLIT_CUH
#define GS_GPU_SPLIT_CUH

#include "gpu/sample/sample_build.cuh"

enum {
    GS_SPLITTERS_MAX = 127,
    GS_SPLIT_BUCKETS_MAX = 2 * GS_SPLITTERS_MAX + 1,
    GS_SPLIT_THREADS = 256,
    GS_SPLIT_ITEMS = 8,
    GS_SPLIT_TILE = GS_SPLIT_THREADS * GS_SPLIT_ITEMS,
    GS_SPLIT_SAMPLE_MAX = 4096,
    GS_SPLIT_FILL_MIN = 65, /* equal numbers from which k_fill writes them */
};

/* One block a segment: its sample, sorted; every (sample / (splitters + 1))-th of it is a
 * splitter. */
template <typename V>
__global__ void __launch_bounds__(512)
    k_split_pick(V view, const gs_segment *segments, uint32_t splitter_count,
                 uint32_t sample_each, uint32_t seed, typename V::num *splitters)
{
    using N = typename V::num;
    extern __shared__ uint4 shared_words[];
    N *const sample = reinterpret_cast<N *>(shared_words);
    const gs_segment segment = segments[blockIdx.x];
    const uint32_t want = (splitter_count + 1) * sample_each;
    const uint32_t parts = segment.count < want ? (uint32_t)segment.count : want;
    const unsigned long long part = segment.count / parts;
    for (uint32_t i = threadIdx.x; i < parts; i += 512)
        sample[i] =
            view.load(segment.start + gs_sample_place(i, part, seed + blockIdx.x));
    gs_block_sort_network<512>(sample, parts);
    for (uint32_t i = threadIdx.x; i < splitter_count; i += 512)
        splitters[(size_t)blockIdx.x * GS_SPLITTERS_MAX + i] =
            sample[(uint64_t)(i + 1) * parts / (splitter_count + 1)];
}

/* One block: the first tile of each segment, and how many there are. */
static __global__ void __launch_bounds__(1024)
    k_split_tile(const gs_segment *segments, uint32_t segment_count,
                 uint32_t *tile_starts)
{
    __shared__ uint32_t scratch[33];
    uint32_t base = 0;
    for (uint32_t s0 = 0; s0 < segment_count; s0 += 1024) {
        const uint32_t s = s0 + threadIdx.x;
        const uint32_t tiles =
            s < segment_count
                ? (uint32_t)((segments[s].count + GS_SPLIT_TILE - 1) / GS_SPLIT_TILE)
                : 0;
        uint32_t total;
        __syncthreads();
        const uint32_t before = gs_block_scan_exclusive<1024>(tiles, scratch, &total);
        if (s < segment_count)
            tile_starts[s] = base + before;
        base += total;
    }
    if (threadIdx.x == 0)
        tile_starts[segment_count] = base;
}

/* What a tile's block needs to know. */
template <typename N> struct gs_split_tile {
    gs_segment segment;
    uint32_t index, tile_in_segment, tiles_of_segment, keys;
    size_t origin, table; /* the tile's first number; the segment's first count */

    /* Finds the tile's segment and loads its splitters. False: there is no such tile. */
    __device__ __forceinline__ bool load(const gs_segment *segments,
                                         uint32_t segment_count,
                                         const uint32_t *tile_starts, const N *splitters,
                                         uint32_t splitter_count, N *shared_splitters)
    {
        if (blockIdx.x >= tile_starts[segment_count])
            return false;
        uint32_t low = 0, high = segment_count - 1;
        while (low < high) {
            const uint32_t middle = (low + high + 1) / 2;
            if (tile_starts[middle] <= blockIdx.x)
                low = middle;
            else
                high = middle - 1;
        }
        index = low;
        segment = segments[low];
        tile_in_segment = blockIdx.x - tile_starts[low];
        tiles_of_segment = tile_starts[low + 1] - tile_starts[low];
        const size_t from = (size_t)tile_in_segment * GS_SPLIT_TILE;
        origin = segment.start + from;
        keys = (uint32_t)min(segment.count - from, (unsigned long long)GS_SPLIT_TILE);
        table = (size_t)tile_starts[low] * (2 * splitter_count + 1);
        for (uint32_t i = threadIdx.x; i < splitter_count; i += GS_SPLIT_THREADS)
            shared_splitters[i] = splitters[(size_t)low * GS_SPLITTERS_MAX + i];
        return true;
    }
};

/* Splitters below the key, doubled, and one more if the next one equals it. */
template <typename N>
__device__ __forceinline__ uint32_t gs_split_bucket(const N *splitters, uint32_t count,
                                                    N key)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        const uint32_t middle = (low + high) / 2;
        if (splitters[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    return 2 * low + (low < count && splitters[low] == key ? 1 : 0);
}

template <typename V>
__global__ void __launch_bounds__(GS_SPLIT_THREADS)
    k_split_count(V view, const gs_segment *segments, uint32_t segment_count,
                  const uint32_t *tile_starts, const typename V::num *splitters,
                  uint32_t splitter_count, uint32_t *table)
{
    using N = typename V::num;
    __shared__ N shared_splitters[GS_SPLITTERS_MAX];
    __shared__ uint32_t counts[GS_SPLIT_BUCKETS_MAX];
    gs_split_tile<N> tile;
    if (!tile.load(segments, segment_count, tile_starts, splitters, splitter_count,
                   shared_splitters))
        return;
    const uint32_t buckets = 2 * splitter_count + 1;
    for (uint32_t b = threadIdx.x; b < buckets; b += GS_SPLIT_THREADS)
        counts[b] = 0;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < tile.keys; i += GS_SPLIT_THREADS)
        atomicAdd(&counts[gs_split_bucket(shared_splitters, splitter_count,
                                          view.load(tile.origin + i))],
                  1u);
    __syncthreads();
    for (uint32_t b = threadIdx.x; b < buckets; b += GS_SPLIT_THREADS)
        table[tile.table + (size_t)b * tile.tiles_of_segment + tile.tile_in_segment] =
            counts[b];
}

template <typename V, typename P>
__global__ void __launch_bounds__(GS_SPLIT_THREADS)
    k_split_move(V from, V to, const gs_segment *segments, uint32_t segment_count,
                 const uint32_t *tile_starts, const typename V::num *splitters,
                 uint32_t splitter_count, const P *places)
{
    using N = typename V::num;
    __shared__ N shared_splitters[GS_SPLITTERS_MAX];
    __shared__ P next[GS_SPLIT_BUCKETS_MAX];
    gs_split_tile<N> tile;
    if (!tile.load(segments, segment_count, tile_starts, splitters, splitter_count,
                   shared_splitters))
        return;
    const uint32_t buckets = 2 * splitter_count + 1;
    const P first = places[tile.table];
    for (uint32_t b = threadIdx.x; b < buckets; b += GS_SPLIT_THREADS)
        next[b] = places[tile.table + (size_t)b * tile.tiles_of_segment +
                         tile.tile_in_segment] -
                  first;
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < tile.keys; i += GS_SPLIT_THREADS) {
        const N key = from.load(tile.origin + i);
        const uint32_t b = gs_split_bucket(shared_splitters, splitter_count, key);
        to.store(tile.segment.start + atomicAdd(&next[b], (P)1), key);
    }
}

/* One block a segment: its buckets become work, but for a few equal numbers, which are
 * written to `done` at once. */
template <typename V, typename P>
__global__ void __launch_bounds__(GS_SPLIT_THREADS)
    k_split_next(V view, V done, const gs_segment *segments, const uint32_t *tile_starts,
                 uint32_t splitter_count, const P *places, uint32_t capacity,
                 gs_leaf *leaves, gs_fill<typename V::num> *fills, gs_segment *next,
                 gs_sample_control *control)
{
    const gs_segment segment = segments[blockIdx.x];
    const uint32_t buckets = 2 * splitter_count + 1, b = threadIdx.x;
    if (b >= buckets)
        return;
    const uint32_t tiles = tile_starts[blockIdx.x + 1] - tile_starts[blockIdx.x];
    const size_t table = (size_t)tile_starts[blockIdx.x] * buckets;
    const P first = places[table];
    const P from = places[table + (size_t)b * tiles] - first;
    const P to = b + 1 < buckets ? places[table + (size_t)(b + 1) * tiles] - first
                                 : (P)segment.count;
    const P count = to - from;
    const unsigned long long start = segment.start + from;
    if (count == 0)
        return;
    if (b % 2 == 1 && count < GS_SPLIT_FILL_MIN) {
        const typename V::num value = view.load(start);
        for (uint32_t i = 0; i < count; i++)
            done.store(start + i, value);
    } else if (b % 2 == 1) {
        fills[atomicAdd(&control->fill_count, 1u)] = {view.load(start), start, count};
    } else if (count <= capacity) {
        leaves[atomicAdd(&control->leaf_count, 1u)] = {start, (uint32_t)count, 0};
    } else {
        next[atomicAdd(&control->oversize_count, 1u)] = {start, count, 0, 0};
        atomicMax(&control->oversize_most, (unsigned long long)count);
    }
}

#endif
