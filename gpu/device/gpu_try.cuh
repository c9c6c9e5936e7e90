/* SPDX-License-Identifier: MIT */
/*
 * gpu_try: how CUDA calls report. Every call sits in GPU_TRY and every launch is followed
 * by GPU_LAUNCHED, which in a debug run (GS_GPU_DEBUG=1) also waits for the kernel, so
 * that a failure is reported where it happened. For tests, any of them can be made to
 * fail (fault.h); that costs one look at a flag otherwise.
 */
#ifndef GS_GPU_GPU_TRY_CUH
#define GS_GPU_GPU_TRY_CUH

#include <cuda_runtime.h>

#include "lib/base/status.h"

/* Fills `st`; out of memory becomes GS_ERR_NOMEM, anything else GS_ERR_GPU. */
gs_code gs_gpu_fail(gs_status *st, cudaError_t error, const char *file, int line,
                    const char *what);
/* The last error, and in a debug run the end of the stream's work. */
cudaError_t gs_gpu_launched(cudaStream_t stream);

extern bool gs_fault_is_armed;
/* Counts a call; what it is to fail with, if it is to. */
cudaError_t gs_fault_next();
static inline cudaError_t gs_gpu_fault()
{
    return gs_fault_is_armed ? gs_fault_next() : cudaSuccess;
}

#define GPU_TRY(st, expr)                                                                \
    do {                                                                                 \
        cudaError_t gpu_error_ = gs_gpu_fault();                                         \
        if (gpu_error_ == cudaSuccess)                                                   \
            gpu_error_ = (expr);                                                         \
        if (gpu_error_ != cudaSuccess)                                                   \
            return gs_gpu_fail((st), gpu_error_, __FILE__, __LINE__, #expr);             \
    } while (0)

/* The same for functions with one `fail:` label. */
#define GPU_TRY_OR_FAIL(st, expr)                                                        \
    do {                                                                                 \
        cudaError_t gpu_error_ = gs_gpu_fault();                                         \
        if (gpu_error_ == cudaSuccess)                                                   \
            gpu_error_ = (expr);                                                         \
        if (gpu_error_ != cudaSuccess) {                                                 \
            (void)gs_gpu_fail((st), gpu_error_, __FILE__, __LINE__, #expr);              \
            goto fail;                                                                   \
        }                                                                                \
    } while (0)

#define GPU_LAUNCHED(st, stream, name)                                                   \
    do {                                                                                 \
        const cudaError_t gpu_error_ = gs_gpu_launched(stream);                          \
        if (gpu_error_ != cudaSuccess)                                                   \
            return gs_gpu_fail((st), gpu_error_, __FILE__, __LINE__, "kernel " name);    \
    } while (0)

#endif
