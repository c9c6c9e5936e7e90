/* SPDX-License-Identifier: MIT */
/*
 * engine_bitonic: the bitonic network, and its stages alone as a merge of sorted
 * sequences. In place, no scratch. Kernels and index mapping: network.cuh.
 */
#include "gpu/bitonic.h"

#include "gpu/engine_ops.cuh"
#include "gpu/network.cuh"

namespace
{

template <typename K> cudaError_t allow_shared(K kernel, size_t bytes)
{
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                (int)bytes);
}

template <typename V, int STEPS>
gs_code launch_pass(V view, size_t count, int high, bool mirror, cudaStream_t stream,
                    gs_status *st)
{
    using Tile = gs_network_tile<typename V::num>;
    constexpr size_t BYTES = Tile::SHARED_BYTES;
    const unsigned blocks =
        (unsigned)(((count + ((size_t)1 << high) - 1) >> high) << (high - Tile::BITS));
    if (mirror) {
        GPU_TRY(st, allow_shared(k_network_pass<V, STEPS, true>, BYTES));
        k_network_pass<V, STEPS, true>
            <<<blocks, Tile::THREADS, BYTES, stream>>>(view, count, high, 1);
    } else {
        GPU_TRY(st, allow_shared(k_network_pass<V, STEPS, false>, BYTES));
        k_network_pass<V, STEPS, false>
            <<<blocks, Tile::THREADS, BYTES, stream>>>(view, count, high, 1);
    }
    GPU_LAUNCHED(st, stream, "k_network_pass");
    return GS_OK;
}

/* Stage `s`, larger than a tile: its steps above the tile in passes of 5 to 11, then
 * the rest in one. A pass may go on into the tile: a step done twice changes nothing. */
template <typename V>
gs_code launch_stage(V view, size_t count, int s, unsigned blocks, cudaStream_t stream,
                     gs_status *st)
{
    using Tile = gs_network_tile<typename V::num>;
    int left = s - Tile::BITS, high = s;
    while (left > 0) {
        const int passes = (left + 10) / 11, share = (left + passes - 1) / passes;
        const int steps = share <= 5 ? 5 : share <= 7 ? 7 : share <= 9 ? 9 : share;
        const bool mirror = high == s;
        if (steps == 5)
            GS_TRY((launch_pass<V, 5>(view, count, high, mirror, stream, st)));
        else if (steps == 7)
            GS_TRY((launch_pass<V, 7>(view, count, high, mirror, stream, st)));
        else if (steps == 9)
            GS_TRY((launch_pass<V, 9>(view, count, high, mirror, stream, st)));
        else if (steps == 10)
            GS_TRY((launch_pass<V, 10>(view, count, high, mirror, stream, st)));
        else
            GS_TRY((launch_pass<V, 11>(view, count, high, mirror, stream, st)));
        high -= steps;
        left -= steps;
    }
    k_network_last<V>
        <<<blocks, Tile::THREADS, Tile::SHARED_BYTES, stream>>>(view, count, 1);
    GPU_LAUNCHED(st, stream, "k_network_last");
    return GS_OK;
}

template <typename V>
gs_code launch(V view, size_t count, int sorted_bits, cudaStream_t stream, gs_status *st)
{
    using Tile = gs_network_tile<typename V::num>;
    constexpr size_t BYTES = Tile::SHARED_BYTES;
    const unsigned blocks =
        (unsigned)((count + ((size_t)1 << Tile::BITS) - 1) >> Tile::BITS);
    GPU_TRY(st, allow_shared(k_network_tiles<V>, BYTES));
    GPU_TRY(st, allow_shared(k_network_last<V>, BYTES));
    if (sorted_bits < Tile::BITS) {
        k_network_tiles<V><<<blocks, Tile::THREADS, BYTES, stream>>>(view, count, 1);
        GPU_LAUNCHED(st, stream, "k_network_tiles");
        sorted_bits = Tile::BITS;
    }
    for (int s = sorted_bits + 1; ((size_t)1 << (s - 1)) < count; s++)
        GS_TRY(launch_stage(view, count, s, blocks, stream, st));
    return GS_OK;
}

gs_code launch_type(gs_batch_type type, void *keys, uint32_t *values, size_t count,
                    int sorted_bits, cudaStream_t stream, gs_status *st)
{
    if (type == GS_BATCH_U64)
        return launch(gs_view_u64{(uint64_t *)keys}, count, sorted_bits, stream, st);
    if (type == GS_BATCH_U128)
        return launch(gs_view_u128{(gs_num128 *)keys}, count, sorted_bits, stream, st);
    return launch(gs_view_pair{(uint64_t *)keys, values}, count, sorted_bits, stream, st);
}

gs_code bitonic_scratch(gs_batch_type, size_t, size_t *out_bytes, gs_status *)
{
    *out_bytes = 0;
    return GS_OK;
}

gs_code bitonic_submit(const gs_engine_run *run, gs_status *st)
{
    return launch_type(run->type, run->d_keys, run->d_values, run->count, 0, run->stream,
                       st);
}

} // namespace

gs_code gs_bitonic_merge(gs_batch_type type, const gs_batch *batch, size_t run_keys,
                         gs_status *st)
{
    if (run_keys == 0 || (run_keys & (run_keys - 1)) != 0)
        return GS_FAIL(st, GS_ERR_ARG, 0, "bitonic merge: runs of %zu keys, not 2^k",
                       run_keys);
    if (batch->count < 2)
        return GS_OK;
    int bits = 0;
    while (((size_t)1 << bits) < run_keys)
        bits++;
    cudaStream_t stream;
    GPU_TRY(st, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    (void)launch_type(type, batch->keys, batch->values, batch->count, bits, stream, st);
    const cudaError_t error = cudaStreamSynchronize(stream);
    (void)cudaStreamDestroy(stream);
    GPU_TRY(st, error);
    return st->code;
}

const gs_engine_ops gs_engine_bitonic = {"bitonic",       "bitonic network, in place",
                                         bitonic_scratch, bitonic_submit,
                                         nullptr,         nullptr};
