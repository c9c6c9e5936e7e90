/* SPDX-License-Identifier: MIT */
/*
 * engine_pbsn: the periodic balanced sorting network, to compare with the bitonic one.
 *
 * For 2^L numbers it has L equal stages of L steps. The step for blocks of 2^h numbers
 * compares each number of the lower half of a block with the mirrored one of the upper
 * half; h goes from L down to 1. Any count: what is past the end acts as the greatest
 * number. Steps for blocks larger than a tile are a pass over all numbers each; the rest
 * of a stage is one pass with tiles in shared memory.
 */
#include "gpu/engine/engine_ops.cuh"

namespace
{

enum { TILE_BITS = 12, TILE = 1 << TILE_BITS, THREADS = 512 };

/* A pair a thread: 32 to 64 bytes moved. */
template <typename V> __global__ void k_pbsn_step(V view, size_t count, int h)
{
    const size_t pair = (size_t)blockIdx.x * THREADS + threadIdx.x;
    const size_t half = (size_t)1 << (h - 1), in_half = pair & (half - 1);
    const size_t a = (pair - in_half) * 2 + in_half;
    const size_t b = a ^ (2 * half - 1);
    if (a >= count || b >= count)
        return;
    const typename V::num x = view.load(a), y = view.load(b);
    if (y < x) {
        view.store(a, y);
        view.store(b, x);
    }
}

/* The steps for blocks of up to a tile; 8 numbers a thread, read and written once. */
template <typename V>
__global__ void __launch_bounds__(THREADS) k_pbsn_tile(V view, size_t count)
{
    using N = typename V::num;
    extern __shared__ uint4 shared_words[];
    N *const tile = reinterpret_cast<N *>(shared_words);
    const size_t origin = (size_t)blockIdx.x << TILE_BITS;
    for (unsigned i = threadIdx.x; i < TILE; i += THREADS)
        tile[i] = origin + i < count ? view.load(origin + i) : gs_num<N>::max();
    for (int h = TILE_BITS; h > 0; h--) {
        __syncthreads();
        const unsigned half = 1u << (h - 1);
        for (unsigned pair = threadIdx.x; pair < TILE / 2; pair += THREADS) {
            const unsigned in_half = pair & (half - 1);
            const unsigned a = (pair - in_half) * 2 + in_half, b = a ^ (2 * half - 1);
            const N x = tile[a], y = tile[b];
            if (y < x) {
                tile[a] = y;
                tile[b] = x;
            }
        }
    }
    __syncthreads();
    for (unsigned i = threadIdx.x; i < TILE; i += THREADS)
        if (origin + i < count)
            view.store(origin + i, tile[i]);
}

template <typename V>
gs_code launch(V view, size_t count, cudaStream_t stream, gs_status *st)
{
    const size_t bytes = sizeof(typename V::num) * TILE;
    GPU_TRY(st, cudaFuncSetAttribute(k_pbsn_tile<V>,
                                     cudaFuncAttributeMaxDynamicSharedMemorySize,
                                     (int)bytes));
    int bits = 1;
    while (((size_t)1 << bits) < count)
        bits++;
    const unsigned tiles = (unsigned)((count + TILE - 1) / TILE);
    for (int stage = 0; stage < bits; stage++) {
        for (int h = bits; h > TILE_BITS; h--) {
            const size_t pairs = ((count + ((size_t)1 << h) - 1) >> h) << (h - 1);
            k_pbsn_step<<<(unsigned)(pairs / THREADS), THREADS, 0, stream>>>(view, count,
                                                                             h);
            GPU_LAUNCHED(st, stream, "k_pbsn_step");
        }
        k_pbsn_tile<<<tiles, THREADS, bytes, stream>>>(view, count);
        GPU_LAUNCHED(st, stream, "k_pbsn_tile");
    }
    return GS_OK;
}

gs_code pbsn_scratch(gs_batch_type, size_t, size_t *out_bytes, gs_status *)
{
    *out_bytes = 0;
    return GS_OK;
}

gs_code pbsn_submit(const gs_engine_run *run, gs_status *st)
{
    return gs_with_view(run->type, run->d_keys, run->d_values, [&](auto view) {
        return launch(view, run->count, run->stream, st);
    });
}

} // namespace

const gs_engine_ops gs_engine_pbsn = {
    "pbsn",       "periodic balanced sorting network, in place",
    pbsn_scratch, pbsn_submit,
    nullptr,      nullptr};
