/* SPDX-License-Identifier: MIT */
/*
 * engine: the owner of what a sort needs on a device, and the table of algorithms.
 */
#include "gpu/engine.h"

#include <string.h>

#include "gpu/device.h"
#include "gpu/engine_ops.cuh"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"

namespace
{

const gs_engine_ops *const table[] = {
    &gs_engine_auto,  &gs_engine_sample, &gs_engine_bitonic,
    &gs_engine_pbsn,  &gs_engine_fss,    &gs_engine_ssort,
    &gs_engine_quick, &gs_engine_radix,  &gs_engine_merge,
};
enum { TABLE_COUNT = sizeof table / sizeof *table };

/* Left free on a device for the driver and for other programs. */
const size_t RESERVE_BYTES = (size_t)512 << 20;

const gs_engine_ops *find(const char *name)
{
    for (const gs_engine_ops *ops : table)
        if (strcmp(ops->name, name) == 0)
            return ops;
    return nullptr;
}

} // namespace

struct gs_engine {
    gs_engine_options options;
    const gs_engine_ops *ops, *active; /* active: for the batch in flight or the last */
    int device;
    cudaStream_t stream;
    cudaEvent_t started, sorted;
    gs_engine_run run;
    gs_batch batch;
    void *d_keys; /* with GS_PLACE_HOST */
    uint32_t *d_values;
    bool submitted, timed;
};

size_t gs_engine_count(void)
{
    return TABLE_COUNT;
}

const char *gs_engine_name(size_t index)
{
    gs_assert(index < TABLE_COUNT);
    return table[index]->name;
}

const char *gs_engine_summary(size_t index)
{
    gs_assert(index < TABLE_COUNT);
    return table[index]->summary;
}

size_t gs_key_bytes(gs_batch_type type)
{
    return type == GS_BATCH_U128 ? 16 : 8;
}

size_t gs_value_bytes(gs_batch_type type)
{
    return type == GS_BATCH_U64_U32 ? 4 : 0;
}

/* The algorithm and the device that the options mean; leaves that device current. */
static gs_code resolve(const gs_engine_options *options, const gs_engine_ops **ops,
                       gs_device *device, gs_status *st)
{
    const char *const name = options->name ? options->name : "auto";
    *ops = find(name);
    if (*ops == nullptr)
        return GS_FAIL(st, GS_ERR_ARG, 0, "no GPU engine is called '%s'", name);
    const unsigned count = gs_device_count();
    if (count == 0) {
        char why[512];
        (void)gs_device_describe(why, sizeof why);
        why[strcspn(why, "\n")] = '\0';
        return GS_FAIL(st, GS_ERR_GPU, 0, "%s", why);
    }
    if (options->device_count > 1)
        return GS_FAIL(st, GS_ERR_LIMIT, 0, "a batch on %u GPUs: an engine uses one",
                       options->device_count);
    const int index = options->device_count ? options->devices[0] : 0;
    if (index < 0 || (unsigned)index >= count)
        return GS_FAIL(st, GS_ERR_ARG, 0, "GPU %d: there are %u", index, count);
    GS_TRY(gs_device_get((unsigned)index, device, st));
    if (!device->usable)
        return GS_FAIL(st, GS_ERR_GPU, 0, "GPU %d (%s): this build has no code for it",
                       index, device->name);
    GPU_TRY(st, cudaSetDevice(index));
    return GS_OK;
}

static gs_code add_up(const gs_engine_options *options, const gs_engine_ops *ops,
                      size_t count, gs_engine_memory *out, gs_status *st)
{
    size_t scratch, keys;
    const size_t item = gs_key_bytes(options->type) + gs_value_bytes(options->type);
    GS_TRY(gs_mem_size_mul(&keys, count, item * 8, st)); /* room for any scratch */
    GS_TRY(ops->scratch(options->type, count ? count : 1, &scratch, st));
    out->device_bytes = scratch + 512;
    if (options->place == GS_PLACE_HOST)
        out->device_bytes += count * item + 512;
    out->pinned_bytes = GS_ENGINE_MAIL_BYTES;
    return GS_OK;
}

