/* SPDX-License-Identifier: MIT */
/*
 * engine_share: what an engine holds on one GPU, and a sort there.
 *
 * Call order: init, (start, end)*, release. The keys to sort are where `run` says. One
 * thread at a time, which has made the share's device current.
 */
#ifndef GS_GPU_ENGINE_SHARE_CUH
#define GS_GPU_ENGINE_SHARE_CUH

#include "gpu/engine/engine_ops.cuh"

struct gs_share {
    int device;
    cudaStream_t stream;
    cudaEvent_t started, sorted;
    gs_engine_run run;
    const gs_engine_ops *active; /* for the batch in flight or the last */
    size_t count_max;
    void *d_keys; /* of count_max keys, if the engine was to have them */
    uint32_t *d_values;
    bool timed;
};

struct gs_share_options {
    gs_batch_type type;
    size_t count_max, scratch_bytes;
    bool has_keys;
    const gs_log *log;
};

/* Makes the device current. After a failure release gives back what there is. */
gs_code gs_share_init(gs_share *share, int device, const gs_share_options *options,
                      gs_status *st);
void gs_share_release(gs_share *share);
/* Bytes on the device that init takes. */
size_t gs_share_bytes(const gs_share_options *options);

/* Puts the sort of run.count keys on the stream and does not wait. */
gs_code gs_share_start(gs_share *share, const gs_engine_ops *ops, gs_status *st);
/* Waits until they are sorted. */
gs_code gs_share_end(gs_share *share, gs_status *st);
/* Between start and end of the last sort on the device's clock. */
double gs_share_ms(const gs_share *share);
/* Waits for the stream after a failure, so that it uses no memory of the caller's. */
void gs_share_drain(const gs_share *share);

#endif
