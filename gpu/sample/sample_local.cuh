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

#include "gpu/sample/sample_types.cuh"

enum {
    GS_BIN_BIG = 40,        /* keys in a bin from which a warp takes it */
    GS_BIN_HUGE = 768,      /* ... and beyond which it is a part for itself, */
    GS_BIN_UNEVEN = 128,    /* as with more than so many in a bin of a big bin; */
    GS_LOCAL_DEPTH_MAX = 3, /* parts of parts of parts go to the network */
};

/* What depends on the width of numbers. */
template <typename N> struct gs_local_width {
    static constexpr bool IS_WIDE = sizeof(N) > 8;
    /* A key is compared with so many others before the end of its bin is looked at. */
    static constexpr unsigned AT_ONCE = IS_WIDE ? 2 : 4;
    /* Whether a warp that puts a big bin in order keeps the places of its keys, in its
     * share of the words of `bins`. Narrow keys have half as many words: they are written
     * to the array and read again. */
    static constexpr bool KEEPS_PLACES = IS_WIDE;
};

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

/* Divides numbers evenly into bins, in order. A number counts by a window of 32 bits that
 * starts at the highest bit in which the numbers differ; `low` is the least window. */
struct gs_divider {
    uint32_t low, shift, factor; /* factor 0: the difference is the bin */

    /* For numbers that differ in bits below `length`. */
    __device__ __forceinline__ void set_window(unsigned length)
    {
        shift = length > 32 ? length - 32 : 0;
    }
    __device__ __forceinline__ void set_bins(uint32_t most, uint32_t bins)
    {
        const uint32_t top = most - low;
        factor =
            top < bins ? 0 : (uint32_t)(((uint64_t)bins << 32) / ((uint64_t)top + 1));
    }
    /* Whether all keys of a bin are equal. */
    __device__ __forceinline__ bool exact() const
    {
        return factor == 0 && shift == 0;
    }
    template <typename N> __device__ __forceinline__ uint32_t bin(N key) const
    {
        return bin_of(gs_num<N>::window(key, shift));
    }
    __device__ __forceinline__ uint32_t bin_of(uint32_t window) const
    {
        const uint32_t d = window - low;
        return factor == 0 ? d : __umulhi(d, factor);
    }
};

/* rank + 1 if (a, i) < (b, k), else rank, as one chain of subtractions. */
__device__ __forceinline__ uint32_t gs_add_if_before(uint32_t rank, uint64_t a,
                                                     uint32_t i, uint64_t b, uint32_t k)
{
    uint32_t borrow;
    asm("{\n\t.reg .u32 t;\n\t"
        "sub.cc.u32 t, %1, %2;\n\t"
        "subc.cc.u32 t, %3, %4;\n\t"
        "subc.cc.u32 t, %5, %6;\n\t"
        "subc.u32 %0, 0, 0;\n\t}"
        : "=r"(borrow)
        : "r"(i), "r"(k), "r"((uint32_t)a), "r"((uint32_t)b), "r"((uint32_t)(a >> 32)),
          "r"((uint32_t)(b >> 32)));
    return rank - borrow;
}
__device__ __forceinline__ uint32_t gs_add_if_before(uint32_t rank, gs_num128 a,
                                                     uint32_t i, gs_num128 b, uint32_t k)
{
    uint32_t borrow;
    asm("{\n\t.reg .u32 t;\n\t"
        "sub.cc.u32 t, %1, %2;\n\t"
        "subc.cc.u32 t, %3, %4;\n\t"
        "subc.cc.u32 t, %5, %6;\n\t"
        "subc.cc.u32 t, %7, %8;\n\t"
        "subc.cc.u32 t, %9, %10;\n\t"
        "subc.u32 %0, 0, 0;\n\t}"
        : "=r"(borrow)
        : "r"(i), "r"(k), "r"((uint32_t)a.lo), "r"((uint32_t)b.lo),
          "r"((uint32_t)(a.lo >> 32)), "r"((uint32_t)(b.lo >> 32)), "r"((uint32_t)a.hi),
          "r"((uint32_t)b.hi), "r"((uint32_t)(a.hi >> 32)), "r"((uint32_t)(b.hi >> 32)));
    return rank - borrow;
}

/* How a part or a bin is divided where even bins would leave most of it in the first: by
 * the logarithm of the difference from its least key. */
template <typename N> struct gs_curved_divider {
    enum : uint32_t { LEAST = 126u << 23 }; /* the scale of the least key */
    N low;
    uint32_t shift;
    gs_divider scales;

    __device__ __forceinline__ uint32_t scale(N key) const
    {
        return max(gs_num<N>::scale(key - low, shift), (uint32_t)LEAST);
    }
    __device__ __forceinline__ void set(N least, N most, uint32_t bins)
    {
        low = least;
        shift = gs_scale_shift(most - least);
        scales = {LEAST, 0, 0};
        scales.set_bins(scale(most), bins);
    }
    __device__ __forceinline__ uint32_t bin(N key) const
    {
        return scales.bin_of(scale(key));
    }
};