static void set_free(const gs_engine_options *options, const gs_device *device,
                     gs_engine_memory *out)
{
    out->device_free_bytes =
        device->free_bytes > RESERVE_BYTES ? device->free_bytes - RESERVE_BYTES : 0;
    if (options->memory_max_bytes && options->memory_max_bytes < out->device_free_bytes)
        out->device_free_bytes = options->memory_max_bytes;
}

gs_code gs_engine_needs(const gs_engine_options *options, gs_engine_memory *out,
                        gs_status *st)
{
    const gs_engine_ops *ops;
    gs_device device;
    *out = {};
    GS_TRY(resolve(options, &ops, &device, st));
    GS_TRY(add_up(options, ops, options->count_max, out, st));
    set_free(options, &device, out);
    return GS_OK;
}

gs_code gs_engine_fit(const gs_engine_options *options, size_t *out_count, gs_status *st)
{
    const gs_engine_ops *ops;
    gs_device device;
    gs_engine_memory memory = {};
    *out_count = 0;
    GS_TRY(resolve(options, &ops, &device, st));
    set_free(options, &device, &memory);
    size_t low = 0, high = device.memory_bytes / 8;
    while (low < high) {
        const size_t middle = high - (high - low) / 2;
        GS_TRY(add_up(options, ops, middle, &memory, st));
        if (memory.device_bytes <= memory.device_free_bytes)
            low = middle;
        else
            high = middle - 1;
    }
    *out_count = low;
    return GS_OK;
}

gs_code gs_engine_new(gs_engine **out, const gs_engine_options *options, gs_status *st)
{
    gs_engine *engine = nullptr;
    void *memory = nullptr;
    gs_device device;
    gs_engine_memory needs = {};
    size_t items = 0;
    *out = nullptr;
    GS_TRY_OR_FAIL(gs_mem_new(&memory, sizeof *engine, "GPU engine", st));
    engine = (gs_engine *)memory;
    engine->options = *options;
    GS_TRY_OR_FAIL(resolve(options, &engine->ops, &device, st));
    engine->device = device.index;
    GS_TRY_OR_FAIL(add_up(options, engine->ops, options->count_max, &needs, st));
    set_free(options, &device, &needs);
    if (needs.device_bytes > needs.device_free_bytes) {
        (void)GS_FAIL(st, GS_ERR_NOMEM, 0, "GPU %d: %zu keys need %zu bytes of %zu",
                      engine->device, options->count_max, needs.device_bytes,
                      needs.device_free_bytes);
        goto fail;
    }
    GPU_TRY_OR_FAIL(st,
                    cudaStreamCreateWithFlags(&engine->stream, cudaStreamNonBlocking));
    GPU_TRY_OR_FAIL(st, cudaEventCreate(&engine->started));
    GPU_TRY_OR_FAIL(st, cudaEventCreate(&engine->sorted));
    GPU_TRY_OR_FAIL(st, cudaMallocHost(&engine->run.h_mail, GS_ENGINE_MAIL_BYTES));
    items = options->count_max ? options->count_max : 1;
    GS_TRY_OR_FAIL(
        engine->ops->scratch(options->type, items, &engine->run.scratch_bytes, st));
    GPU_TRY_OR_FAIL(st,
                    cudaMalloc(&engine->run.d_scratch, engine->run.scratch_bytes + 1));
    if (options->place == GS_PLACE_HOST) {
        GPU_TRY_OR_FAIL(st,
                        cudaMalloc(&engine->d_keys, items * gs_key_bytes(options->type)));
        if (gs_value_bytes(options->type))
            GPU_TRY_OR_FAIL(st, cudaMalloc(&engine->d_values, items * sizeof(uint32_t)));
    }
    engine->run.type = options->type;
    engine->run.processor_count = device.processor_count;
    engine->run.stream = engine->stream;
    engine->run.log = options->log;
    *out = engine;
    return GS_OK;
fail:
    gs_engine_free(engine);
    return st->code;
}

