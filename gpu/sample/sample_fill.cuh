/* SPDX-License-Identifier: MIT */
/*
 * sample_fill: parts whose keys are all the same are written, and nothing is sorted.
 */
#ifndef GS_GPU_SAMPLE_FILL_CUH
#define GS_GPU_SAMPLE_FILL_CUH

#include "gpu/sample/sample_types.cuh"

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
