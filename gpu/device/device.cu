/* SPDX-License-Identifier: MIT */
#include "gpu/device/device.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "gpu/device/device_use.cuh"
#include "gpu/device/gpu_try.cuh"

namespace
{

/* Why there is no device, in words; NULL if there is one. */
const char *find(int *out_count)
{
    int count = 0;
    const cudaError_t error = cudaGetDeviceCount(&count);
    *out_count = error == cudaSuccess ? count : 0;
    (void)cudaGetLastError();
    if (error == cudaErrorInsufficientDriver) {
        int driver = 0;
        if (cudaDriverGetVersion(&driver) == cudaSuccess && driver != 0)
            return "the NVIDIA driver is older than this program needs";
        return "no NVIDIA driver was found";
    }
    if (error == cudaErrorNoDevice || (error == cudaSuccess && count == 0))
        return "the NVIDIA driver shows no GPU";
    return error == cudaSuccess ? nullptr : cudaGetErrorString(error);
}

__attribute__((format(printf, 3, 4))) void add(char *text, size_t text_bytes,
                                               const char *fmt, ...)
{
    const size_t used = strlen(text);
    va_list args;
    va_start(args, fmt);
    (void)vsnprintf(text + used, text_bytes - used, fmt, args);
    va_end(args);
}

} // namespace

__global__ void k_probe()
{
}

bool gs_device_is_likely(void)
{
    return gs_device_has_driver();
}

unsigned gs_device_count(void)
{
    int count;
    (void)find(&count);
    return (unsigned)count;
}

gs_code gs_device_get(unsigned index, gs_device *out, gs_status *st)
{
    *out = {};
    cudaDeviceProp properties;
    int before = 0;
    GPU_TRY(st, cudaGetDevice(&before));
    GPU_TRY(st, cudaGetDeviceProperties(&properties, (int)index));
    out->index = (int)index;
    (void)snprintf(out->name, sizeof out->name, "%s", properties.name);
    out->major = properties.major;
    out->minor = properties.minor;
    out->processor_count = (unsigned)properties.multiProcessorCount;
    out->memory_bytes = properties.totalGlobalMem;
    out->l2_bytes = (size_t)properties.l2CacheSize;
    GPU_TRY(st, cudaSetDevice((int)index));
    cudaFuncAttributes attributes;
    size_t total = 0;
    out->usable = cudaFuncGetAttributes(&attributes, k_probe) == cudaSuccess &&
                  cudaMemGetInfo(&out->free_bytes, &total) == cudaSuccess;
    (void)cudaGetLastError();
    GPU_TRY(st, cudaSetDevice(before));
    return GS_OK;
}

gs_code gs_device_use(int index, gs_code missing, gs_device *out, gs_status *st)
{
    const unsigned count = gs_device_count();
    if (index < 0 || (unsigned)index >= count)
        return GS_FAIL(st, missing, 0, "GPU %d: there are %u", index, count);
    GS_TRY(gs_device_get((unsigned)index, out, st));
    if (!out->usable)
        return GS_FAIL(st, GS_ERR_GPU, 0, "GPU %d (%s): this build has no code for it",
                       index, out->name);
    GPU_TRY(st, cudaSetDevice(index));
    return GS_OK;
}

bool gs_device_reaches(unsigned to, unsigned from)
{
    int can = 0;
    const cudaError_t error = cudaDeviceCanAccessPeer(&can, (int)to, (int)from);
    (void)cudaGetLastError();
    return error == cudaSuccess && can != 0;
}

gs_code gs_device_open_way(int index, int other, gs_status *st)
{
    GPU_TRY(st, cudaSetDevice(index));
    if (index == other || !gs_device_reaches((unsigned)index, (unsigned)other))
        return GS_OK;
    const cudaError_t error = cudaDeviceEnablePeerAccess(other, 0);
    if (error == cudaErrorPeerAccessAlreadyEnabled) {
        (void)cudaGetLastError();
        return GS_OK;
    }
    GPU_TRY(st, error);
    return GS_OK;
}

gs_code gs_device_memory_new(void **out, unsigned device, size_t bytes, gs_status *st)
{
    *out = nullptr;
    GPU_TRY(st, cudaSetDevice((int)device));
    GPU_TRY(st, cudaMalloc(out, bytes ? bytes : 1));
    return GS_OK;
}

void gs_device_memory_free(void *memory)
{
    (void)cudaFree(memory);
}

/* A thread that has chosen no device would wake the first one. Calls of many threads wait
 * for each other in the driver, so they are few. */
static cudaError_t choose_device_of(const void *to, const void *from)
{
    cudaPointerAttributes is;
    cudaError_t error = cudaPointerGetAttributes(&is, to);
    if (error == cudaSuccess && is.type != cudaMemoryTypeDevice)
        error = cudaPointerGetAttributes(&is, from);
    int chosen = -1;
    if (error == cudaSuccess)
        error = cudaGetDevice(&chosen);
    return error == cudaSuccess && is.type == cudaMemoryTypeDevice && is.device != chosen
               ? cudaSetDevice(is.device)
               : error;
}

gs_code gs_device_copy(void *to, const void *from, size_t bytes, gs_status *st)
{
    GPU_TRY(st, choose_device_of(to, from));
    GPU_TRY(st, cudaMemcpyAsync(to, from, bytes, cudaMemcpyDefault, cudaStreamPerThread));
    GPU_TRY(st, cudaStreamSynchronize(cudaStreamPerThread));
    return GS_OK;
}

gs_code gs_pinned_memory_new(void **out, size_t bytes, gs_status *st)
{
    *out = nullptr;
    GPU_TRY(st, cudaMallocHost(out, bytes ? bytes : 1));
    return GS_OK;
}

void gs_pinned_memory_free(void *memory)
{
    (void)cudaFreeHost(memory);
}

const char *gs_device_describe(char *text, size_t text_bytes)
{
    if (text_bytes == 0)
        return text;
    text[0] = '\0';
    int count;
    const char *const why = find(&count);
    if (why) {
        add(text, text_bytes, "gpu: none, %s; the CPU engine sorts\n", why);
        return text;
    }
    for (unsigned i = 0; i < (unsigned)count; i++) {
        gs_device device;
        gs_status st = {};
        if (gs_device_get(i, &device, &st) != GS_OK) {
            add(text, text_bytes, "gpu %u: cannot be used, %s\n", i, st.msg);
            continue;
        }
        add(text, text_bytes,
            "gpu %u: %s, compute capability %d.%d, %u multiprocessors, "
            "%.1f GiB of memory, %.1f GiB free%s\n",
            i, device.name, device.major, device.minor, device.processor_count,
            (double)device.memory_bytes / (1 << 30),
            (double)device.free_bytes / (1 << 30),
            device.usable ? "" : "; this build has no code for it");
    }
    return text;
}