/* Results to the host, behind the sort on the stream. */
static gs_code copy_back(gs_engine *engine, gs_status *st)
{
    if (engine->options.place != GS_PLACE_HOST)
        return GS_OK;
    const gs_engine_run *const run = &engine->run;
    GPU_TRY(st, cudaMemcpyAsync(engine->batch.keys, run->d_keys,
                                run->count * gs_key_bytes(run->type),
                                cudaMemcpyDeviceToHost, engine->stream));
    if (run->d_values)
        GPU_TRY(st, cudaMemcpyAsync(engine->batch.values, run->d_values,
                                    run->count * sizeof(uint32_t), cudaMemcpyDeviceToHost,
                                    engine->stream));
    return GS_OK;
}

gs_code gs_engine_submit(gs_engine *engine, const gs_batch *batch, gs_status *st)
{
    gs_assert(!engine->submitted);
    gs_assert(batch->count <= engine->options.count_max);
    engine->batch = *batch;
    engine->active = engine->ops->pick
                         ? engine->ops->pick(engine->options.type, batch->count)
                         : engine->ops;
    engine->timed = false;
    gs_engine_run *const run = &engine->run;
    run->count = batch->count;
    if (batch->count < 2) {
        engine->submitted = true;
        return GS_OK;
    }
    GPU_TRY(st, cudaSetDevice(engine->device));
    const bool values = gs_value_bytes(run->type) != 0;
    if (engine->options.place == GS_PLACE_HOST) {
        run->d_keys = engine->d_keys;
        run->d_values = engine->d_values;
        GPU_TRY(st, cudaMemcpyAsync(run->d_keys, batch->keys,
                                    batch->count * gs_key_bytes(run->type),
                                    cudaMemcpyHostToDevice, engine->stream));
        if (values)
            GPU_TRY(st, cudaMemcpyAsync(run->d_values, batch->values,
                                        batch->count * sizeof(uint32_t),
                                        cudaMemcpyHostToDevice, engine->stream));
    } else {
        run->d_keys = batch->keys;
        run->d_values = values ? batch->values : nullptr;
    }
    GPU_TRY(st, cudaEventRecord(engine->started, engine->stream));
    GS_TRY(engine->active->submit(run, st));
    GPU_TRY(st, cudaEventRecord(engine->sorted, engine->stream));
    /* An engine that may have more to do must not overwrite the host's keys yet. */
    if (engine->active->finish == nullptr)
        GS_TRY(copy_back(engine, st));
    engine->submitted = true;
    return GS_OK;
}

gs_code gs_engine_wait(gs_engine *engine, gs_status *st)
{
    gs_assert(engine->submitted);
    engine->submitted = false;
    if (engine->run.count < 2)
        return GS_OK;
    GPU_TRY(st, cudaSetDevice(engine->device));
    if (engine->active->finish) {
        GPU_TRY(st, cudaEventSynchronize(engine->sorted));
        bool more = false;
        GS_TRY(engine->active->finish(&engine->run, &more, st));
        if (more)
            GPU_TRY(st, cudaEventRecord(engine->sorted, engine->stream));
        GS_TRY(copy_back(engine, st));
    }
    GPU_TRY(st, cudaStreamSynchronize(engine->stream));
    engine->timed = true;
    return GS_OK;
}

double gs_engine_device_ms(const gs_engine *engine)
{
    float ms = 0;
    if (engine->timed &&
        cudaEventElapsedTime(&ms, engine->started, engine->sorted) != cudaSuccess)
        return 0;
    return (double)ms;
}

const char *gs_engine_used(const gs_engine *engine)
{
    return engine->active ? engine->active->name : engine->ops->name;
}

void gs_engine_free(gs_engine *engine)
{
    if (engine == nullptr)
        return;
    /* Nothing useful can be done if the device refuses to give something back. */
    if (engine->stream) {
        (void)cudaSetDevice(engine->device);
        (void)cudaStreamSynchronize(engine->stream);
        (void)cudaStreamDestroy(engine->stream);
    }
    if (engine->started)
        (void)cudaEventDestroy(engine->started);
    if (engine->sorted)
        (void)cudaEventDestroy(engine->sorted);
    (void)cudaFreeHost(engine->run.h_mail);
    (void)cudaFree(engine->run.d_scratch);
    (void)cudaFree(engine->d_keys);
    (void)cudaFree(engine->d_values);
    (void)cudaGetLastError();
    gs_mem_free(engine);
}
