/* SPDX-License-Identifier: MIT */
/*
 * sample_bins: numbers divided into bins in order, evenly or by the logarithm, and a bin
 * of a part in shared memory that a warp puts in order by dividing it once more.
 *
 *      divider          bin = (window of the key - least) * bins / range
 *      curved divider   the same of the logarithm: most keys were in the first bin
 */
#ifndef GS_GPU_SAMPLE_BINS_CUH
#define GS_GPU_SAMPLE_BINS_CUH

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

#endif
