/* SPDX-License-Identifier: MIT */
/*
 * every_key: an even sample of keys in device memory, for who wants their ranks alone.
 *
 * The device writes into the host's memory: a few thousand keys are there before a copy
 * would have begun.
 */
#include "gpu/engine/engine.h"
#include "gpu/device/gpu_try.cuh"
#include "lib/base/assertion.h"

namespace
{

__global__ void k_every(const uint64_t *keys, size_t taken, uint64_t stride, uint64_t *to)
{
    for (size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x; i < taken;
         i += (size_t)gridDim.x * blockDim.x)
        to[i] = keys[i * stride];
}

} // namespace

gs_code gs_engine_take_every(const uint64_t *d_keys, size_t count, uint64_t stride,
                             uint64_t *to, gs_status *st)
{
    gs_assert(stride > 0);
    if (count == 0)
        return GS_OK;
    const size_t taken = (count - 1) / stride + 1, blocks = (taken + 255) / 256;
    cudaStream_t stream;
    GPU_TRY(st, cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
    k_every<<<(unsigned)(blocks < 1024 ? blocks : 1024), 256, 0, stream>>>(d_keys, taken,
                                                                           stride, to);
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess)
        error = cudaStreamSynchronize(stream);
    (void)cudaStreamDestroy(stream);
    GPU_TRY(st, error);
    return GS_OK;
}
