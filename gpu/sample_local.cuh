/* SPDX-License-Identifier: MIT */
/*
 * sample_local: the last step of the sample sort. A block takes a part that fits it,
 * divides its range evenly into about as many bins as there are keys, counts, puts the
 * keys in bin order in shared memory, and then every key finds its place in its bin by
 * comparing with the few others there:
 *
 *     keys      71 12 90 33 14 ...        bin = (key - least) * bins / range
 *     bin order 12 14 | | 33 | ... 71 | 90
 *     place     start of the bin + keys in it that are less
 *
 * Bins with many keys are left to a warp each, which first looks whether they are all the
 * same, and a part that is more uneven than that is sorted by a bitonic network.
 */
#ifndef GS_GPU_SAMPLE_LOCAL_CUH
#define GS_GPU_SAMPLE_LOCAL_CUH

#include "gpu/sample_types.cuh"

enum {
    GS_BIN_BIG = 24,      /* keys in a bin from which a warp takes it */
    GS_BIN_HUGE = 384,    /* ... and from which the whole part goes to the network */
    GS_BIG_BINS_MAX = 512 /* more big bins than this: the network */
};

template <typename N, unsigned THREADS, unsigned ITEMS, unsigned BINS_EACH>
struct gs_local_shared {
    static constexpr unsigned CAPACITY = THREADS * ITEMS;
    static constexpr unsigned ROW = THREADS + 1; /* no two bins of a run share a bank */
    N keys[CAPACITY];
    uint32_t bins[ROW * BINS_EACH];
    N range_scratch[2 * (THREADS / 32)];
    uint32_t scan_scratch[THREADS / 32 + 1];
    uint32_t big[GS_BIG_BINS_MAX]; /* first place << 16 | keys */
    uint32_t big_count, network, next;
};

/* Divides numbers from `low` to `high` evenly into bins, in order. */
template <typename N> struct gs_divider {
    N low;
    uint32_t shift, factor; /* factor 0: the difference is the bin */

    __device__ __forceinline__ void set(N least, N most, uint32_t bins)
    {
        low = least;
        const N range = most - least;
        const unsigned length = gs_num<N>::length(range);
        shift = length > 32 ? length - 32 : 0;
        const uint32_t top = gs_num<N>::shift_low(range, shift);
        factor = top < bins ? 0
                            : (uint32_t)(((uint64_t)bins << 32) / ((uint64_t)top + 1));
    }
    /* Whether all keys of a bin are equal. */
    __device__ __forceinline__ bool exact() const
    {
        return factor == 0 && shift == 0;
    }
    __device__ __forceinline__ uint32_t bin(N key) const
    {
        const uint32_t d = gs_num<N>::shift_low(key - low, shift);
        return factor == 0 ? d : __umulhi(d, factor);
    }
};

/* A warp writes one big bin in order. Returns false if it is for the network. */
template <typename N, typename D>
__device__ bool gs_local_big_bin(const N *keys, uint32_t count, const D &to, size_t at)
{
    const uint32_t lane = threadIdx.x & 31;
    const N first = keys[0];
    bool same = true;
    for (uint32_t i = lane; i < count; i += 32)
        same = same && keys[i] == first;
    if (__all_sync(~0u, same)) {
        for (uint32_t i = lane; i < count; i += 32)
            to.store(at + i, first);
        return true;
    }
    if (count > GS_BIN_HUGE)
        return false;
    for (uint32_t i = lane; i < count; i += 32) {
        const N mine = keys[i];
        uint32_t less = 0;
        for (uint32_t k = 0; k < count; k++)
            less += keys[k] < mine || (k < i && keys[k] == mine);
        to.store(at + less, mine);
    }
    return true;
}

