/* SPDX-License-Identifier: MIT */
/*
 * engine_ops: what an algorithm gives to be an engine. An algorithm is one source that
 * defines gs_engine_NAME, and one line of GS_ENGINES: without that line the definition is
 * an unused constant, which does not build.
 *
 * The owner (engine.cu) has the stream, the buffers and the events. An algorithm sorts a
 * batch in device memory in place with the scratch it asked for, on the stream it is
 * given, and allocates nothing.
 */
#ifndef GS_GPU_ENGINE_OPS_CUH
#define GS_GPU_ENGINE_OPS_CUH

#include "gpu/engine/engine.h"
#include "gpu/device/gpu_try.cuh"
#include "gpu/device/key.cuh"
#include "lib/base/assertion.h"

enum { GS_ENGINE_MAIL_BYTES = 256 };

struct gs_engine_run {
    gs_batch_type type;
    void *d_keys;       /* uint64_t or gs_num128 */
    uint32_t *d_values; /* or NULL */
    size_t count;       /* at least 2 */
    char *d_scratch;    /* aligned to 256 bytes */
    size_t scratch_bytes;
    void *h_mail; /* GS_ENGINE_MAIL_BYTES of pinned memory to read results back */
    unsigned processor_count;
    size_t shared_bytes; /* that a block can have */
    cudaStream_t stream;
    const gs_log *log;
};

struct gs_engine_ops {
    const char *name, *summary;
    /* Scratch for batches of up to `count` keys on the current device. */
    gs_code (*scratch)(gs_batch_type type, size_t count, size_t *out_bytes,
                       gs_status *st);
    /* Puts the work on the stream and does not wait. */
    gs_code (*submit)(const gs_engine_run *run, gs_status *st);
    /* Called when the stream is done. May put more work on it and wait for that;
     * *out_more says whether the keys changed since submit's work ended. May be NULL. */
    gs_code (*finish)(const gs_engine_run *run, bool *out_more, gs_status *st);
    /* NULL but for an engine that leaves each batch to another one. */
    const gs_engine_ops *(*pick)(gs_batch_type type, size_t count);
};

/* Every engine, in the order in which they are listed to people. */
/* clang-format off */
#define GS_ENGINES(ENGINE) \
    ENGINE(auto)    /* leaves each batch to one of the others */ \
    ENGINE(sample)  \
    ENGINE(bitonic) \
    ENGINE(pbsn)    /* from here on: to compare with */ \
    ENGINE(fss)     \
    ENGINE(ssort)   \
    ENGINE(quick)   \
    ENGINE(radix)   \
    ENGINE(merge)
/* clang-format on */
#define GS_ENGINE_DECLARE(name) extern const gs_engine_ops gs_engine_##name;
GS_ENGINES(GS_ENGINE_DECLARE)
#undef GS_ENGINE_DECLARE

/* Calls `use` with the view of a batch's arrays. A view of other arrays of the same type
 * is decltype(view)::over. */
template <typename Use>
gs_code gs_with_view(gs_batch_type type, void *d_keys, uint32_t *d_values, const Use &use)
{
    switch (type) {
    case GS_BATCH_U64: return use(gs_view_u64::over(d_keys, d_values));
    case GS_BATCH_U128: return use(gs_view_u128::over(d_keys, d_values));
    case GS_BATCH_U64_U32: return use(gs_view_pair::over(d_keys, d_values));
    case GS_BATCH_TYPE_COUNT: break;
    }
    gs_assert(type < GS_BATCH_TYPE_COUNT);
    return GS_ERR_ARG;
}

/* What an engine holds on one device for batches of up to `count` keys. The device is
 * current; nothing is asked of it that takes time. */
GS_MUST_CHECK gs_code gs_engine_bytes_alone(const gs_engine_options *options,
                                            size_t count, size_t *out_bytes,
                                            gs_status *st);

/* Hands out parts of the scratch, or only adds them up when `base` is NULL. */
struct gs_scratch {
    char *base;
    size_t used;
    template <typename T> T *take(size_t count)
    {
        T *const part = base ? reinterpret_cast<T *>(base + used) : nullptr;
        used += (count * sizeof(T) + 255) / 256 * 256;
        return part;
    }
};

#endif
