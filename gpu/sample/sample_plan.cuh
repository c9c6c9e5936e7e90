/* SPDX-License-Identifier: MIT */
/*
 * sample_plan: the small kernels of the sample sort that decide by counts where keys go.
 * They touch no key but those of one value. See sample_types.cuh.
 */
#ifndef GS_GPU_SAMPLE_PLAN_CUH
#define GS_GPU_SAMPLE_PLAN_CUH

#include "gpu/sample/sample_types.cuh"

/* One block: cuts segments into tiles for k_count and k_scatter. A segment of one value
 * has none; its value goes over to the next array here. */
template <typename V, typename D, unsigned THREADS>
__global__ void __launch_bounds__(THREADS)
    k_tile(V from, D to, const gs_segment *segments, uint32_t segment_count,
           uint32_t count_tile, uint32_t scatter_tile, uint32_t *count_starts,
           uint32_t *scatter_starts, gs_sample_control *control, uint32_t form)
{
    if (gs_sample_skips(control, form))
        return;
    __shared__ uint32_t scratch[THREADS / 32 + 1];
    const uint32_t s = threadIdx.x;
    unsigned long long count = 0;
    if (s < segment_count) {
        count = segments[s].count;
        if (segments[s].is_value && count != 0) {
            to.store(segments[s].start, from.load(segments[s].start));
            count = 0;
        }
    }
    uint32_t total;
    const uint32_t a = gs_block_scan_exclusive<THREADS>(
        (uint32_t)((count + count_tile - 1) / count_tile), scratch, &total);
    if (s < segment_count)
        count_starts[s] = a;
    if (s == 0) {
        count_starts[segment_count] = total;
        control->count_tiles = total;
    }
    __syncthreads();
    const uint32_t b = gs_block_scan_exclusive<THREADS>(
        (uint32_t)((count + scatter_tile - 1) / scatter_tile), scratch, &total);
    if (s < segment_count)
        scatter_starts[s] = b;
    if (s == 0) {
        scatter_starts[segment_count] = total;
        control->scatter_tiles = total;
    }
}

/* A warp cuts `cells` cells into buckets as full as they can be without more than
 * `capacity` keys; larger cells get their own. `before` has the keys before each cell,
 * and one more entry; sets the bits of the cells that begin a bucket, in words that were
 * 0. */
__device__ __forceinline__ void gs_plan_full(const uint32_t *before, uint32_t cells,
                                             uint32_t capacity, uint32_t *begins)
{
    const uint32_t lane = threadIdx.x & 31;
    for (uint32_t c = 0; c < cells;) {
        if (lane == 0)
            begins[c / 32] |= 1u << (c % 32);
        const uint32_t most = before[c] + min(capacity, ~0u - before[c]);
        uint32_t end = c + 1; /* the bucket's */
        while (end < cells) {
            const uint32_t k = end + 1 + lane;
            const bool fits = k <= cells && before[k] <= most;
            const uint32_t more = (uint32_t)__popc(__ballot_sync(~0u, fits));
            end += more;
            if (more < 32)
                break;
        }
        c = end;
    }
}

/* What a block of k_plan has in shared memory. */
template <unsigned THREADS> struct gs_plan_shared {
    union {
        struct {
            uint16_t bucket_of[GS_TRIE_SLOTS];
            unsigned long long starts[GS_BUCKETS_MAX + 1];
            uint32_t is_value[GS_BUCKETS_MAX];
        };
        uint32_t cells_before[GS_TRIE_SLOTS + 1];
    };
    uint32_t begins[GS_TRIE_SLOTS / 32];
    unsigned long long scratch[THREADS / 32 + 1];
    uint32_t flag_scratch[THREADS / 32 + 1];
    uint8_t heavy_last[THREADS];
    unsigned long long quotient_last[THREADS];
};

/* How many keys a bucket may have, and from how many a cell gets its own. */
struct gs_plan_limits {
    unsigned long long wide, heavy_cell, value_cell;

    __device__ __forceinline__ void widen()
    {
        wide += wide / 4 + 1;
        heavy_cell += heavy_cell / 4 + 1;
        value_cell += value_cell / 2 + 1;
    }
};

