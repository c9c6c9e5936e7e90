/* SPDX-License-Identifier: MIT */
/*
 * fake_engine: gpu/engine/engine.h on machines without a GPU (make FAKE_GPU=1).
 *
 * It sorts with qsort when it is waited for, not when a batch is submitted, so that a
 * caller that looks too early is found out. GS_FAKE_GPU_FAIL=STEP:N makes the N-th call
 * of a step fail: engine, submit, wait; GS_FAKE_GPU_MEMORY=BYTES is what a batch may
 * hold.
 */
#include "gpu/engine/engine.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "tests/fake_gpu/fake_calls.h"

struct gs_engine {
    gs_engine_options options;
    gs_batch batch;
    bool is_busy;
};

static size_t memory_bytes(void)
{
    const char *const text = getenv("GS_FAKE_GPU_MEMORY");
    return text != NULL ? strtoul(text, NULL, 10) : (size_t)1 << 30;
}

gs_code gs_engine_fit(const gs_engine_options *options, size_t *out_count, gs_status *st)
{
    (void)st;
    wake("gs_engine_fit");
    *out_count = memory_bytes() / gs_key_bytes(options->type);
    return GS_OK;
}

gs_code gs_engine_new(gs_engine **out, const gs_engine_options *options, gs_status *st)
{
    void *memory = NULL;
    *out = NULL;
    wake("gs_engine_new");
    gs_assert(options->count_max * gs_key_bytes(options->type) <= memory_bytes());
    GS_TRY(pass("engine", st));
    GS_TRY(gs_mem_new(&memory, sizeof(gs_engine), "fake engine", st));
    *out = memory;
    (*out)->options = *options;
    return GS_OK;
}

gs_code gs_engine_submit(gs_engine *engine, const gs_batch *batch, gs_status *st)
{
    gs_assert(!engine->is_busy && batch->count <= engine->options.count_max);
    GS_TRY(pass("submit", st));
    engine->batch = *batch;
    engine->is_busy = true;
    return GS_OK;
}

static int compare_u64(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static int compare_u128(const void *a, const void *b)
{
    const gs_u128 *const x = a, *const y = b;
    const int high = (x->hi > y->hi) - (x->hi < y->hi);
    return high != 0 ? high : (x->lo > y->lo) - (x->lo < y->lo);
}

gs_code gs_engine_wait(gs_engine *engine, gs_status *st)
{
    gs_assert(engine->is_busy && engine->batch.values == NULL);
    engine->is_busy = false;
    GS_TRY(pass("wait", st));
    const gs_batch *const b = &engine->batch;
    const bool is_wide = engine->options.type == GS_BATCH_U128;
    const size_t key_bytes = gs_key_bytes(engine->options.type);
    void *const sorted = b->sorted_keys != NULL ? b->sorted_keys : b->keys;
    memmove(sorted, b->keys, b->count * key_bytes);
    qsort(sorted, b->count, key_bytes, is_wide ? compare_u128 : compare_u64);
    return GS_OK;
}

void gs_engine_free(gs_engine *engine)
{
    gs_mem_free(engine);
}
