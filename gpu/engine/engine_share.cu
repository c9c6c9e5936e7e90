/* SPDX-License-Identifier: MIT */
#include "gpu/engine/engine_share.cuh"

#include "gpu/device/device_use.cuh"

size_t gs_share_bytes(const gs_share_options *o)
{
    const size_t items = o->count_max ? o->count_max : 1;
    size_t bytes = gs_device_taken(o->scratch_bytes + 1);
    if (o->has_keys)
        bytes += gs_device_taken(items * gs_key_bytes(o->type)) +
                 gs_device_taken(items * gs_value_bytes(o->type));
    return bytes;
}

gs_code gs_share_init(gs_share *share, int device, const gs_share_options *o,
                      gs_status *st)
{
    *share = {};
    share->device = device;
    share->count_max = o->count_max;
    int processors = 0, shared_bytes = 0;
    GPU_TRY(st, cudaSetDevice(device));
    GPU_TRY(st,
            cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
    GPU_TRY(st, cudaDeviceGetAttribute(&shared_bytes,
                                       cudaDevAttrMaxSharedMemoryPerBlockOptin, device));
    GPU_TRY(st, cudaStreamCreateWithFlags(&share->stream, cudaStreamNonBlocking));
    GPU_TRY(st, cudaEventCreate(&share->started));
    GPU_TRY(st, cudaEventCreate(&share->sorted));
    GPU_TRY(st, cudaMallocHost(&share->run.h_mail, GS_ENGINE_MAIL_BYTES));
    GPU_TRY(st, cudaMalloc(&share->run.d_scratch, o->scratch_bytes + 1));
    const size_t items = o->count_max ? o->count_max : 1;
    if (o->has_keys)
        GPU_TRY(st, cudaMalloc(&share->d_keys, items * gs_key_bytes(o->type)));
    if (o->has_keys && gs_value_bytes(o->type))
        GPU_TRY(st, cudaMalloc(&share->d_values, items * sizeof(uint32_t)));
    share->run.scratch_bytes = o->scratch_bytes;
    share->run.type = o->type;
    share->run.processor_count = (unsigned)processors;
    share->run.shared_bytes = (size_t)shared_bytes;
    share->run.stream = share->stream;
    share->run.log = o->log;
    return GS_OK;
}

void gs_share_release(gs_share *share)
{
    /* Nothing useful can be done if the device refuses to give something back. */
    (void)cudaSetDevice(share->device);
    if (share->stream) {
        (void)cudaStreamSynchronize(share->stream);
        (void)cudaStreamDestroy(share->stream);
    }
    if (share->started)
        (void)cudaEventDestroy(share->started);
    if (share->sorted)
        (void)cudaEventDestroy(share->sorted);
    (void)cudaFreeHost(share->run.h_mail);
    (void)cudaFree(share->run.d_scratch);
    (void)cudaFree(share->d_keys);
    (void)cudaFree(share->d_values);
    (void)cudaGetLastError();
    *share = {};
}

gs_code gs_share_start(gs_share *share, const gs_engine_ops *ops, gs_status *st)
{
    share->timed = false;
    share->active = ops->pick ? ops->pick(share->run.type, share->run.count) : ops;
    if (share->run.count < 2)
        return GS_OK;
    GPU_TRY(st, cudaEventRecord(share->started, share->stream));
    GS_TRY(share->active->submit(&share->run, st));
    GPU_TRY(st, cudaEventRecord(share->sorted, share->stream));
    return GS_OK;
}

gs_code gs_share_end(gs_share *share, gs_status *st)
{
    if (share->run.count < 2)
        return GS_OK;
    GPU_TRY(st, cudaEventSynchronize(share->sorted));
    bool more = false;
    if (share->active->finish)
        GS_TRY(share->active->finish(&share->run, &more, st));
    if (more) {
        GPU_TRY(st, cudaEventRecord(share->sorted, share->stream));
        GPU_TRY(st, cudaEventSynchronize(share->sorted));
    }
    share->timed = true;
    return GS_OK;
}

double gs_share_ms(const gs_share *share)
{
    float ms = 0;
    if (share->timed &&
        cudaEventElapsedTime(&ms, share->started, share->sorted) != cudaSuccess)
        return 0;
    return (double)ms;
}

void gs_share_drain(const gs_share *share)
{
    if (share->stream)
        (void)cudaStreamSynchronize(share->stream);
    (void)cudaGetLastError();
}
