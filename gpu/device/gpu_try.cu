/* SPDX-License-Identifier: MIT */
#include "gpu/device/gpu_try.cuh"

#include <stdlib.h>

gs_code gs_gpu_fail(gs_status *st, cudaError_t error, const char *file, int line,
                    const char *what)
{
    const gs_code code = error == cudaErrorMemoryAllocation ? GS_ERR_NOMEM : GS_ERR_GPU;
    /* Takes the error off, so that a later call does not report it again. */
    (void)cudaGetLastError();
    return gs_status_fail(st, code, (int)error, file, line, "GPU: %s: %s", what,
                          cudaGetErrorString(error));
}

cudaError_t gs_gpu_launched(cudaStream_t stream)
{
    static const char *const debug = getenv("GS_GPU_DEBUG");
    cudaError_t error = cudaGetLastError();
    if (error == cudaSuccess)
        error = gs_gpu_fault();
    if (error != cudaSuccess || debug == nullptr || debug[0] != '1')
        return error;
    return cudaStreamSynchronize(stream);
}
