/* SPDX-License-Identifier: MIT */
#include "gpu/generate.h"

#include "gpu/gpu_try.cuh"
#include "gpu/key.cuh"
#include "lib/base/assertion.h"

namespace
{

__device__ uint64_t hash(uint64_t a)
{
    a += UINT64_C(0x9e3779b97f4a7c15);
    a = (a ^ (a >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    a = (a ^ (a >> 27)) * UINT64_C(0x94d049bb133111eb);
    return a ^ (a >> 31);
}

__device__ double unit(uint64_t a)
{
    return ((double)(a >> 11) + 0.5) * 0x1p-53;
}

__device__ double normal(uint64_t a)
{
    return sqrt(-2 * log(unit(hash(a)))) * cospi(2 * unit(hash(~a)));
}

/* A term of `terms`, the first the most frequent, as Zipf's law has it. */
__device__ uint64_t zipf(uint64_t a, double terms)
{
    return (uint64_t)(exp(unit(a) * log(terms)) - 1.0);
}

__device__ gs_num128 number(gs_distribution distribution, uint64_t seed, uint64_t i,
                            uint64_t count)
{
    const uint64_t r = hash(hash(seed) + i), stride = ~UINT64_C(0) / count;
    switch (distribution) {
    case GS_DIST_GAUSSIAN: {
        const double a = 0x1p63 + 0x1p60 * normal(r);
        return {(uint64_t)fmin(fmax(a, 0.0), 0x1.fffffffffffffp63), hash(r)};
    }
    case GS_DIST_ZIPF: return {zipf(hash(r), 0x1p22) << 32 | (r >> 32), r & 0xffff};
    case GS_DIST_POISSON: return {(uint64_t)fmax(0.0, rint(1e6 + 1e3 * normal(r))), 0};
    case GS_DIST_SORTED: return {i * stride, i};
    case GS_DIST_DESCENDING: return {(count - 1 - i) * stride, count - i};
    case GS_DIST_EQUAL:
        return {UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210)};
    case GS_DIST_FEW: return {hash(r % 1000), 5};
    case GS_DIST_GAPS: return {zipf(hash(r), 0x1p22) << 32 | (r >> 40), r & 0xffff};
    case GS_DIST_CLUMPS: return {hash(r >> 44) + (r & 0xff), r & 0xff00};
    case GS_DIST_UNIFORM:
    default: return {r, hash(r)};
    }
}

__global__ void k_generate(gs_distribution distribution, uint64_t seed,
                           bool random_values, gs_batch_type type, void *keys,
                           uint32_t *values, size_t count)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < count;
         i += (size_t)gridDim.x * blockDim.x) {
        const gs_num128 a = number(distribution, seed, i, count);
        if (type == GS_BATCH_U128)
            ((gs_num128 *)keys)[i] = a;
        else
            ((uint64_t *)keys)[i] = a.hi;
        if (type == GS_BATCH_U64_U32)
            values[i] = random_values ? (uint32_t)hash(i ^ seed) : (uint32_t)i;
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
        const gs_num128 wide = {sizeof(a) > 8 ? gs_pack_low(a >> 32) : 0, gs_pack_low(a)};
        sum += hash(hash(wide.lo) + hash(~wide.hi));
        if (sizeof(a) > 8)
            sum += hash(gs_pack_low(a >> (sizeof(a) > 8 ? 64 : 0)) ^ hash(wide.lo));
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
    void *const keys = const_cast<void *>(d_keys);
    if (type == GS_BATCH_U64)
        k_fingerprint<<<1024, 256, 0, stream>>>(gs_view_u64{(uint64_t *)keys}, count,
                                                d_out);
    else if (type == GS_BATCH_U128)
        k_fingerprint<<<1024, 256, 0, stream>>>(gs_view_u128{(gs_num128 *)keys}, count,
                                                d_out);
    else
        k_fingerprint<<<1024, 256, 0, stream>>>(
            gs_view_pair{(uint64_t *)keys, const_cast<uint32_t *>(d_values)}, count,
            d_out);
    GPU_LAUNCHED(st, stream, "k_fingerprint");
    return GS_OK;
}

} // namespace

const char *gs_distribution_name(gs_distribution distribution)
{
    static const char *const names[GS_DIST_COUNT] = {
        "uniform",    "gaussian", "zipf", "poisson", "sorted",
        "descending", "equal",    "few",  "gaps",    "clumps"};
    gs_assert((unsigned)distribution < GS_DIST_COUNT);
    return names[distribution];
}

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
