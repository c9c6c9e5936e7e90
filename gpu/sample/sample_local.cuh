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
 * Keys of later bins are never less, so that comparing may go on past the end of a bin.
 * Bins with many keys are left to a warp each, which first looks whether they are all the
 * same and else divides what is in them again. Bins with too many, or too uneven, are
 * parts for themselves; where most keys were in the first bin, its part is divided by the
 * logarithm. What is uneven after three times is sorted by a bitonic network.
 */
#ifndef GS_GPU_SAMPLE_LOCAL_CUH
#define GS_GPU_SAMPLE_LOCAL_CUH

#include "gpu/sample/sample_bins.cuh"

/* What a block of k_local has in shared memory. Every byte of it is taken from the L1
 * cache, and that has to hold the variables for which there are no registers. */
template <typename N, unsigned THREADS, unsigned ITEMS, unsigned BINS_EACH>
struct gs_local_shared {
    static constexpr unsigned CAPACITY = THREADS * ITEMS;
    static constexpr unsigned BINS = THREADS * BINS_EACH;
    N keys[CAPACITY + gs_local_width<N>::AT_ONCE - 1];
    alignas(16) uint32_t bins[BINS]; /* counts, then first place | keys << 16 */
    uint32_t scan_scratch[THREADS / 32 + 1];
    uint32_t big[CAPACITY / (GS_BIN_BIG + 1)]; /* as in `bins` */
    gs_leaf rest[CAPACITY / (GS_BIN_UNEVEN + 1)];
    N varies;
    uint32_t low, high, big_count, rest_count, network, next;
};

/* Bins of a part: the window, its range, and the first place and size of each bin. */
template <typename N, typename Shared, unsigned THREADS, unsigned ITEMS>
__device__ __forceinline__ void gs_local_divide(Shared &shared, const N (&key)[ITEMS],
                                                N reference, gs_divider &divider)
{
    const uint32_t lane = threadIdx.x & 31;
    N varies = reference ^ reference;
#pragma unroll
    for (uint32_t j = 0; j < ITEMS; j++)
        varies = varies | (key[j] ^ reference);
    gs_num<N>::warp_or(varies);
    if (lane == 0)
        gs_num<N>::atomic_or(&shared.varies, varies);
    __syncthreads();
    divider.set_window(gs_num<N>::length(shared.varies));
    uint32_t low = ~0u, high = 0;
#pragma unroll
    for (uint32_t j = 0; j < ITEMS; j++) {
        const uint32_t w = gs_num<N>::window(key[j], divider.shift);
        low = min(low, w);
        high = max(high, w);
    }
    low = __reduce_min_sync(~0u, low);
    high = __reduce_max_sync(~0u, high);
    if (lane == 0) {
        atomicMin(&shared.low, low);
        atomicMax(&shared.high, high);
    }
    __syncthreads();
    divider.low = shared.low;
    divider.set_bins(shared.high, Shared::BINS);
}

/* Counts of bins become first places, and big bins are listed. A warp takes consecutive
 * bins, a lane four of them at a time. */
template <typename Shared, unsigned THREADS, unsigned BINS_EACH>
__device__ __forceinline__ void gs_local_scan(Shared &shared, bool list_big)
{
    constexpr uint32_t ROWS = BINS_EACH / 4;
    static_assert(BINS_EACH % 4 == 0, "four bins a lane");
    const uint32_t lane = threadIdx.x & 31;
    uint4 *const bins =
        reinterpret_cast<uint4 *>(shared.bins) + threadIdx.x / 32 * (ROWS * 32) + lane;
    uint32_t sums[ROWS], all = 0, most = 0, total;
#pragma unroll
    for (uint32_t r = 0; r < ROWS; r++) {
        const uint4 counts = bins[r * 32];
        const uint32_t sum = counts.x + counts.y + counts.z + counts.w;
        sums[r] = gs_warp_scan_inclusive(sum);
        most = max(max(most, max(counts.x, counts.y)), max(counts.z, counts.w));
        const uint32_t row = __shfl_sync(~0u, sums[r], 31);
        sums[r] += all - sum;
        all += row;
    }
    const uint32_t before = gs_block_scan_exclusive<THREADS>(lane == 31 ? all : 0,
                                                             shared.scan_scratch, &total);
    const uint32_t base = __shfl_sync(~0u, before, 0);
#pragma unroll
    for (uint32_t r = 0; r < ROWS; r++) {
        const uint4 counts = bins[r * 32];
        uint32_t at = base + sums[r];
        uint4 out;
        out.x = at | counts.x << 16;
        at += counts.x;
        out.y = at | counts.y << 16;
        at += counts.y;
        out.z = at | counts.z << 16;
        at += counts.z;
        out.w = at | counts.w << 16;
        bins[r * 32] = out;
    }
    if (most > GS_BIN_BIG && list_big) {
        const uint32_t *const mine = reinterpret_cast<const uint32_t *>(bins);
        for (uint32_t k = 0; k < BINS_EACH; k++) {
            const uint32_t word = mine[k / 4 * 128 + k % 4];
            if (word >> 16 <= GS_BIN_BIG)
                continue;
            shared.big[atomicAdd(&shared.big_count, 1u)] = word;
        }
    }
    __syncthreads();
}