/* A thread's cells: EACH neighbours. */
template <unsigned THREADS, typename N> struct gs_plan_cells {
    static constexpr uint32_t EACH = GS_TRIE_SLOTS / THREADS;
    static_assert(EACH <= 32, "flags of a thread in one word");
    uint32_t cells;                   /* of all threads */
    uint32_t values;                  /* a bit for each that is one value */
    unsigned long long counts[EACH];  /* keys of each */
    unsigned long long before, total; /* keys before the first, and of all cells */

    static __device__ __forceinline__ uint32_t cell(uint32_t j)
    {
        return threadIdx.x * EACH + j;
    }
    __device__ __forceinline__ void load(const gs_trie<N> *trie,
                                         unsigned long long *scratch)
    {
        unsigned long long sum = 0;
        cells = trie->cell_count;
        values = 0;
#pragma unroll
        for (uint32_t j = 0; j < EACH; j++) {
            const uint32_t c = cell(j);
            counts[j] = c < cells ? trie->counts[c] : 0;
            sum += counts[j];
            values |= (trie->is_value[c / 32] >> (c % 32) & 1) << j;
        }
        before = gs_block_scan_exclusive<THREADS>(sum, scratch, &total);
    }
    __device__ __forceinline__ bool is_value(uint32_t j) const
    {
        return (values >> j) & 1;
    }
    /* A bit for each cell that begins a bucket: where the count passes a multiple of
     * `wide`, and around cells that are heavy on their own. */
    __device__ __forceinline__ uint32_t begin_even(gs_plan_shared<THREADS> &shared,
                                                   const gs_plan_limits &limits) const
    {
        uint32_t heavies = 0, flags = 0;
        unsigned long long at = before;
        __syncthreads();
#pragma unroll
        for (uint32_t j = 0; j < EACH; j++) {
            const bool heavy = counts[j] > limits.heavy_cell ||
                               (is_value(j) && counts[j] > limits.value_cell);
            heavies |= (heavy ? 1u : 0u) << j;
            if (j == EACH - 1) {
                shared.heavy_last[threadIdx.x] = heavy;
                shared.quotient_last[threadIdx.x] = at / limits.wide;
            }
            at += counts[j];
        }
        __syncthreads();
        const uint32_t thread = threadIdx.x;
        bool heavy_before = thread == 0 || shared.heavy_last[thread - 1];
        unsigned long long quotient_before =
            thread == 0 ? 0 : shared.quotient_last[thread - 1];
        at = before;
#pragma unroll
        for (uint32_t j = 0; j < EACH; j++) {
            const uint32_t c = cell(j);
            const bool heavy = (heavies >> j) & 1;
            const unsigned long long quotient = at / limits.wide;
            const bool starts_here = c < cells && (c == 0 || heavy || heavy_before ||
                                                   quotient != quotient_before);
            flags |= (starts_here ? 1u : 0u) << j;
            heavy_before = heavy;
            quotient_before = quotient;
            at += counts[j];
        }
        return flags;
    }
    /* The same for buckets that gs_plan_full fills up. */
    __device__ __forceinline__ uint32_t begin_full(gs_plan_shared<THREADS> &shared,
                                                   uint32_t capacity) const
    {
        __syncthreads();
        for (uint32_t i = threadIdx.x; i < GS_TRIE_SLOTS / 32; i += THREADS)
            shared.begins[i] = 0;
        unsigned long long at = before;
#pragma unroll
        for (uint32_t j = 0; j < EACH; j++) {
            shared.cells_before[cell(j)] = (uint32_t)at;
            at += counts[j];
        }
        if (threadIdx.x == 0)
            shared.cells_before[GS_TRIE_SLOTS] = (uint32_t)total;
        __syncthreads();
        if (threadIdx.x < 32)
            gs_plan_full(shared.cells_before, cells, capacity, shared.begins);
        __syncthreads();
        uint32_t flags = 0;
#pragma unroll
        for (uint32_t j = 0; j < EACH; j++) {
            const uint32_t c = cell(j);
            flags |= (shared.begins[c / 32] >> (c % 32) & 1) << j;
        }
        return flags;
    }
    /* Where buckets start, and the bucket of each cell; `bucket` is the first that begins
     * with these cells. */
    __device__ __forceinline__ void number(gs_plan_shared<THREADS> &shared,
                                           uint32_t flags, uint32_t bucket,
                                           unsigned long long start,
                                           const gs_plan_limits &limits) const
    {
        unsigned long long at = before;
#pragma unroll
        for (uint32_t j = 0; j < EACH; j++) {
            if ((flags >> j) & 1) {
                shared.starts[bucket] = start + at;
                shared.is_value[bucket] = is_value(j) && counts[j] > limits.value_cell;
                bucket++;
            }
            if (cell(j) < cells)
                shared.bucket_of[cell(j)] = (uint16_t)(bucket - 1);
            at += counts[j];
        }
        __syncthreads();
    }
};

