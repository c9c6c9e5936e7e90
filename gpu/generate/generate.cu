/* SPDX-License-Identifier: MIT */
#include "gpu/generate/generate.h"

#include "gpu/generate/gen_numbers.h"
#include "gpu/engine/engine_ops.cuh"

namespace
{

__global__ void k_generate(gs_distribution distribution, uint64_t seed,
                           bool random_values, gs_batch_type type, void *keys,
                           uint32_t *values, size_t count)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x) {
        const gs_u128 a = gs_gen_number(distribution, seed, i, count);
        if (type == GS_BATCH_U128)
            ((gs_u128 *)keys)[i] = a;
        else
            ((uint64_t *)keys)[i] = a.hi;
        if (type == GS_BATCH_U64_U32)
            values[i] = gs_gen_value(seed, i, random_values);
    }
}

template <typename V>
__global__ void k_fingerprint(V view, size_t count, unsigned long long *out)
{
    unsigned long long disorder = 0, sum = 0;
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x) {
        const typename V::num a = view.load(i);
        disorder += i + 1 < count && view.load(i + 1) < a;
        const gs_u128 record =
            gs_gen_pair(sizeof(a) > 8 ? gs_pack_low(a >> (sizeof(a) > 8 ? 64 : 0)) : 0,
                        gs_pack_low(a));
        sum += gs_gen_record_hash(record, sizeof(a) > 8);
    }
    for (int m = 16; m > 0; m /= 2) {
        disorder += __shfl_xor_sync(~0u, disorder, m);
        sum += __shfl_xor_sync(~0u, sum, m);
    }
    if ((threadIdx.x & 31) == 0) {
        if (disorder)
            atomicAdd(&out[0], disorder);
        atomicAdd(&out[1], sum);
    }
}

gs_code fingerprint(gs_batch_type type, const void *d_keys, const uint32_t *d_values,
                    size_t count, unsigned long long *d_out, cudaStream_t stream,
                    gs_status *st)
{
    GPU_TRY(st, cudaMemsetAsync(d_out, 0, 16, stream));
    return gs_with_view(type, const_cast<void *>(d_keys),
                        const_cast<uint32_t *>(d_values), [&](auto view) {
                            k_fingerprint<<<1024, 256, 0, stream>>>(view, count, d_out);
                            GPU_LAUNCHED(st, stream, "k_fingerprint");
                            return GS_OK;
                        });
}

} // namespace

gs_code gs_generate(gs_batch_type type, gs_distribution distribution, uint64_t seed,
                    bool random_values, void *d_keys, uint32_t *d_values, size_t count,
                    gs_status *st)
{
    if (count == 0)
        return GS_OK;
    cudaStream_t stream;
    GPU_TRY(st, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    k_generate<<<2048, 256, 0, stream>>>(distribution, seed, random_values, type, d_keys,
                                         d_values, count);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(stream);
    (void)cudaStreamDestroy(stream);
    GPU_TRY(st, error);
    return GS_OK;
}

gs_code gs_fingerprint_take(gs_batch_type type, const void *d_keys,
                            const uint32_t *d_values, size_t count, gs_fingerprint *out,
                            gs_status *st)
{
    cudaStream_t stream = nullptr;
    void *d_out = nullptr;
    *out = {};
    if (count == 0)
        return GS_OK;
    GPU_TRY_OR_FAIL(st, cudaMalloc(&d_out, sizeof *out));
    GPU_TRY_OR_FAIL(st, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    GS_TRY_OR_FAIL(fingerprint(type, d_keys, d_values, count, (unsigned long long *)d_out,
                               stream, st));
    GPU_TRY_OR_FAIL(
        st, cudaMemcpyAsync(out, d_out, sizeof *out, cudaMemcpyDeviceToHost, stream));
    GPU_TRY_OR_FAIL(st, cudaStreamSynchronize(stream));
fail:
    if (stream)
        (void)cudaStreamDestroy(stream);
    (void)cudaFree(d_out);
    return st->code;
}
