/* SPDX-License-Identifier: MIT */
/*
 * engine: sorts a batch of fixed-width keys on one or several GPUs.
 *
 * Call order: new, (submit, wait)*, free. An engine has one batch in flight; use two
 * engines to overlap two batches. One thread at a time; different engines share nothing.
 * new allocates everything, submit and wait allocate nothing.
 *
 * With several devices each sorts a share of the batch (engine_spread.cuh), which may
 * then be larger than the memory of one. The same device may be named twice, for tests.
 *
 * Keys are unsigned numbers and come out in ascending order. Equal keys with values come
 * out by ascending value, so the result is the same bytes whichever engine made it: when
 * values are row numbers this is a stable sort.
 *
 * Without a CUDA driver or a GPU, or in a build with CUDA=0, new fails with GS_ERR_GPU
 * and gs_engine_needs says so; callers then use their CPU engine.
 */
#ifndef GS_GPU_ENGINE_H
#define GS_GPU_ENGINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/log.h"
#include "lib/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct gs_u128 {
    uint64_t hi, lo; /* compared hi first; arrays are aligned to 16 bytes */
} gs_u128;

typedef enum gs_batch_type {
    GS_BATCH_U64,     /* keys: uint64_t */
    GS_BATCH_U128,    /* keys: gs_u128 */
    GS_BATCH_U64_U32, /* keys: uint64_t, values: uint32_t */
    GS_BATCH_TYPE_COUNT
} gs_batch_type;

typedef enum gs_place {
    GS_PLACE_HOST,  /* any host memory; pinned is several times faster */
    GS_PLACE_DEVICE /* memory of the engine's (first) device */
} gs_place;

enum { GS_GPU_DEVICES_MAX = 16 };

typedef struct gs_engine_options {
    const char *name; /* see gs_engine_name; NULL or "auto": picked for each batch */
    gs_batch_type type;
    gs_place place;
    size_t count_max; /* keys in the largest batch */
    int devices[GS_GPU_DEVICES_MAX];
    unsigned device_count;   /* 0: the first device */
    size_t spread_count_min; /* keys from which all devices sort; 0: as measured, which is
                                never if they are in the memory of one device */
    size_t memory_max_bytes; /* on each device; 0: what is free less a reserve */
    bool has_reserve;        /* memory_max_bytes is of what the caller has taken a reserve
                                off: no other is */
    const gs_log *log;       /* borrowed; may be NULL */
} gs_engine_options;

typedef struct gs_engine_memory {
    size_t device_bytes;      /* on each device, all that the engine will hold */
    size_t device_free_bytes; /* what the devices have, or memory_max_bytes if less */
    size_t pinned_bytes;      /* host memory that cannot be swapped */
} gs_engine_memory;

typedef struct gs_batch {
    void *keys;       /* sorted in place */
    uint32_t *values; /* with GS_BATCH_U64_U32; they move with their keys */
    size_t count;
    /* With GS_PLACE_HOST, where the result goes; NULL: over the keys. */
    void *sorted_keys;
    uint32_t *sorted_values;
} gs_batch;

typedef struct gs_engine gs_engine;

/* Bytes of one key, and of its value if it has one. */
static inline size_t gs_key_bytes(gs_batch_type type)
{
    switch (type) {
    case GS_BATCH_U64:
    case GS_BATCH_U64_U32: return sizeof(uint64_t);
    case GS_BATCH_U128: return sizeof(gs_u128);
    case GS_BATCH_TYPE_COUNT: break;
    }
    return 0;
}
static inline size_t gs_value_bytes(gs_batch_type type)
{
    switch (type) {
    case GS_BATCH_U64:
    case GS_BATCH_U128: return 0;
    case GS_BATCH_U64_U32: return sizeof(uint32_t);
    case GS_BATCH_TYPE_COUNT: break;
    }
    return 0;
}

/* The table of engines; index from 0 to gs_engine_count() - 1. */
size_t gs_engine_count(void);
const char *gs_engine_name(size_t index);
const char *gs_engine_summary(size_t index);
/* Whether it names one of the table, or "gpu": whichever of them suits. */
static inline bool gs_engine_is_known(const char *name)
{
    bool is_known = strcmp(name, "gpu") == 0;
    for (size_t i = 0; i < gs_engine_count(); i++)
        is_known |= strcmp(gs_engine_name(i), name) == 0;
    return is_known;
}

/* Of what a program was told, `name` or nothing: whether it leaves the choice, and
 * whether it wants a GPU. */
static inline bool gs_engine_is_auto(const char *name)
{
    return name == NULL || strcmp(name, "auto") == 0;
}

static inline bool gs_engine_is_of_gpu(const char *name)
{
    return !gs_engine_is_auto(name) && strcmp(name, "cpu") != 0;
}

/* What an engine with these options would hold. Asks the devices, allocates nothing. */
GS_MUST_CHECK gs_code gs_engine_needs(const gs_engine_options *options,
                                      gs_engine_memory *out, gs_status *st);
/* The largest count_max that fits into the memory there is; 0 if none does. */
GS_MUST_CHECK gs_code gs_engine_fit(const gs_engine_options *options, size_t *out_count,
                                    gs_status *st);

/* Options are copied, but for the log. On failure *out is NULL. */
GS_MUST_CHECK gs_code gs_engine_new(gs_engine **out, const gs_engine_options *options,
                                    gs_status *st);
/* Starts to sort and does not wait; with several devices all is done in wait. The memory
 * that `batch` points to is borrowed until wait returns, or until submit fails; `batch`
 * itself is copied. */
GS_MUST_CHECK gs_code gs_engine_submit(gs_engine *engine, const gs_batch *batch,
                                       gs_status *st);
/* Waits for the batch. After a failure keys in host memory are as they were if the result
 * was to go elsewhere; otherwise some may be overwritten. Keys in device memory are lost.
 */
GS_MUST_CHECK gs_code gs_engine_wait(gs_engine *engine, gs_status *st);
/* Device time of the last batch's sort, without copies from and to the batch, from wait
 * to the next submit; 0 if there was nothing to sort. */
double gs_engine_device_ms(const gs_engine *engine);
/* What the engine holds on each device. */
size_t gs_engine_device_bytes(const gs_engine *engine);
/* The name of the engine that sorted, or will sort, the last batch. */
const char *gs_engine_used(const gs_engine *engine);
void gs_engine_free(gs_engine *engine); /* NULL is fine */

/* Every stride-th of `count` keys of 64 bits in device memory, from the first: there are
 * (count - 1) / stride + 1, and `to` is locked memory of the host. Waits. */
GS_MUST_CHECK gs_code gs_engine_take_every(const uint64_t *d_keys, size_t count,
                                           uint64_t stride, uint64_t *to, gs_status *st);

#ifdef __cplusplus
}
#endif
#endif