/* The big bins. One that is too large or uneven for a warp goes back to where it came
 * from, to be a part for itself, the block's next one. What a bin is divided into takes
 * the words of `bins` that are its share of them. */
template <typename Shared, typename V, typename D, unsigned THREADS>
__device__ void gs_local_finish_big(Shared &shared, const V &from, const D &to,
                                    const gs_leaf &leaf)
{
    constexpr uint32_t KEYS_A_BIN = Shared::CAPACITY / Shared::BINS;
    static_assert(KEYS_A_BIN * Shared::BINS == Shared::CAPACITY, "shares");
    static_assert(!gs_local_width<typename V::num>::KEEPS_PLACES || KEYS_A_BIN == 1,
                  "half a word a place, and as much for bins");
    const uint32_t lane = threadIdx.x & 31;
    __syncthreads();
    const uint32_t bigs = shared.big_count;
    for (uint32_t b = threadIdx.x / 32; b < bigs; b += THREADS / 32) {
        const uint32_t first = shared.big[b] & 0xffff, count = shared.big[b] >> 16;
        const unsigned long long at = leaf.start + first;
        if (gs_local_big_bin(shared.keys + first, count, shared.bins + first / KEYS_A_BIN,
                             count / KEYS_A_BIN, to, at))
            continue;
        if (leaf.depth == GS_LOCAL_DEPTH_MAX) {
            shared.network = 1;
            continue;
        }
        for (uint32_t i = lane; i < count; i += 32)
            from.store(at + i, shared.keys[first + i]);
        if (lane == 0)
            shared.rest[atomicAdd(&shared.rest_count, 1u)] = {
                at, count, (uint16_t)(leaf.depth + 1),
                first == 0 && gs_local_wants_curve(count, leaf.count)};
    }
    __syncthreads();
    if (shared.network) {
        gs_block_sort_network<THREADS>(shared.keys, leaf.count);
        for (uint32_t i = threadIdx.x; i < leaf.count; i += THREADS)
            to.store(leaf.start + i, shared.keys[i]);
    }
}

/* A part most of whose keys fell into the first bin, again: bins by the logarithm. Reads
 * its keys three times. */
template <typename Shared, typename V, typename D, unsigned THREADS, unsigned BINS_EACH>
__device__ __noinline__ void gs_local_curved(Shared &shared, V from, D to, gs_leaf leaf)
{
    using N = typename V::num;
    const uint32_t count = leaf.count;
    N low = from.load(leaf.start), high = low;
    for (uint32_t i = threadIdx.x; i < count; i += THREADS) {
        const N key = from.load(leaf.start + i);
        low = gs_num_min(low, key);
        high = gs_num_max(high, key);
    }
    if (threadIdx.x == 0)
        shared.big_count = shared.network = 0;
    for (uint32_t b = threadIdx.x; b < Shared::BINS; b += THREADS)
        shared.bins[b] = 0;
    gs_block_range<THREADS>(low, high, shared.keys);
    gs_curved_divider<N> divider;
    divider.set(low, high, Shared::BINS);
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < count; i += THREADS)
        atomicAdd(&shared.bins[divider.bin(from.load(leaf.start + i))], 1u);
    __syncthreads();
    gs_local_scan<Shared, THREADS, BINS_EACH>(shared, true);
    /* Each key moves its bin's first place on, so that it becomes the bin's end. */
    for (uint32_t i = threadIdx.x; i < count; i += THREADS) {
        const N key = from.load(leaf.start + i);
        shared.keys[atomicAdd(&shared.bins[divider.bin(key)], 1u) & 0xffff] = key;
    }
    __syncthreads();
    for (uint32_t i = threadIdx.x; i < count; i += THREADS) {
        const N mine = shared.keys[i];
        const uint32_t word = shared.bins[divider.bin(mine)];
        const uint32_t end = word & 0xffff, first = end - (word >> 16);
        if (end - first > GS_BIN_BIG)
            continue;
        uint32_t rank = first;
        for (uint32_t k = first; k < end; k++)
            rank = gs_add_if_before(rank, shared.keys[k], k, mine, i);
        to.store(leaf.start + rank, mine);
    }
    gs_local_finish_big<Shared, V, D, THREADS>(shared, from, to, leaf);
}