/* Whether keys are to be divided by the logarithm, after even bins: the first of those
 * has most of them. */
__device__ __forceinline__ bool gs_local_wants_curve(uint32_t keys_in_first,
                                                     uint32_t keys)
{
    return keys_in_first > keys / 8 * 5;
}

/* A warp counts the keys of a big bin by bins of it, and makes first places of the
 * counts. Returns the most keys in one; *first is how many are in the first. */
template <typename N, typename Divider>
__device__ __forceinline__ uint32_t gs_local_count_bin(const N *keys, uint32_t count,
                                                       uint32_t *bins, uint32_t bin_count,
                                                       const Divider &divider,
                                                       uint32_t *first)
{
    const uint32_t lane = threadIdx.x & 31;
    for (uint32_t b = lane; b < bin_count; b += 32)
        bins[b] = 0;
    __syncwarp();
#pragma unroll 4
    for (uint32_t i = lane; i < count; i += 32)
        atomicAdd(&bins[divider.bin(keys[i])], 1u);
    __syncwarp();
    *first = bins[0];
    __syncwarp();
    uint32_t before = 0, most = 0;
    for (uint32_t b0 = 0; b0 < bin_count; b0 += 32) {
        const uint32_t b = b0 + lane, here = b < bin_count ? bins[b] : 0;
        const uint32_t sum = gs_warp_scan_inclusive(here);
        if (b < bin_count)
            bins[b] = before + sum - here;
        before += __shfl_sync(~0u, sum, 31);
        most = max(most, here);
    }
    __syncwarp();
    return __reduce_max_sync(~0u, most);
}

/* A warp writes a big bin in order, by the first places of its bins. Each key that takes
 * a place moves its bin's first place on, so that it ends as that of the next bin. */
template <typename N, typename D, typename Divider>
__device__ __forceinline__ void
gs_local_write_bin(N *keys, uint32_t count, uint32_t *bins, uint32_t bin_count,
                   const Divider &divider, const D &to, size_t at)
{
    const uint32_t lane = threadIdx.x & 31;
    uint16_t *const places = reinterpret_cast<uint16_t *>(bins + bin_count);
#pragma unroll 4
    for (uint32_t i = lane; i < count; i += 32) {
        const uint32_t place = atomicAdd(&bins[divider.bin(keys[i])], 1u);
        if constexpr (gs_local_width<N>::KEEPS_PLACES)
            places[place] = (uint16_t)i;
        else
            to.store(at + place, keys[i]);
    }
    __syncwarp();
    if constexpr (!gs_local_width<N>::KEEPS_PLACES) {
#pragma unroll 4
        for (uint32_t i = lane; i < count; i += 32)
            keys[i] = to.load(at + i);
        __syncwarp();
    }
    const auto in_bin_order = [&](uint32_t i) {
        if constexpr (gs_local_width<N>::KEEPS_PLACES)
            return keys[places[i]];
        else
            return keys[i];
    };
#pragma unroll 2
    for (uint32_t i = lane; i < count; i += 32) {
        const N mine = in_bin_order(i);
        const uint32_t b = divider.bin(mine);
        const uint32_t begin = b > 0 ? bins[b - 1] : 0, end = bins[b];
        uint32_t rank = begin;
        if (end - begin > 1)
            for (uint32_t k = begin; k < end; k++)
                rank = gs_add_if_before(rank, in_bin_order(k), k, mine, i);
        else if (!gs_local_width<N>::KEEPS_PLACES)
            continue; /* it is there */
        to.store(at + rank, mine);
    }
}

/* A warp writes one big bin in order, divided once more by what varies in it alone, with
 * `words` of `bins`. Returns false, and has written nothing, if the bin is not for a
 * warp. Arguments of what is not inlined come by value: an address of one would keep it
 * in memory throughout k_local. */
