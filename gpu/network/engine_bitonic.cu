/* SPDX-License-Identifier: MIT */
/*
 * engine_bitonic: the bitonic network, and its stages alone as a merge of sorted
 * sequences. In place, no scratch. Kernels: network.cuh and network_pass.cuh; which of
 * them in which order: network_plan.h.
 */
#include "gpu/network/bitonic.h"

#include "gpu/engine/engine_ops.cuh"
#include "gpu/network/network_pass.cuh"
#include "gpu/network/network_plan.h"

namespace
{

template <typename K> cudaError_t allow_shared(K kernel, size_t bytes)
{
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                (int)bytes);
}

/* The kernels of one sort, one after the other on a stream. */
template <typename V> struct launcher {
    using Tile = gs_network_tile<typename V::num>;
    static constexpr int BITS = Tile::BITS, RUN_MIN = Tile::RUN_MIN;
    V view;
    size_t count;
    cudaStream_t stream;
    gs_status *st;

    template <typename... A>
    gs_code start(size_t blocks, void (*kernel)(A...), A... arguments) const
    {
        GPU_TRY(st, allow_shared(kernel, Tile::SHARED_BYTES));
        kernel<<<(unsigned)blocks, Tile::THREADS, Tile::SHARED_BYTES, stream>>>(
            arguments...);
        GPU_LAUNCHED(st, stream, "k_network");
        return GS_OK;
    }
    /* Tiles of consecutive numbers. */
    gs_code tiles(void (*kernel)(V, size_t, uint32_t)) const
    {
        return start((count + ((size_t)1 << BITS) - 1) >> BITS, kernel, view, count, 1u);
    }
    /* Tiles out of blocks of 2^high numbers. */
    gs_code blocks(void (*kernel)(V, size_t, int, uint32_t), int high) const
    {
        const size_t whole = (count + ((size_t)1 << high) - 1) >> high;
        return start(whole << (high - BITS), kernel, view, count, high, 1u);
    }
    template <int RUN = RUN_MIN> gs_code cross(int run, int high) const
    {
        if constexpr (RUN < BITS - 1)
            if (run > RUN)
                return cross<RUN + 1>(run, high);
        return blocks(k_network_cross<V, RUN>, high);
    }
    template <bool MIRROR> gs_code steps(int run, int high) const
    {
        if (run == RUN_MIN)
            return blocks(k_network_pass<V, BITS - RUN_MIN, MIRROR>, high);
        return blocks(k_network_pass<V, BITS - RUN_MIN - 1, MIRROR>, high);
    }
    gs_code make(const gs_network_pass &pass) const
    {
        switch (pass.kind) {
        case GS_NETWORK_FIRST: return steps<true>(pass.run_bits, pass.high);
        case GS_NETWORK_MIDDLE: return steps<false>(pass.run_bits, pass.high);
        case GS_NETWORK_CROSS: return cross(pass.run_bits, pass.high);
        case GS_NETWORK_LAST: break;
        }
        return tiles(k_network_last<V>);
    }
};

template <typename V>
gs_code launch(V view, size_t count, int sorted_bits, cudaStream_t stream, gs_status *st)
{
    const launcher<V> go = {view, count, stream, st};
    if (sorted_bits < go.BITS) {
        GS_TRY(go.tiles(k_network_tiles<V>));
        sorted_bits = go.BITS;
    }
    if (count <= (size_t)1 << sorted_bits)
        return GS_OK;
    int all_bits = sorted_bits;
    while ((size_t)1 << all_bits < count)
        all_bits++;
    gs_network_plan plan;
    gs_network_plan_init(&plan, {go.BITS, go.RUN_MIN, (int)sizeof(typename V::num)},
                         sorted_bits, all_bits);
    for (gs_network_pass pass; gs_network_plan_next(&plan, &pass);)
        GS_TRY(go.make(pass));
    return GS_OK;
}

gs_code launch_type(gs_batch_type type, void *keys, uint32_t *values, size_t count,
                    int sorted_bits, cudaStream_t stream, gs_status *st)
{
    return gs_with_view(type, keys, values, [&](auto view) {
        return launch(view, count, sorted_bits, stream, st);
    });
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
