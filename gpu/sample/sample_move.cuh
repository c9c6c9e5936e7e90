/* SPDX-License-Identifier: MIT */
/*
 * sample_move: the two kernels of the sample sort that go over all keys in a round. See
 * sample_types.cuh. Blocks are persistent: each takes every gridDim-th tile.
 */
#ifndef GS_GPU_SAMPLE_MOVE_CUH
#define GS_GPU_SAMPLE_MOVE_CUH

#include "gpu/sample/sample_types.cuh"

/* What k_count sees of the bits that vary: nothing for plain views, the bits before
 * packing for packed ones. */
template <typename V> struct gs_bit_watch {
    __device__ __forceinline__ typename V::num load(const V &view, size_t i)
    {
        return view.load_once(i);
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
    __device__ __forceinline__ void begin(const gs_sample_control *control)
    {
        reference = gs_num<N>::of_wide(control->reference);
        seen = reference ^ reference;
    }
    __device__ __forceinline__ uint64_t load(const gs_view_pack<V> &view, size_t i)
    {
        const N raw = view.view.load_once(i);
        seen = seen | (raw ^ reference);
        return gs_pack_number(*view.pack, raw);
    }
    __device__ __forceinline__ void report(gs_sample_control *control)
    {
#pragma unroll
        for (int m = 16; m > 0; m /= 2)
            seen = seen | gs_num<N>::shuffle_xor(seen, m);
        if ((threadIdx.x & 31) == 0)
            gs_num<gs_num128>::atomic_or(&control->varies_all, gs_num_widen(seen));
    }
};

/* The cells of a thread's keys, counted; see gs_scatter_rank for the warp that agrees. */
template <gs_trie_way WAY, typename N, unsigned ITEMS>
__device__ __forceinline__ void gs_count_cells(const gs_trie_shared<N> &map,
                                               uint32_t *counts, const N (&key)[ITEMS])
{
    uint32_t cell[ITEMS];
#pragma unroll
    for (uint32_t j = 0; j < ITEMS; j++)
        cell[j] = map.template find<WAY>(key[j]);
    __syncwarp();
    if (__all_sync(~0u, cell[0] == __shfl_sync(~0u, cell[0], 0))) {
#pragma unroll
        for (uint32_t j = 0; j < ITEMS; j++) {
            if (!__all_sync(~0u, cell[j] == __shfl_sync(~0u, cell[j], 0)))
                atomicAdd(&counts[cell[j]], 1u);
            else if ((threadIdx.x & 31) == 0)
                atomicAdd(&counts[cell[j]], 32u);
        }
        return;
    }
#pragma unroll
    for (uint32_t j = 0; j < ITEMS; j++)
        atomicAdd(&counts[cell[j]], 1u);
}

/* Keys a cell. Reads each key once, 8 at a time a thread; `tile` keys a step of a
 * persistent block. Shared: trie and counts, 68 KB. */
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
    uint16_t *const slots = reinterpret_cast<uint16_t *>(nodes + gs_trie_node<N>::MOST);
    uint32_t *const counts = reinterpret_cast<uint32_t *>(slots + GS_TRIE_SLOTS);
    const uint32_t tiles = control->count_tiles;
    uint32_t s = 0;
    gs_bit_watch<V> watch;
    watch.begin(control);
    for (uint32_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        __syncthreads();
        s = gs_segment_of(tile_starts, segment_count, s, tile);
        gs_trie<N> *const trie = tries + s;
        const gs_trie_shared<N> map = gs_trie_load<THREADS>(trie, nodes, slots);
        const uint32_t cells = trie->cell_count;
        const gs_trie_way way = trie->way();
        for (uint32_t c = threadIdx.x; c < cells; c += THREADS)
            counts[c] = 0;
        __syncthreads();
        const gs_segment segment = segments[s];
        const unsigned long long from =
            (unsigned long long)(tile - tile_starts[s]) * tile_keys;
        const uint32_t keys =
            (uint32_t)min(segment.count - from, (unsigned long long)tile_keys);
        const size_t origin = segment.start + from;
        uint32_t i = 0;
        for (; i + THREADS * ITEMS <= keys; i += THREADS * ITEMS) {
            N key[ITEMS];
#pragma unroll
            for (uint32_t j = 0; j < ITEMS; j++)
                key[j] = watch.load(view, origin + i + j * THREADS + threadIdx.x);
            gs_with_way(way, [&](auto w) {
                gs_count_cells<decltype(w)::value>(map, counts, key);
            });
        }
        for (i += threadIdx.x; i < keys; i += THREADS)
            atomicAdd(
                &counts[map.template find<GS_WAY_NODES>(watch.load(view, origin + i))],
                1u);
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
    return sizeof(gs_trie_node<N>) * gs_trie_node<N>::MOST +
           (sizeof(uint16_t) + sizeof(uint32_t)) * GS_TRIE_SLOTS;
}

/* The numbers of a tile in shared memory. */
template <typename V, unsigned COUNT> struct gs_tile {
    typename V::num numbers[COUNT];
    __device__ __forceinline__ typename V::num load(uint32_t i) const
    {
        return numbers[i];
    }
    __device__ __forceinline__ void store(uint32_t i, typename V::num a)
    {
        numbers[i] = a;
    }
};

/* Pairs take 12 bytes there too. */
template <unsigned COUNT> struct gs_tile<gs_view_pair, COUNT> {
    uint64_t keys[COUNT];
    uint32_t values[COUNT];
    __device__ __forceinline__ gs_num128 load(uint32_t i) const
    {
        return {keys[i] >> 32, (keys[i] << 32) | values[i]};
    }
    __device__ __forceinline__ void store(uint32_t i, gs_num128 a)
    {
        gs_view_pair{keys, values}.store(i, a);
    }
};

/* Where a tile of k_scatter lies. */
struct gs_scatter_place {
    unsigned long long origin;
    uint32_t tile, segment, keys; /* no keys: there is no such tile */
};

/* What a block of k_scatter has in shared memory. */
template <typename V, typename Shape> struct gs_scatter_shared {
    using N = typename V::num;
    static constexpr unsigned THREADS = Shape::THREADS, TILE = THREADS * Shape::ITEMS;
    static constexpr bool KEEP = sizeof(N) > 8;
    gs_tile<V, TILE> keys;
    uint16_t buckets[KEEP ? TILE : 8];
    alignas(16) gs_trie_node<N> nodes[gs_trie_node<N>::MOST];
    alignas(16) uint16_t slots[GS_TRIE_SLOTS];
    unsigned long long to[GS_BUCKETS_MAX];
    uint32_t counts[GS_BUCKETS_MAX]; /* then where they begin in the tile */
    uint32_t scratch[THREADS / 32 + 1];
    gs_scatter_place places[2]; /* of this tile and of the next one, in turn */
    gs_trie_root<N> root;
    gs_trie_way way;
    uint32_t loaded; /* the segment whose trie is here */
};

/* The bucket and the rank in the tile's share of it for every key of a thread, as
 * bucket << 16 | rank. FULL: the tile has no missing keys. Where the first keys of a warp
 * all go to one bucket, as with sorted input, a lane counts for the warp, or the lanes
 * would queue up at one counter. */
template <bool FULL, gs_trie_way WAY, typename N, unsigned THREADS, unsigned ITEMS>
__device__ __forceinline__ void
gs_scatter_rank(const gs_trie_shared<N> &map, uint32_t *counts, uint32_t keys,
                const N (&key)[ITEMS], uint32_t (&place)[ITEMS])
{
    constexpr uint32_t GROUP = ITEMS % 4 == 0 ? 4 : 2; /* look-ups in flight */
    static_assert(ITEMS % GROUP == 0, "groups");
    const auto find = [&](uint32_t j) {
        if (!FULL && (int)(j * THREADS) >= (int)(keys - threadIdx.x))
            return ~0u;
        return map.template find<WAY>(key[j]);
    };
    const uint32_t first = find(0);
    __syncwarp();
    if (FULL && __all_sync(~0u, first == __shfl_sync(~0u, first, 0))) {
#pragma unroll
        for (uint32_t j = 0; j < ITEMS; j++) {
            const uint32_t bucket = find(j);
            __syncwarp();
            if (__all_sync(~0u, bucket == __shfl_sync(~0u, bucket, 0))) {
                uint32_t rank = 0;
                if ((threadIdx.x & 31) == 0)
                    rank = atomicAdd(&counts[bucket], 32u);
                place[j] =
                    bucket << 16 | (__shfl_sync(~0u, rank, 0) + (threadIdx.x & 31));
            } else {
                place[j] = bucket << 16 | atomicAdd(&counts[bucket], 1u);
            }
        }
        return;
    }
#pragma unroll
    for (uint32_t g = 0; g < ITEMS; g += GROUP) {
        uint32_t bucket[GROUP];
#pragma unroll
        for (uint32_t j = 0; j < GROUP; j++)
            bucket[j] = find(g + j);
#pragma unroll
        for (uint32_t j = 0; j < GROUP; j++)
            if (FULL || bucket[j] != ~0u)
                place[g + j] = atomicAdd(&counts[bucket[j]], 1u);
#pragma unroll
        for (uint32_t j = 0; j < GROUP; j++)
            if (FULL || bucket[j] != ~0u)
                place[g + j] |= bucket[j] << 16;
            else
                place[g + j] = ~0u;
    }
}

/* The same for all tiles. Only full ones are looked up in the way of their trie. */
template <unsigned THREADS, typename Shared, typename N, unsigned ITEMS>
__device__ __forceinline__ void
gs_scatter_rank_tile(Shared &shared, const gs_scatter_place &here, const N (&key)[ITEMS],
                     uint32_t (&place)[ITEMS])
{
    const gs_trie_shared<N> map = {shared.root, shared.nodes, shared.slots};
    if (here.keys != THREADS * ITEMS)
        return gs_scatter_rank<false, GS_WAY_NODES, N, THREADS, ITEMS>(
            map, shared.counts, here.keys, key, place);
    gs_with_way(shared.way, [&](auto w) {
        gs_scatter_rank<true, decltype(w)::value, N, THREADS, ITEMS>(
            map, shared.counts, THREADS * ITEMS, key, place);
    });
}

/* The tile in bucket order to the array: runs of neighbours. */
template <gs_trie_way WAY, unsigned THREADS, typename N, typename Shared, typename D>
__device__ __forceinline__ void gs_scatter_write(const Shared &shared,
                                                 const gs_trie_shared<N> &map,
                                                 const D &to_view, uint32_t keys)
{
#pragma unroll 4
    for (uint32_t i = threadIdx.x; i < keys; i += THREADS) {
        const N key = shared.keys.load(i);
        const unsigned long long to =
            shared.to[Shared::KEEP ? shared.buckets[i] : map.template find<WAY>(key)];
        if (to != GS_CURSOR_IS_VALUE)
            to_view.store(to + i, key);
    }
}

/* A warp finds tile `tile`, whose segment is `s` or after it. */
__device__ __forceinline__ void
gs_scatter_find(gs_scatter_place *place, uint32_t tile, uint32_t tiles, uint32_t s,
                const gs_segment *segments, uint32_t segment_count,
                const uint32_t *tile_starts, uint32_t tile_keys)
{
    const uint32_t lane = threadIdx.x & 31;
    if (tile >= tiles) {
        if (lane == 0)
            place->keys = 0;
        return;
    }
    s = gs_segment_of(tile_starts, segment_count, s, tile);
    if (lane != 0)
        return;
    const gs_segment segment = segments[s];
    const unsigned long long from =
        (unsigned long long)(tile - tile_starts[s]) * tile_keys;
    place->origin = segment.start + from;
    place->tile = tile;
    place->segment = s;
    place->keys = (uint32_t)min(segment.count - from, (unsigned long long)tile_keys);
}

/* A thread's keys of a tile. */
template <unsigned THREADS, typename V, typename N, unsigned ITEMS>
__device__ __forceinline__ void
gs_scatter_load(const V &view, const gs_scatter_place &place, N (&key)[ITEMS])
{
    const size_t at = place.origin + threadIdx.x;
    if (place.keys == THREADS * ITEMS) {
#pragma unroll
        for (uint32_t j = 0; j < ITEMS; j++)
            key[j] = view.load(at + j * THREADS);
    } else {
        const int keys = (int)(place.keys - threadIdx.x);
#pragma unroll
        for (uint32_t j = 0; j < ITEMS; j++) {
            key[j] = N();
            if ((int)(j * THREADS) < keys)
                key[j] = view.load(at + j * THREADS);
        }
    }
}

/* The trie of the tile's segment, if it is not here yet, and counters of 0. Ends with a
 * barrier. */
template <unsigned THREADS, typename N, typename Shared>
__device__ __forceinline__ void
gs_scatter_prepare(Shared &shared, const gs_scatter_place &here, const gs_trie<N> *tries)
{
    const bool is_loaded = shared.loaded == here.segment;
    __syncthreads();
    if (!is_loaded) {
        const gs_trie_shared<N> map =
            gs_trie_load<THREADS>(tries + here.segment, shared.nodes, shared.slots);
        if (threadIdx.x == 0) {
            shared.root = map.root;
            shared.way = tries[here.segment].way();
            shared.loaded = here.segment;
        }
    }
    for (uint32_t b = threadIdx.x; b < GS_BUCKETS_MAX; b += THREADS)
        shared.counts[b] = 0;
    __syncthreads();
}

/* A thread's share of the buckets of a tile: EACH neighbours from `first` on. */
template <unsigned THREADS> struct gs_scatter_share {
    static constexpr uint32_t EACH = (GS_BUCKETS_MAX + THREADS - 1) / THREADS;
    uint32_t first, count[EACH], sum;
    unsigned long long reserved[EACH]; /* where they go in the array */

    /* Takes places in the array for the tile's keys; `cursors` are the segment's. */
    __device__ __forceinline__ void reserve(const uint32_t *counts,
                                            unsigned long long *cursors, size_t bucket0,
                                            uint32_t cursor_stride)
    {
        sum = 0;
#pragma unroll
        for (uint32_t j = 0; j < EACH; j++) {
            count[j] = first + j < GS_BUCKETS_MAX ? counts[first + j] : 0;
            sum += count[j];
            reserved[j] = 0;
            if (count[j] != 0)
                reserved[j] = atomicAdd(&cursors[(bucket0 + j) * cursor_stride],
                                        (unsigned long long)count[j]);
        }
    }
    /* Counts become places in the tile; `before` are the keys of earlier buckets. */
    __device__ __forceinline__ void begin_buckets(uint32_t *counts, uint32_t before) const
    {
#pragma unroll
        for (uint32_t j = 0; j < EACH; j++) {
            if (first + j < GS_BUCKETS_MAX)
                counts[first + j] = before;
            before += count[j];
        }
    }
    /* What is to be added to a key's place in the tile. */
    __device__ __forceinline__ void aim(unsigned long long *to,
                                        const uint32_t *counts) const
    {
#pragma unroll
        for (uint32_t j = 0; j < EACH; j++)
            if (first + j < GS_BUCKETS_MAX)
                to[first + j] = reserved[j] & GS_CURSOR_IS_VALUE
                                    ? GS_CURSOR_IS_VALUE
                                    : reserved[j] - counts[first + j];
    }
    /* The tile that reserved the first place of a value writes it. */
    template <typename Shared, typename D>
    __device__ __forceinline__ void write_values(const Shared &shared, const D &to_view,
                                                 const gs_segment *buckets,
                                                 size_t bucket0) const
    {
#pragma unroll
        for (uint32_t j = 0; j < EACH; j++) {
            if (reserved[j] & GS_CURSOR_IS_VALUE) {
                const unsigned long long at = reserved[j] & ~GS_CURSOR_IS_VALUE;
                if (at == buckets[bucket0 + j].start)
                    to_view.store(at, shared.keys.load(shared.counts[first + j]));
            }
        }
    }
};

/* A thread's keys to their places in the tile. */
template <typename Shared, typename N, unsigned ITEMS>
__device__ __forceinline__ void gs_scatter_order(Shared &shared, const N (&key)[ITEMS],
                                                 const uint32_t (&place)[ITEMS])
{
#pragma unroll
    for (uint32_t j = 0; j < ITEMS; j++) {
        if (place[j] != ~0u) {
            const uint32_t b = place[j] >> 16;
            const uint32_t at = shared.counts[b] + (place[j] & 0xffff);
            shared.keys.store(at, key[j]);
            if (Shared::KEEP)
                shared.buckets[at] = (uint16_t)b;
        }
    }
}

/* Keys to their buckets. A tile is read once, ranked by counters in shared memory, put
 * in bucket order there and written as runs; a bucket's place in the array is reserved by
 * one global atomic a tile. The order within a bucket is any: numbers are the whole
 * record. A narrow key's bucket is looked up once more when it is written: neighbours
 * then have the same way through the trie, which costs less than to keep it. The keys of
 * the next tile are on their way to registers while those of this one are written, and
 * all else that a block knows between two phases is in shared memory, to leave room for
 * them. */
template <typename V, typename D, typename Shape>
__global__ void __launch_bounds__(Shape::THREADS, Shape::BLOCKS)
    k_scatter(V from_view, D to_view, const gs_segment *segments, uint32_t segment_count,
              const uint32_t *tile_starts, const gs_trie<typename V::num> *tries,
              const gs_segment *buckets, unsigned long long *cursors,
              uint32_t cursor_stride, const gs_sample_control *control, uint32_t form)
{
    using N = typename V::num;
    using Shared = gs_scatter_shared<V, Shape>;
    if (gs_sample_skips(control, form))
        return;
    extern __shared__ uint4 shared_words[];
    Shared &shared = *reinterpret_cast<Shared *>(shared_words);
    constexpr unsigned THREADS = Shape::THREADS, ITEMS = Shape::ITEMS;
    constexpr uint32_t TILE = Shared::TILE;
    const auto find_tile = [&](gs_scatter_place *place, uint32_t tile, uint32_t segment) {
        gs_scatter_find(place, tile, control->scatter_tiles, segment, segments,
                        segment_count, tile_starts, TILE);
    };
    if (threadIdx.x < 32)
        find_tile(&shared.places[0], blockIdx.x, 0);
    if (threadIdx.x == 0)
        shared.loaded = ~0u;
    __syncthreads();
    N key[ITEMS];
    gs_scatter_load<THREADS>(from_view, shared.places[0], key);
    for (uint32_t turn = 0;; turn ^= 1) {
        const gs_scatter_place &here = shared.places[turn];
        gs_scatter_place &next = shared.places[turn ^ 1];
        if (here.keys == 0)
            return;
        gs_scatter_prepare<THREADS>(shared, here, tries);
        uint32_t place[ITEMS];
        gs_scatter_rank_tile<THREADS>(shared, here, key, place);
        __syncthreads();
        /* Places in the array are reserved, and needed only after those in the tile. */
        gs_scatter_share<THREADS> share;
        share.first = threadIdx.x * share.EACH;
        const size_t bucket0 = (size_t)here.segment * GS_BUCKETS_MAX + share.first;
        share.reserve(shared.counts, cursors, bucket0, cursor_stride);
        if (threadIdx.x < 32)
            find_tile(&next, here.tile + gridDim.x, here.segment);
        uint32_t all;
        const uint32_t before =
            gs_block_scan_exclusive<THREADS>(share.sum, shared.scratch, &all);
        share.begin_buckets(shared.counts, before);
        __syncthreads();
        gs_scatter_order(shared, key, place);
        share.aim(shared.to, shared.counts);
        __syncthreads();
        share.write_values(shared, to_view, buckets, bucket0);
        if (next.keys != 0)
            gs_scatter_load<THREADS>(from_view, next, key);
        const gs_trie_shared<N> map = {shared.root, shared.nodes, shared.slots};
        gs_with_way(shared.way, [&](auto w) {
            gs_scatter_write<decltype(w)::value, THREADS>(shared, map, to_view,
                                                          here.keys);
        });
    }
}

#endif