template <typename N, typename D>
__device__ __noinline__ bool gs_local_big_bin(N *keys, uint32_t count, uint32_t *bins,
                                              uint32_t words, D to, size_t at)
{
    const uint32_t lane = threadIdx.x & 31;
    const uint32_t bin_count = gs_local_width<N>::KEEPS_PLACES ? words / 2 : words;
    const N first = keys[0];
    N varies = first ^ first;
#pragma unroll 4
    for (uint32_t i = lane; i < count; i += 32)
        varies = varies | (keys[i] ^ first);
    gs_num<N>::warp_or(varies);
    if (gs_num<N>::is_zero(varies)) {
        for (uint32_t i = lane; i < count; i += 32)
            to.store(at + i, first);
        return true;
    }
    if (count > GS_BIN_HUGE)
        return false;
    gs_divider divider;
    divider.set_window(gs_num<N>::length(varies));
    uint32_t low = ~0u, high = 0;
#pragma unroll 4
    for (uint32_t i = lane; i < count; i += 32) {
        const uint32_t w = gs_num<N>::window(keys[i], divider.shift);
        low = min(low, w);
        high = max(high, w);
    }
    divider.low = __reduce_min_sync(~0u, low);
    divider.set_bins(__reduce_max_sync(~0u, high), bin_count);
    uint32_t in_first;
    const uint32_t most =
        gs_local_count_bin(keys, count, bins, bin_count, divider, &in_first);
    if (divider.exact()) {
        for (uint32_t i = lane; i < count; i += 32)
            to.store(at + atomicAdd(&bins[divider.bin(keys[i])], 1u), keys[i]);
        return true;
    }
    if (most <= GS_BIN_UNEVEN) {
        gs_local_write_bin(keys, count, bins, bin_count, divider, to, at);
        return true;
    }
    if (!gs_local_wants_curve(in_first, count))
        return false;
    N least = first, greatest = first;
    for (uint32_t i = lane; i < count; i += 32) {
        least = gs_num_min(least, keys[i]);
        greatest = gs_num_max(greatest, keys[i]);
    }
    gs_warp_range(least, greatest);
    gs_curved_divider<N> curved;
    curved.set(least, greatest, bin_count);
    if (gs_local_count_bin(keys, count, bins, bin_count, curved, &in_first) >
        GS_BIN_UNEVEN)
        return false;
    gs_local_write_bin(keys, count, bins, bin_count, curved, to, at);
    return true;
}

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

/* What is too large for a block, but may be one value of which the sample had too little
 * to tell. If not, it goes to `oversize`. */
template <typename V, typename D, unsigned THREADS>
__device__ __forceinline__ void
gs_fill_suspects(const V &from, const D &to, const gs_segment *suspects,
                 gs_segment *oversize, gs_sample_control *control)
{
    using N = typename V::num;
    constexpr uint32_t EACH = 8;
    const uint32_t suspect_count = control->suspect_count;
    for (uint32_t s = blockIdx.x; s < suspect_count; s += gridDim.x) {
        const gs_segment segment = suspects[s];
        const uint32_t count = (uint32_t)segment.count;
        const N value = from.load(segment.start);
        bool is_one = true;
        for (uint32_t i0 = threadIdx.x; is_one && i0 - threadIdx.x < count;
             i0 += EACH * THREADS) {
            N differs = value ^ value;
#pragma unroll
            for (uint32_t j = 0; j < EACH; j++) {
                const uint32_t i = min(i0 + j * THREADS, count - 1);
                differs = differs | (from.load(segment.start + i) ^ value);
            }
            is_one = __syncthreads_and(gs_num<N>::is_zero(differs)) != 0;
        }
        if (!is_one) {
            if (threadIdx.x == 0)
                oversize[atomicAdd(&control->oversize_count, 1u)] = segment;
            continue;
        }
        for (uint32_t i = threadIdx.x; i < count; i += THREADS)
            to.store(segment.start + i, value);
    }
}

/* Parts of one value, 8 to 16 bytes written a key and nothing read. A block takes small
 * ones for itself; large ones are shared by all. */
template <typename V, typename D, unsigned THREADS>
__global__ void __launch_bounds__(THREADS)
    k_fill(V from, D to, const gs_fill<typename V::num> *fills,
           const gs_segment *suspects, gs_segment *oversize, gs_sample_control *control,
           uint32_t form)
{
    using N = typename V::num;
    if (gs_sample_skips(control, form))
        return;
    constexpr uint32_t SMALL = 256 * THREADS;
    __shared__ uint32_t large[THREADS], large_count;
    const uint32_t fill_count = control->fill_count;
    for (uint32_t f = blockIdx.x; f < fill_count; f += gridDim.x) {
        const gs_fill<N> fill = fills[f];
        if (fill.count <= SMALL)
            for (uint32_t i = threadIdx.x; i < fill.count; i += THREADS)
                to.store(fill.start + i, fill.value);
    }
    for (uint32_t f = threadIdx.x; f - threadIdx.x < fill_count; f += THREADS) {
        __syncthreads();
        if (threadIdx.x == 0)
            large_count = 0;
        __syncthreads();
        if (f < fill_count && fills[f].count > SMALL)
            large[atomicAdd(&large_count, 1u)] = f;
        __syncthreads();
        for (uint32_t k = 0; k < large_count; k++) {
            const gs_fill<N> fill = fills[large[k]];
            for (unsigned long long i =
                     (unsigned long long)blockIdx.x * THREADS + threadIdx.x;
                 i < fill.count; i += (unsigned long long)gridDim.x * THREADS)
                to.store(fill.start + i, fill.value);
        }
    }
    gs_fill_suspects<V, D, THREADS>(from, to, suspects, oversize, control);
}

#endif