/* The place of a key among those of its bin, which are from `first` to `end`. What comes
 * behind them is greater: keys of later bins, and behind the last one the greatest number
 * there is. */
template <unsigned AT_ONCE, typename N>
__device__ __forceinline__ uint32_t gs_local_place(const N *keys, uint32_t first,
                                                   uint32_t end, N mine, uint32_t i)
{
    uint32_t rank = first, k = first;
    do {
        const uint32_t before = (uint32_t)max((int)(i - k), 0); /* of keys from k on */
#pragma unroll
        for (uint32_t r = 0; r < AT_ONCE; r++)
            rank = gs_add_if_before(rank, keys[k + r], r, mine, before);
        k += AT_ONCE;
    } while (k < end);
    return rank;
}

/* A thread's keys go in fours, or twos: this keeps as many look-ups in flight. `use` is
 * called for each group with the first of its keys and what says of a key whether the
 * part has it; only the last group of a part has to ask. */
template <unsigned THREADS, unsigned ITEMS> struct gs_local_groups {
    static constexpr uint32_t GROUP = ITEMS % 4 == 0 ? 4 : 2;
    static_assert(ITEMS % GROUP == 0, "groups");

    template <typename Use>
    static __device__ __forceinline__ void each(uint32_t count, const Use &use)
    {
#pragma unroll
        for (uint32_t g = 0; g < ITEMS; g += GROUP)
            if ((g + GROUP) * THREADS <= count)
                use(g, [](uint32_t) { return true; });
            else
                use(g, [=](uint32_t j) { return j * THREADS + threadIdx.x < count; });
    }
};

/* The keys of a part: key j of a thread is THREADS after key j - 1. Those that the part
 * does not have are its first key. */
template <unsigned THREADS, typename V, typename N, unsigned ITEMS>
__device__ __forceinline__ void gs_local_load(const V &from, const gs_leaf &leaf,
                                              N reference, N (&key)[ITEMS])
{
    using Groups = gs_local_groups<THREADS, ITEMS>;
    Groups::each(leaf.count, [&](uint32_t g, const auto &has) {
#pragma unroll
        for (uint32_t j = g; j < g + Groups::GROUP; j++) {
            key[j] = reference;
            if (has(j))
                key[j] = from.load(leaf.start + threadIdx.x + j * THREADS);
        }
    });
}

/* The ranks of a thread's keys in their bins, two in a word. */
template <unsigned ITEMS> struct gs_local_ranks {
    uint32_t pairs[ITEMS / 2];
    __device__ __forceinline__ void put(uint32_t j, uint32_t rank)
    {
        if (j % 2 == 0)
            pairs[j / 2] = rank;
        else
            pairs[j / 2] |= rank << 16;
    }
    __device__ __forceinline__ uint32_t get(uint32_t j) const
    {
        return pairs[j / 2] >> (j % 2 * 16);
    }
};

/* Counts the keys of each bin, and by that gives each its rank there. */
template <unsigned THREADS, typename N, unsigned ITEMS>
__device__ __forceinline__ void
gs_local_rank(uint32_t *bins, uint32_t count, const N (&key)[ITEMS],
              const gs_divider &divider, gs_local_ranks<ITEMS> &ranks)
{
    using Groups = gs_local_groups<THREADS, ITEMS>;
    Groups::each(count, [&](uint32_t g, const auto &has) {
        uint32_t rank[Groups::GROUP] = {};
#pragma unroll
        for (uint32_t j = 0; j < Groups::GROUP; j++)
            if (has(g + j))
                rank[j] = atomicAdd(&bins[divider.bin(key[g + j])], 1u);
#pragma unroll
        for (uint32_t j = 0; j < Groups::GROUP; j++)
            ranks.put(g + j, rank[j]);
    });
}

/* The keys to bin order, by the first place of their bin and their rank there. */
template <unsigned THREADS, typename Shared, typename N, unsigned ITEMS>
__device__ __forceinline__ void
gs_local_order(Shared &shared, uint32_t count, const N (&key)[ITEMS],
               const gs_divider &divider, const gs_local_ranks<ITEMS> &ranks)
{
    using Groups = gs_local_groups<THREADS, ITEMS>;
    Groups::each(count, [&](uint32_t g, const auto &has) {
#pragma unroll
        for (uint32_t j = g; j < g + Groups::GROUP; j++)
            if (has(j))
                shared.keys[(shared.bins[divider.bin(key[j])] + ranks.get(j)) & 0xffff] =
                    key[j];
    });
}

