/* SPDX-License-Identifier: MIT */
/*
 * block_scan: sums, least and greatest numbers over a warp or a block.
 *
 * Every thread of the block calls, with the same scratch in shared memory, and the
 * scratch may be used again after the next __syncthreads.
 */
#ifndef GS_GPU_BLOCK_SCAN_CUH
#define GS_GPU_BLOCK_SCAN_CUH

#include "gpu/device/key.cuh"

template <typename T> __device__ __forceinline__ T gs_warp_scan_inclusive(T a)
{
    const unsigned lane = threadIdx.x & 31;
#pragma unroll
    for (unsigned d = 1; d < 32; d *= 2) {
        const T below = __shfl_up_sync(~0u, a, d);
        if (lane >= d)
            a += below;
    }
    return a;
}

/* The sum of `a` over the threads before this one; *total is the sum over all.
 * `scratch` holds THREADS / 32 + 1 values. */
template <unsigned THREADS, typename T>
__device__ __forceinline__ T gs_block_scan_exclusive(T a, T *scratch, T *total)
{
    constexpr unsigned WARPS = THREADS / 32;
    static_assert(THREADS % 32 == 0 && WARPS <= 32, "a block of whole warps");
    const T inclusive = gs_warp_scan_inclusive(a);
    if ((threadIdx.x & 31) == 31)
        scratch[threadIdx.x / 32] = inclusive;
    __syncthreads();
    if (threadIdx.x < 32) {
        const T mine = threadIdx.x < WARPS ? scratch[threadIdx.x] : T(0);
        const T sum = gs_warp_scan_inclusive(mine);
        if (threadIdx.x < WARPS)
            scratch[threadIdx.x] = sum - mine;
        if (threadIdx.x == WARPS - 1)
            scratch[WARPS] = sum;
    }
    __syncthreads();
    *total = scratch[WARPS];
    return scratch[threadIdx.x / 32] + inclusive - a;
}

/* The least and greatest over the warp. */
template <typename N> __device__ __forceinline__ void gs_warp_range(N &low, N &high)
{
#pragma unroll
    for (int m = 16; m > 0; m /= 2) {
        low = gs_num_min(low, gs_num<N>::shuffle_xor(low, m));
        high = gs_num_max(high, gs_num<N>::shuffle_xor(high, m));
    }
}

/* The least and greatest over the block. `scratch` holds 2 * THREADS / 32 numbers. */
template <unsigned THREADS, typename N>
__device__ __forceinline__ void gs_block_range(N &low, N &high, N *scratch)
{
    constexpr unsigned WARPS = THREADS / 32;
    gs_warp_range(low, high);
    if ((threadIdx.x & 31) == 0) {
        scratch[threadIdx.x / 32] = low;
        scratch[WARPS + threadIdx.x / 32] = high;
    }
    __syncthreads();
    const unsigned w = (threadIdx.x & 31) % WARPS;
    low = scratch[w];
    high = scratch[WARPS + w];
    gs_warp_range(low, high);
}

/* Sorts `count` numbers in shared memory with `THREADS` threads: a bitonic network whose
 * stages start with a reversal, so that every comparator points upward and numbers past
 * the end act as if they were the greatest. Ends with a barrier. */
template <unsigned THREADS, typename N>
__device__ void gs_block_sort_network(N *numbers, unsigned count)
{
    unsigned size = 1;
    while (size < count)
        size *= 2;
    for (unsigned span = 2; span <= size; span *= 2) {
        for (unsigned half = span / 2; half > 0; half /= 2) {
            __syncthreads();
            for (unsigned p = threadIdx.x; p < size / 2; p += THREADS) {
                const unsigned low_bits = p & (half - 1);
                const unsigned a = (p - low_bits) * 2 + low_bits;
                const unsigned b = half == span / 2
                                       ? (p - low_bits) * 2 + span - 1 - low_bits
                                       : a + half;
                if (b < count) {
                    const N x = numbers[a], y = numbers[b];
                    if (y < x) {
                        numbers[a] = y;
                        numbers[b] = x;
                    }
                }
            }
        }
    }
    __syncthreads();
}

#endif