/* Buckets and cursors of a segment, and buckets instead of cells in its trie. */
template <unsigned THREADS, typename N>
__device__ __forceinline__ void
gs_plan_store(const gs_plan_shared<THREADS> &shared, const gs_segment &segment,
              uint32_t bucket_count, gs_segment *buckets, unsigned long long *cursors,
              uint32_t cursor_stride, gs_trie<N> *trie)
{
    for (uint32_t b = threadIdx.x; b < GS_BUCKETS_MAX; b += THREADS) {
        const unsigned long long end = segment.start + segment.count;
        const unsigned long long from = b < bucket_count ? shared.starts[b] : end;
        const unsigned long long to = b + 1 < bucket_count ? shared.starts[b + 1] : end;
        buckets[b] = {from, to - from, b < bucket_count ? shared.is_value[b] : 0, 0};
        cursors[(size_t)b * cursor_stride] =
            from | (b < bucket_count && shared.is_value[b] ? GS_CURSOR_IS_VALUE : 0);
    }
    const uint32_t used = trie->slot_count;
    for (uint32_t i = threadIdx.x; i < used; i += THREADS) {
        const uint32_t slot = trie->slots[i];
        if (!(slot & GS_TRIE_IS_NODE))
            trie->slots[i] = shared.bucket_of[slot];
    }
}

/* Whether a bit varies in all keys that does not in the sample. */
__device__ __forceinline__ bool gs_plan_missed_a_bit(const gs_sample_control *control)
{
    const gs_num128 missed = {control->varies_all.hi & ~control->varies_sample.hi,
                              control->varies_all.lo & ~control->varies_sample.lo};
    return !gs_num<gs_num128>::is_zero(missed);
}

/* One block a segment: neighbouring cells become buckets of about `bucket_keys` keys. A
 * cell with more than `heavy_keys`, or of one value with more than `value_keys`, gets a
 * bucket of its own; no other bucket has more than bucket_keys + heavy_keys.
 *
 * That may make too many buckets. If they are to go to k_local, which takes `value_keys`,
 * the limits become half of that each, so that fewer cells are heavy. If there are still
 * too many, each bucket is filled up to `value_keys`: that makes at most twice as many as
 * there are times `value_keys` keys, and one for each larger cell. In all other cases the
 * limits grow until the buckets are few enough. */
