/* SPDX-License-Identifier: MIT */
/*
 * sample_move: the two kernels of the sample sort that go over all keys in a round. See
 * sample_types.cuh. Blocks are persistent: each takes every gridDim-th tile.
 */
#ifndef GS_GPU_SAMPLE_MOVE_CUH
#define GS_GPU_SAMPLE_MOVE_CUH

#include "gpu/sample_plan.cuh"

/* What k_count sees of the bits that vary: nothing for plain views, the bits before
 * packing for packed ones. */
template <typename V> struct gs_bit_watch {
    __device__ __forceinline__ typename V::num load(const V &view, size_t i)
    {
        return view.load(i);
    }
    __device__ __forceinline__ void report(gs_sample_control *)
    {
    }
    __device__ __forceinline__ void begin(const gs_sample_control *)
    {
    }
};

template <typename V> struct gs_bit_watch<gs_view_pack<V>> {
    using N = typename V::num;
    N reference, seen;
    __device__ __forceinline__ void narrow(uint64_t &to, gs_num128 a)
    {
        to = a.lo;
    }
    __device__ __forceinline__ void narrow(gs_num128 &to, gs_num128 a)
    {
        to = a;
    }
    __device__ __forceinline__ void begin(const gs_sample_control *control)
    {
        narrow(reference, control->reference);
        seen = reference ^ reference;
    }
    __device__ __forceinline__ uint64_t load(const gs_view_pack<V> &view, size_t i)
    {
        const N raw = view.view.load(i);
        seen = seen | (raw ^ reference);
        return gs_pack_number(*view.pack, raw);
    }
    __device__ __forceinline__ void report(gs_sample_control *control)
    {
#pragma unroll
        for (int m = 16; m > 0; m /= 2)
            seen = seen | gs_num<N>::shuffle_xor(seen, m);
        if ((threadIdx.x & 31) == 0)
            gs_num<gs_num128>::atomic_or(&control->varies_all, gs_widen(seen));
    }
};

/* One more in `counts[at]`: when the whole warp has the same place, as with sorted input,
 * one lane adds for all, or the lanes would queue up. */
__device__ __forceinline__ void gs_count_one(uint32_t *counts, uint32_t at)
{
    if (__all_sync(~0u, at == __shfl_sync(~0u, at, 0))) {
        if ((threadIdx.x & 31) == 0)
            atomicAdd(&counts[at], 32u);
    } else {
        atomicAdd(&counts[at], 1u);
    }
}

/* Keys a cell. Reads each key once, 8 at a time a thread; `tile` keys a step of a
 * persistent block. Shared: trie and counts, 40 KB. */
template <typename V, unsigned THREADS, unsigned ITEMS>
__global__ void __launch_bounds__(THREADS)
    k_count(V view, const gs_segment *segments, uint32_t segment_count,
            const uint32_t *tile_starts, uint32_t tile_keys,
            gs_trie<typename V::num> *tries, gs_sample_control *control, uint32_t form)
{
    using N = typename V::num;
    if (gs_sample_skips(control, form))
        return;
    extern __shared__ uint4 shared_words[];
    gs_trie_node<N> *const nodes = reinterpret_cast<gs_trie_node<N> *>(shared_words);
    uint16_t *const slots = reinterpret_cast<uint16_t *>(nodes + GS_TRIE_NODES_MAX);
    uint32_t *const counts = reinterpret_cast<uint32_t *>(slots + GS_TRIE_SLOTS);
    __shared__ uint32_t found;
    const uint32_t tiles = control->count_tiles;
    gs_bit_watch<V> watch;
    watch.begin(control);
    for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        __syncthreads();
        const uint32_t s =
            gs_find_segment<THREADS>(tile_starts, segment_count, tile, &found);
        gs_trie<N> *const trie = tries + s;
        const gs_trie_shared<N> map = gs_trie_load<THREADS>(trie, nodes, slots);
        const uint32_t cells = trie->cell_count;
        for (uint32_t c = threadIdx.x; c < cells; c += THREADS)
            counts[c] = 0;
        __syncthreads();
        const gs_segment segment = segments[s];
        const unsigned long long from =
            (unsigned long long)(tile - tile_starts[s]) * tile_keys;
        const uint32_t keys = (uint32_t)min(segment.count - from,
                                            (unsigned long long)tile_keys);
        const size_t origin = segment.start + from;
        uint32_t i = 0;
        for (; i + THREADS * ITEMS <= keys; i += THREADS * ITEMS) {
            N key[ITEMS];
#pragma unroll
            for (uint32_t j = 0; j < ITEMS; j++)
                key[j] = watch.load(view, origin + i + j * THREADS + threadIdx.x);
#pragma unroll
            for (uint32_t j = 0; j < ITEMS; j++)
                gs_count_one(counts, map.find(key[j]));
        }
        for (i += threadIdx.x; i < keys; i += THREADS)
            atomicAdd(&counts[map.find(watch.load(view, origin + i))], 1u);
        __syncthreads();
        for (uint32_t c = threadIdx.x; c < cells; c += THREADS) {
            const uint32_t count = counts[c];
            if (count != 0)
                atomicAdd(&trie->counts[c], (unsigned long long)count);
        }
    }
    watch.report(control);
}

