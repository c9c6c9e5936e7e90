/* SPDX-License-Identifier: MIT */
/*
 * block_sort: a block sorts a few thousand numbers, by CUB's merge sort. The network in
 * block_scan.cuh needs no room beside the numbers, and takes four to five times as long.
 */
#ifndef GS_GPU_BLOCK_SORT_CUH
#define GS_GPU_BLOCK_SORT_CUH

#include <cub/block/block_merge_sort.cuh>

#include "gpu/device/key.cuh"

template <typename N> struct gs_less {
    __device__ __forceinline__ bool operator()(const N &a, const N &b) const
    {
        return a < b;
    }
};

template <typename N, unsigned THREADS, unsigned ITEMS>
using gs_block_sorter = cub::BlockMergeSort<N, (int)THREADS, (int)ITEMS>;

/* Bytes of shared memory for gs_block_sort, aligned to 16: `numbers` and more. */
template <typename N, unsigned THREADS, unsigned ITEMS>
constexpr size_t gs_block_sort_bytes()
{
    return sizeof(typename gs_block_sorter<N, THREADS, ITEMS>::TempStorage);
}

/* Puts the first `count` of the numbers that load(i) gives, at most THREADS * ITEMS, in
 * order at the beginning of `shared`. Ends with a barrier. */
template <unsigned THREADS, unsigned ITEMS, typename N, typename Load>
__device__ __forceinline__ void gs_block_sort(void *shared, uint32_t count,
                                              const Load &load)
{
    using Sorter = gs_block_sorter<N, THREADS, ITEMS>;
    static_assert(sizeof(typename Sorter::TempStorage) >= sizeof(N) * THREADS * ITEMS,
                  "the numbers take its place");
    N number[ITEMS];
#pragma unroll
    for (uint32_t j = 0; j < ITEMS; j++) {
        const uint32_t i = j * THREADS + threadIdx.x;
        number[j] = i < count ? load(i) : gs_num<N>::max();
    }
    Sorter(*static_cast<typename Sorter::TempStorage *>(shared))
        .Sort(number, gs_less<N>{});
    __syncthreads();
    N *const sorted = static_cast<N *>(shared);
#pragma unroll
    for (uint32_t j = 0; j < ITEMS; j++) {
        const uint32_t i = threadIdx.x * ITEMS + j;
        if (i < count)
            sorted[i] = number[j];
    }
    __syncthreads();
}

#endif