/* One part at a time a persistent block. Reads and writes each key once. */
template <typename V, typename D, unsigned THREADS, unsigned ITEMS, unsigned BINS_EACH,
          unsigned BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    k_local(V from, D to, const gs_leaf *leaves, gs_sample_control *control, uint32_t form)
{
    using N = typename V::num;
    using Shared = gs_local_shared<N, THREADS, ITEMS, BINS_EACH>;
    if (gs_sample_skips(control, form))
        return;
    constexpr uint32_t BINS = THREADS * BINS_EACH;
    static_assert((BINS_EACH & (BINS_EACH - 1)) == 0 && BINS <= 65536, "bins");
    extern __shared__ uint4 shared_words[];
    Shared &shared = *reinterpret_cast<Shared *>(shared_words);
    const uint32_t thread = threadIdx.x;
    const uint32_t leaf_count = control->leaf_count;
    const auto cell = [](uint32_t bin) {
        return (bin % BINS_EACH) * Shared::ROW + bin / BINS_EACH;
    };
    if (thread == 0)
        shared.next = atomicAdd(&control->next_leaf, 1u);
    __syncthreads();
    for (;;) {
        const uint32_t index = shared.next;
        if (index >= leaf_count)
            return;
        const gs_leaf leaf = leaves[index];
        const uint32_t count = leaf.count;
        N key[ITEMS], low = gs_num<N>::max(), high = low ^ low;
#pragma unroll
        for (uint32_t j = 0; j < ITEMS; j++)
            if (j * THREADS + thread < count)
                key[j] = from.load(leaf.start + j * THREADS + thread);
#pragma unroll
        for (uint32_t j = 0; j < BINS_EACH; j++)
            shared.bins[j * Shared::ROW + thread] = 0;
        if (thread == 0) {
            shared.big_count = 0;
            shared.network = 0;
        }
#pragma unroll
        for (uint32_t j = 0; j < ITEMS; j++) {
            if (j * THREADS + thread < count) {
                low = gs_num_min(low, key[j]);
                high = gs_num_max(high, key[j]);
            }
        }
        gs_block_range<THREADS>(low, high, shared.range_scratch);
        if (thread == 0)
            shared.next = atomicAdd(&control->next_leaf, 1u);
        gs_divider<N> divider;
        divider.set(low, high, BINS);
        uint32_t place[ITEMS]; /* bin << 16 | rank */
#pragma unroll
        for (uint32_t j = 0; j < ITEMS; j++) {
            if (j * THREADS + thread < count) {
                const uint32_t bin = divider.bin(key[j]);
                place[j] = bin << 16 | atomicAdd(&shared.bins[cell(bin)], 1u);
            }
        }
        __syncthreads();
        uint32_t sum = 0, total;
#pragma unroll
        for (uint32_t j = 0; j < BINS_EACH; j++)
            sum += shared.bins[j * Shared::ROW + thread];
        uint32_t at = gs_block_scan_exclusive<THREADS>(sum, shared.scan_scratch, &total);
#pragma unroll
        for (uint32_t j = 0; j < BINS_EACH; j++) {
            const uint32_t in_bin = shared.bins[j * Shared::ROW + thread];
            shared.bins[j * Shared::ROW + thread] = at;
            if (in_bin > GS_BIN_BIG && !divider.exact()) {
                const uint32_t big = atomicAdd(&shared.big_count, 1u);
                if (big < GS_BIG_BINS_MAX)
                    shared.big[big] = at << 16 | in_bin;
                else
                    shared.network = 1;
            }
            at += in_bin;
        }
        __syncthreads();
#pragma unroll
        for (uint32_t j = 0; j < ITEMS; j++)
            if (j * THREADS + thread < count)
                shared.keys[shared.bins[cell(place[j] >> 16)] + (place[j] & 0xffff)] =
                    key[j];
        __syncthreads();
        if (divider.exact()) {
            for (uint32_t i = thread; i < count; i += THREADS)
                to.store(leaf.start + i, shared.keys[i]);
            continue;
        }
#pragma unroll 4
        for (uint32_t j = 0; j < ITEMS; j++) {
            const uint32_t i = j * THREADS + thread;
            if (i >= count)
                break;
            const N mine = shared.keys[i];
            const uint32_t bin = divider.bin(mine);
            const uint32_t first = shared.bins[cell(bin)];
            const uint32_t end = bin + 1 < BINS ? shared.bins[cell(bin + 1)] : count;
            if (end - first > GS_BIN_BIG)
                continue;
            uint32_t rank = first;
            for (uint32_t k = first; k < end; k++) {
                const N other = shared.keys[k];
                rank += other < mine || (k < i && other == mine);
            }
            to.store(leaf.start + rank, mine);
        }
        const uint32_t bigs = min(shared.big_count, (uint32_t)GS_BIG_BINS_MAX);
        if (bigs != 0) {
            for (uint32_t b = thread / 32; b < bigs; b += THREADS / 32) {
                const uint32_t first = shared.big[b] >> 16, keys = shared.big[b] & 0xffff;
                if (!gs_local_big_bin(shared.keys + first, keys, to, leaf.start + first))
                    shared.network = 1;
            }
            __syncthreads();
            if (shared.network) {
                gs_block_sort_network<THREADS>(shared.keys, count);
                for (uint32_t i = thread; i < count; i += THREADS)
                    to.store(leaf.start + i, shared.keys[i]);
            }
        }
        __syncthreads();
    }
}

/* Parts of one value, 8 to 16 bytes written a key and nothing read. */
template <typename D, typename N, unsigned THREADS>
__global__ void __launch_bounds__(THREADS)
    k_fill(D to, const gs_fill<N> *fills, const gs_sample_control *control, uint32_t form)
{
    if (gs_sample_skips(control, form))
        return;
    const uint32_t fill_count = control->fill_count;
    for (uint32_t f = 0; f < fill_count; f++) {
        const gs_fill<N> fill = fills[f];
        for (unsigned long long i = (unsigned long long)blockIdx.x * THREADS + threadIdx.x;
             i < fill.count; i += (unsigned long long)gridDim.x * THREADS)
            to.store(fill.start + i, fill.value);
    }
}

#endif