template <typename N> constexpr size_t gs_count_shared_bytes()
{
    return sizeof(gs_trie_node<N>) * GS_TRIE_NODES_MAX +
           (sizeof(uint16_t) + sizeof(uint32_t)) * GS_TRIE_SLOTS;
}

/* Keys to their buckets. A tile is read once, ranked by counters in shared memory, put
 * in bucket order there and written as runs; a bucket's place in the array is reserved by
 * one global atomic a tile. The order within a bucket is any: numbers are the whole
 * record. Shared: the tile, its bucket numbers, and the trie under the tile. */
template <typename N, unsigned THREADS, unsigned ITEMS> struct gs_scatter_shared {
    static constexpr unsigned TILE = THREADS * ITEMS;
    union {
        struct {
            gs_trie_node<N> nodes[GS_TRIE_NODES_MAX];
            uint16_t slots[GS_TRIE_SLOTS];
        } trie;
        struct {
            N keys[TILE];
            uint16_t buckets[TILE];
        } tile;
    };
    unsigned long long to[GS_BUCKETS_MAX];
    uint32_t counts[GS_BUCKETS_MAX];
    uint32_t scratch[THREADS / 32 + 1], found;
};

template <typename V, typename D, unsigned THREADS, unsigned ITEMS, unsigned BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    k_scatter(V from_view, D to_view, const gs_segment *segments, uint32_t segment_count,
              const uint32_t *tile_starts, const gs_trie<typename V::num> *tries,
              const gs_segment *buckets, unsigned long long *cursors,
              const gs_sample_control *control, uint32_t form)
{
    using N = typename V::num;
    using Shared = gs_scatter_shared<N, THREADS, ITEMS>;
    static_assert(GS_BUCKETS_MAX % THREADS == 0 || THREADS > GS_BUCKETS_MAX, "bucket loop");
    if (gs_sample_skips(control, form))
        return;
    extern __shared__ uint4 shared_words[];
    Shared &shared = *reinterpret_cast<Shared *>(shared_words);
    constexpr uint32_t NONE = ~0u, TILE = Shared::TILE;
    constexpr uint32_t EACH =
        GS_BUCKETS_MAX > THREADS ? GS_BUCKETS_MAX / THREADS : 1;
    const uint32_t thread = threadIdx.x, lane = thread & 31;
    const uint32_t tiles = control->scatter_tiles;
    for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        __syncthreads();
        const uint32_t s =
            gs_find_segment<THREADS>(tile_starts, segment_count, tile, &shared.found);
        const gs_segment segment = segments[s];
        const unsigned long long from =
            (unsigned long long)(tile - tile_starts[s]) * TILE;
        const uint32_t keys = (uint32_t)min(segment.count - from, (unsigned long long)TILE);
        const size_t origin = segment.start + from;
        N key[ITEMS];
        if (keys == TILE) {
#pragma unroll
            for (uint32_t j = 0; j < ITEMS; j++)
                key[j] = from_view.load(origin + j * THREADS + thread);
        } else {
#pragma unroll
            for (uint32_t j = 0; j < ITEMS; j++)
                if (j * THREADS + thread < keys)
                    key[j] = from_view.load(origin + j * THREADS + thread);
        }
        const gs_trie_shared<N> map = gs_trie_load<THREADS>(
            tries + s, shared.trie.nodes, shared.trie.slots);
        for (uint32_t b = thread; b < GS_BUCKETS_MAX; b += THREADS)
            shared.counts[b] = 0;
        __syncthreads();
        uint32_t place[ITEMS]; /* bucket << 16 | rank in the tile's share of it */
#pragma unroll
        for (uint32_t j = 0; j < ITEMS; j++) {
            place[j] = NONE;
            const bool there = keys == TILE || j * THREADS + thread < keys;
            const uint32_t slot = there ? map.find(key[j]) : NONE;
            const uint32_t slot0 = __shfl_sync(~0u, slot, 0);
            if (__all_sync(~0u, slot == slot0 && there)) {
                if (slot & GS_TRIE_IS_VALUE) {
                    if (lane == 0)
                        to_view.store(buckets[(size_t)s * GS_BUCKETS_MAX +
                                              (slot ^ GS_TRIE_IS_VALUE)]
                                          .start,
                                      key[j]);
                } else {
                    uint32_t rank = 0;
                    if (lane == 0)
                        rank = atomicAdd(&shared.counts[slot], 32u);
                    place[j] = slot << 16 | (__shfl_sync(~0u, rank, 0) + lane);
                }
            } else if (there) {
                if (slot & GS_TRIE_IS_VALUE)
                    to_view.store(buckets[(size_t)s * GS_BUCKETS_MAX +
                                          (slot ^ GS_TRIE_IS_VALUE)]
                                      .start,
                                  key[j]);
                else
                    place[j] = slot << 16 | atomicAdd(&shared.counts[slot], 1u);
            }
        }
        __syncthreads();
        uint32_t count[EACH], sum = 0, moved;
#pragma unroll
        for (uint32_t j = 0; j < EACH; j++) {
            const uint32_t b = thread * EACH + j;
            count[j] = b < GS_BUCKETS_MAX ? shared.counts[b] : 0;
            sum += count[j];
        }
        unsigned long long reserved[EACH];
#pragma unroll
        for (uint32_t j = 0; j < EACH; j++)
            if (count[j] != 0)
                reserved[j] = atomicAdd(
                    &cursors[(size_t)s * GS_BUCKETS_MAX + thread * EACH + j],
                    (unsigned long long)count[j]);
        uint32_t before = gs_block_scan_exclusive<THREADS>(sum, shared.scratch, &moved);
#pragma unroll
        for (uint32_t j = 0; j < EACH; j++) {
            const uint32_t b = thread * EACH + j;
            if (b < GS_BUCKETS_MAX) {
                shared.counts[b] = before;
                if (count[j] != 0)
                    shared.to[b] = reserved[j] - before;
            }
            before += count[j];
        }
        __syncthreads();
#pragma unroll
        for (uint32_t j = 0; j < ITEMS; j++) {
            if (place[j] != NONE) {
                const uint32_t b = place[j] >> 16;
                const uint32_t at = shared.counts[b] + (place[j] & 0xffff);
                shared.tile.keys[at] = key[j];
                shared.tile.buckets[at] = (uint16_t)b;
            }
        }
        __syncthreads();
        if (moved == TILE) {
#pragma unroll
            for (uint32_t j = 0; j < ITEMS; j++) {
                const uint32_t i = j * THREADS + thread;
                to_view.store(shared.to[shared.tile.buckets[i]] + i, shared.tile.keys[i]);
            }
        } else {
            for (uint32_t i = thread; i < moved; i += THREADS)
                to_view.store(shared.to[shared.tile.buckets[i]] + i, shared.tile.keys[i]);
        }
    }
}

#endif