template <typename N, unsigned THREADS>
__global__ void __launch_bounds__(THREADS)
    k_plan(const gs_segment *segments, gs_trie<N> *tries, gs_segment *buckets,
           unsigned long long *cursors, uint32_t cursor_stride,
           unsigned long long bucket_keys, unsigned long long heavy_keys,
           unsigned long long value_keys, gs_sample_control *control, uint32_t form,
           bool verify)
{
    if (gs_sample_skips(control, form))
        return;
    __shared__ gs_plan_shared<THREADS> shared;
    const gs_segment segment = segments[blockIdx.x];
    gs_trie<N> *const trie = tries + blockIdx.x;
    buckets += (size_t)blockIdx.x * GS_BUCKETS_MAX;
    cursors += (size_t)blockIdx.x * GS_BUCKETS_MAX * cursor_stride;
    if (verify && gs_plan_missed_a_bit(control)) {
        __syncthreads();
        if (threadIdx.x == 0)
            control->failed = 1;
        return;
    }
    if (segment.count == 0 || segment.is_value) {
        for (uint32_t b = threadIdx.x; b < GS_BUCKETS_MAX; b += THREADS) {
            buckets[b] = {segment.start, b == 0 ? segment.count : 0, segment.is_value, 0};
            cursors[(size_t)b * cursor_stride] = segment.start;
        }
        return;
    }
    gs_plan_cells<THREADS, N> mine;
    mine.load(trie, shared.scratch);
    gs_plan_limits limits = {bucket_keys, heavy_keys, value_keys};
    const auto scan = [&](uint32_t flags, uint32_t *bucket_count) {
        return gs_block_scan_exclusive<THREADS>((uint32_t)__popc(flags),
                                                shared.flag_scratch, bucket_count);
    };
    const bool is_last = bucket_keys <= value_keys && mine.total <= ~0u;
    enum { AS_ASKED, BY_HALVES, WIDER } way = is_last ? AS_ASKED : WIDER;
    uint32_t flags, bucket_count, bucket0;
    for (;;) {
        flags = mine.begin_even(shared, limits);
        bucket0 = scan(flags, &bucket_count);
        if (bucket_count <= GS_BUCKETS_MAX)
            break;
        if (way == AS_ASKED) {
            limits.wide = limits.heavy_cell = value_keys / 2;
            way = BY_HALVES;
            continue;
        }
        if (way == BY_HALVES) {
            flags = mine.begin_full(shared, (uint32_t)value_keys);
            bucket0 = scan(flags, &bucket_count);
            if (bucket_count <= GS_BUCKETS_MAX)
                break;
            way = WIDER;
        }
        limits.widen();
    }
    mine.number(shared, flags, bucket0, segment.start, limits);
    gs_plan_store<THREADS>(shared, segment, bucket_count, buckets, cursors, cursor_stride,
                           trie);
}

/* One block a segment: turns its buckets into work for k_local and k_fill, which looks
 * whether one that is too large for a block is one value. Small neighbours that start in
 * the same window of `capacity` * 3/4 keys go together. */
template <typename V, unsigned THREADS>
__global__ void __launch_bounds__(THREADS)
    k_leaf(V view, const gs_segment *segments, const gs_segment *buckets,
           uint32_t capacity, gs_leaf *leaves, gs_fill<typename V::num> *fills,
           gs_segment *suspects, gs_segment *oversize, gs_sample_control *control,
           uint32_t form)
{
    if (gs_sample_skips(control, form))
        return;
    static_assert(THREADS == GS_BUCKETS_MAX, "a thread a bucket");
    __shared__ uint32_t window[THREADS];
    __shared__ unsigned long long ends[THREADS];
    const uint32_t b = threadIdx.x, APART = ~0u;
    const unsigned long long origin = segments[blockIdx.x].start;
    const gs_segment bucket = buckets[(size_t)blockIdx.x * GS_BUCKETS_MAX + b];
    const bool small =
        !bucket.is_value && bucket.count != 0 && bucket.count <= capacity / 4;
    window[b] =
        small ? (uint32_t)((bucket.start - origin) / (capacity - capacity / 4)) : APART;
    ends[b] = bucket.start + bucket.count;
    __syncthreads();
    if (small) {
        if (b > 0 && window[b - 1] == window[b])
            return;
        uint32_t last = b;
        while (last + 1 < THREADS && window[last + 1] == window[b])
            last++;
        leaves[atomicAdd(&control->leaf_count, 1u)] = {
            bucket.start, (uint32_t)(ends[last] - bucket.start), 0};
    } else if (bucket.count == 0) {
        return;
    } else if (bucket.is_value) {
        fills[atomicAdd(&control->fill_count, 1u)] = {view.load(bucket.start),
                                                      bucket.start, bucket.count};
    } else if (bucket.count <= capacity) {
        leaves[atomicAdd(&control->leaf_count, 1u)] = {bucket.start,
                                                       (uint32_t)bucket.count, 0};
    } else if (bucket.count <= GS_SUSPECT_MAX) {
        suspects[atomicAdd(&control->suspect_count, 1u)] = bucket;
    } else {
        oversize[atomicAdd(&control->oversize_count, 1u)] = bucket;
    }
}

#endif