/* Keys in bin order to their places. Big bins are left out. */
template <unsigned THREADS, unsigned ITEMS, typename Shared, typename D>
__device__ __forceinline__ void gs_local_write(const Shared &shared, const gs_leaf &leaf,
                                               const gs_divider &divider, const D &to)
{
    using N = typename D::num;
    constexpr uint32_t GROUP = gs_local_groups<THREADS, ITEMS>::GROUP;
    const uint32_t count = leaf.count;
    for (uint32_t i0 = threadIdx.x; i0 < count; i0 += GROUP * THREADS) {
        N mine[GROUP];
        uint32_t word[GROUP];
#pragma unroll
        for (uint32_t j = 0; j < GROUP; j++)
            mine[j] = shared.keys[min(i0 + j * THREADS, count - 1)];
#pragma unroll
        for (uint32_t j = 0; j < GROUP; j++)
            word[j] = shared.bins[divider.bin(mine[j])];
#pragma unroll
        for (uint32_t j = 0; j < GROUP; j++) {
            const uint32_t i = i0 + j * THREADS;
            const uint32_t keys = word[j] >> 16, first = word[j] & 0xffff;
            if (i >= count || keys > GS_BIN_BIG)
                continue;
            const uint32_t place = gs_local_place<gs_local_width<N>::AT_ONCE>(
                shared.keys, first, first + keys, mine[j], i);
            to.store(leaf.start + place, mine[j]);
        }
    }
}

/* One part at a time a persistent block. Reads and writes each key once. */
template <typename V, typename D, unsigned THREADS, unsigned ITEMS, unsigned BINS_EACH,
          unsigned BLOCKS>
__global__ void __launch_bounds__(THREADS, BLOCKS)
    k_local(V from, D to, const gs_leaf *leaves, gs_sample_control *control,
            uint32_t form)
{
    using N = typename V::num;
    using Shared = gs_local_shared<N, THREADS, ITEMS, BINS_EACH>;
    if (gs_sample_skips(control, form))
        return;
    static_assert(Shared::CAPACITY <= 65536, "places of 16 bits");
    extern __shared__ uint4 shared_words[];
    Shared &shared = *reinterpret_cast<Shared *>(shared_words);
    const uint32_t thread = threadIdx.x;
    const uint32_t leaf_count = control->leaf_count;
    if (thread == 0) {
        shared.next = atomicAdd(&control->next_leaf, 1u);
        shared.rest_count = 0;
    }
    for (;;) {
        __syncthreads();
        const uint32_t index = shared.next, rest_count = shared.rest_count;
        if (rest_count == 0 && index >= leaf_count)
            return;
        const gs_leaf leaf = rest_count > 0 ? shared.rest[rest_count - 1] : leaves[index];
        if (leaf.is_curved) {
            __syncthreads();
            if (thread == 0)
                shared.rest_count = rest_count - 1;
            gs_local_curved<Shared, V, D, THREADS, BINS_EACH>(shared, from, to, leaf);
            continue;
        }
        const uint32_t count = leaf.count;
        N key[ITEMS];
        const N reference = from.load(leaf.start);
        gs_local_load<THREADS>(from, leaf, reference, key);
#pragma unroll
        for (uint32_t j = 0; j < BINS_EACH / 4; j++)
            reinterpret_cast<uint4 *>(shared.bins)[j * THREADS + thread] =
                make_uint4(0, 0, 0, 0);
        if (thread == 0) {
            shared.varies = reference ^ reference;
            shared.low = ~0u;
            shared.high = shared.big_count = shared.network = 0;
        }
        __syncthreads();
        gs_divider divider;
        gs_local_divide<N, Shared, THREADS, ITEMS>(shared, key, reference, divider);
        if (thread == 0 && rest_count > 0)
            shared.rest_count = rest_count - 1;
        else if (thread == 0)
            shared.next = atomicAdd(&control->next_leaf, 1u);
        gs_local_ranks<ITEMS> ranks;
        gs_local_rank<THREADS>(shared.bins, count, key, divider, ranks);
        __syncthreads();
        gs_local_scan<Shared, THREADS, BINS_EACH>(shared, !divider.exact());
        if (thread + 1 < gs_local_width<N>::AT_ONCE)
            shared.keys[count + thread] = gs_num<N>::max();
        if (thread == 0 && shared.next < leaf_count) {
            const gs_leaf next = leaves[shared.next];
            from.ask(next.start, next.count);
        }
        gs_local_order<THREADS>(shared, count, key, divider, ranks);
        __syncthreads();
        if (divider.exact()) {
            for (uint32_t i = thread; i < count; i += THREADS)
                to.store(leaf.start + i, shared.keys[i]);
            continue;
        }
        gs_local_write<THREADS, ITEMS>(shared, leaf, divider, to);
        if (shared.big_count != 0)
            gs_local_finish_big<Shared, V, D, THREADS>(shared, from, to, leaf);
    }
}

#endif
