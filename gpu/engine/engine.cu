/* SPDX-License-Identifier: MIT */
/*
 * engine: the owner of what a sort needs on a device, and the table of algorithms.
 */
#include "gpu/engine/engine.h"

#include <string.h>

#include "gpu/device/device_use.cuh"
#include "gpu/engine/engine_ops.cuh"
#include "gpu/engine/engine_spread.cuh"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"

namespace
{

#define ADDRESS(name) &gs_engine_##name,
const gs_engine_ops *const table[] = {GS_ENGINES(ADDRESS)};
#undef ADDRESS
enum { TABLE_COUNT = sizeof table / sizeof *table };

/* From here on several devices sort keys of the host faster than one (NOTES.md). */
const size_t SPREAD_BYTES_MIN = (size_t)64 << 20;

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
    const gs_engine_ops *ops;
    gs_share shares[GS_GPU_DEVICES_MAX]; /* a batch for one device uses the first */
    unsigned share_count;
    size_t device_bytes;
    gs_spread *spread; /* with several devices */
    gs_batch batch;
    bool submitted, is_spread; /* the batch in flight or the last */
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

/* What the options mean. */
struct Resolved {
    const gs_engine_ops *ops;
    unsigned share_count;
    int devices[GS_GPU_DEVICES_MAX];
    size_t free_bytes;   /* for each share */
    size_t memory_bytes; /* of all devices together */
};

/* The device of one share. One that is named twice has two, with half its memory each. */
static gs_code resolve_device(const gs_engine_options *options, unsigned share,
                              Resolved *out, gs_status *st)
{
    gs_device device;
    const int index = out->devices[share];
    GS_TRY(gs_device_use(index, GS_ERR_ARG, &device, st));
    size_t shares_there = 0, bytes = device.free_bytes;
    for (unsigned i = 0; i < out->share_count; i++)
        shares_there += out->devices[i] == index;
    const size_t reserve = options->has_reserve ? 0 : GS_DEVICE_RESERVE_BYTES;
    bytes = bytes > reserve ? bytes - reserve : 0;
    if (options->memory_max_bytes && options->memory_max_bytes < bytes)
        bytes = options->memory_max_bytes;
    bytes /= shares_there;
    if (share == 0 || bytes < out->free_bytes)
        out->free_bytes = bytes;
    out->memory_bytes += device.memory_bytes;
    return GS_OK;
}

static gs_code resolve_engine(const gs_engine_options *options, Resolved *out,
                              gs_status *st)
{
    const char *const name = options->name ? options->name : "auto";
    out->ops = find(name);
    if (out->ops == nullptr)
        return GS_FAIL(st, GS_ERR_ARG, 0, "no GPU engine is called '%s'", name);
    return GS_OK;
}

static gs_code resolve(const gs_engine_options *options, Resolved *out, gs_status *st)
{
    *out = {};
    GS_TRY(resolve_engine(options, out, st));
    if (gs_device_count() == 0) {
        char why[512];
        (void)gs_device_describe(why, sizeof why);
        why[strcspn(why, "\n")] = '\0';
        return GS_FAIL(st, GS_ERR_GPU, 0, "%s", why);
    }
    if (options->device_count > GS_GPU_DEVICES_MAX)
        return GS_FAIL(st, GS_ERR_LIMIT, 0, "a batch on %u GPUs: an engine uses %d",
                       options->device_count, (int)GS_GPU_DEVICES_MAX);
    out->share_count = options->device_count ? options->device_count : 1;
    for (unsigned i = 0; i < options->device_count; i++)
        out->devices[i] = options->devices[i];
    for (unsigned i = 0; i < out->share_count; i++)
        GS_TRY(resolve_device(options, i, out, st));
    GPU_TRY(st, cudaSetDevice(out->devices[0])); /* for the scratch to be asked about */
    return GS_OK;
}

/* Keys in the memory of one device take longer to the others and back than to be sorted
 * where they are. */
static size_t spread_count_min(const gs_engine_options *options)
{
    if (options->spread_count_min)
        return options->spread_count_min;
    if (options->place == GS_PLACE_DEVICE)
        return SIZE_MAX;
    return SPREAD_BYTES_MIN /
           (gs_key_bytes(options->type) + gs_value_bytes(options->type));
}

/* What each share is, for batches of up to `count` keys. */
static gs_code plan_share(const gs_engine_options *options, const Resolved *r,
                          size_t count, gs_share_options *out, gs_status *st)
{
    *out = {};
    out->type = options->type;
    out->log = options->log;
    out->count_max = count;
    out->has_keys = options->place == GS_PLACE_HOST || r->share_count > 1;
    size_t unused;
    const size_t item = gs_key_bytes(options->type) + gs_value_bytes(options->type);
    GS_TRY(gs_mem_size_mul(&unused, count, item * 8, st)); /* room for any scratch */
    if (r->share_count > 1) {
        const size_t alone = spread_count_min(options) - 1;
        out->count_max = gs_spread_share_count_max(count, r->share_count);
        if (out->count_max < (count < alone ? count : alone))
            out->count_max = count < alone ? count : alone;
    }
    const size_t most = out->count_max ? out->count_max : 1;
    GS_TRY(r->ops->scratch(options->type, most, &out->scratch_bytes, st));
    const size_t sent = gs_spread_scratch_bytes(options->type, most);
    if (r->share_count > 1 && sent > out->scratch_bytes)
        out->scratch_bytes = sent;
    return GS_OK;
}

static gs_code add_up(const gs_engine_options *options, const Resolved *r, size_t count,
                      gs_engine_memory *out, gs_status *st)
{
    gs_share_options share;
    GS_TRY(plan_share(options, r, count, &share, st));
    out->device_bytes = gs_share_bytes(&share);
    out->device_free_bytes = r->free_bytes;
    out->pinned_bytes = r->share_count * (size_t)GS_ENGINE_MAIL_BYTES;
    if (r->share_count > 1) {
        out->device_bytes += gs_spread_device_bytes();
        out->pinned_bytes += gs_spread_pinned_bytes(r->share_count);
    }
    return GS_OK;
}

gs_code gs_engine_bytes_alone(const gs_engine_options *options, size_t count,
                              size_t *out_bytes, gs_status *st)
{
    Resolved r = {};
    gs_share_options share;
    *out_bytes = 0;
    GS_TRY(resolve_engine(options, &r, st));
    r.share_count = 1;
    GS_TRY(plan_share(options, &r, count, &share, st));
    *out_bytes = gs_share_bytes(&share);
    return GS_OK;
}

gs_code gs_engine_needs(const gs_engine_options *options, gs_engine_memory *out,
                        gs_status *st)
{
    Resolved r;
    *out = {};
    GS_TRY(resolve(options, &r, st));
    return add_up(options, &r, options->count_max, out, st);
}

gs_code gs_engine_fit(const gs_engine_options *options, size_t *out_count, gs_status *st)
{
    Resolved r;
    gs_engine_memory memory = {};
    *out_count = 0;
    GS_TRY(resolve(options, &r, st));
    size_t low = 0, high = r.memory_bytes / 8;
    while (low < high) {
        const size_t middle = high - (high - low) / 2;
        GS_TRY(add_up(options, &r, middle, &memory, st));
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
    Resolved r;
    gs_engine_memory needs = {};
    gs_share_options share = {};
    *out = nullptr;
    GS_TRY_OR_FAIL(gs_mem_new(&memory, sizeof *engine, "GPU engine", st));
    engine = (gs_engine *)memory;
    engine->options = *options;
    GS_TRY_OR_FAIL(resolve(options, &r, st));
    engine->ops = r.ops;
    GS_TRY_OR_FAIL(add_up(options, &r, options->count_max, &needs, st));
    engine->device_bytes = needs.device_bytes;
    GS_TRY_OR_FAIL(plan_share(options, &r, options->count_max, &share, st));
    if (needs.device_bytes > needs.device_free_bytes) {
        (void)GS_FAIL(st, GS_ERR_NOMEM, 0, "GPU %d: %zu keys need %zu bytes of %zu",
                      r.devices[0], options->count_max, needs.device_bytes,
                      needs.device_free_bytes);
        goto fail;
    }
    for (unsigned i = 0; i < r.share_count; i++) {
        engine->share_count++;
        GS_TRY_OR_FAIL(gs_share_init(&engine->shares[i], r.devices[i], &share, st));
    }
    if (r.share_count > 1)
        GS_TRY_OR_FAIL(gs_spread_new(&engine->spread, engine->shares, r.share_count,
                                     r.ops, options->place, st));
    *out = engine;
    return GS_OK;
fail:
    gs_engine_free(engine);
    return st->code;
}

/* The batch to the first device. */
static gs_code copy_there(gs_engine *engine, gs_status *st)
{
    const gs_batch *const batch = &engine->batch;
    gs_share *const share = &engine->shares[0];
    gs_engine_run *const run = &share->run;
    const bool values = gs_value_bytes(run->type) != 0;
    if (engine->options.place != GS_PLACE_HOST) {
        run->d_keys = batch->keys;
        run->d_values = values ? batch->values : nullptr;
        return GS_OK;
    }
    run->d_keys = share->d_keys;
    run->d_values = share->d_values;
    GPU_TRY(st, cudaMemcpyAsync(run->d_keys, batch->keys,
                                batch->count * gs_key_bytes(run->type),
                                cudaMemcpyHostToDevice, share->stream));
    if (values)
        GPU_TRY(st, cudaMemcpyAsync(run->d_values, batch->values,
                                    batch->count * sizeof(uint32_t),
                                    cudaMemcpyHostToDevice, share->stream));
    return GS_OK;
}

static gs_code copy_back(gs_engine *engine, gs_status *st)
{
    const gs_batch *const batch = &engine->batch;
    const gs_share *const share = &engine->shares[0];
    const gs_engine_run *const run = &share->run;
    if (engine->options.place != GS_PLACE_HOST)
        return GS_OK;
    GPU_TRY(st, cudaMemcpyAsync(batch->sorted_keys ? batch->sorted_keys : batch->keys,
                                run->d_keys, run->count * gs_key_bytes(run->type),
                                cudaMemcpyDeviceToHost, share->stream));
    if (run->d_values)
        GPU_TRY(st,
                cudaMemcpyAsync(batch->sorted_keys ? batch->sorted_values : batch->values,
                                run->d_values, run->count * sizeof(uint32_t),
                                cudaMemcpyDeviceToHost, share->stream));
    GPU_TRY(st, cudaStreamSynchronize(share->stream));
    return GS_OK;
}

/* A batch of one key, or none. */
static void copy_short(const gs_engine *engine)
{
    const gs_batch *const batch = &engine->batch;
    if (engine->options.place != GS_PLACE_HOST || batch->sorted_keys == nullptr)
        return;
    memcpy(batch->sorted_keys, batch->keys,
           batch->count * gs_key_bytes(engine->options.type));
    if (gs_value_bytes(engine->options.type))
        memcpy(batch->sorted_values, batch->values, batch->count * sizeof(uint32_t));
}

static gs_code start_alone(gs_engine *engine, gs_status *st)
{
    gs_share *const share = &engine->shares[0];
    share->run.count = engine->batch.count;
    GPU_TRY(st, cudaSetDevice(share->device));
    GS_TRY(copy_there(engine, st));
    return gs_share_start(share, engine->ops, st);
}

gs_code gs_engine_submit(gs_engine *engine, const gs_batch *batch, gs_status *st)
{
    gs_assert(!engine->submitted);
    gs_assert(batch->count <= engine->options.count_max);
    engine->batch = *batch;
    engine->shares[0].run.count = batch->count;
    engine->shares[0].timed = false;
    engine->is_spread = engine->spread != nullptr && batch->count >= 2 &&
                        batch->count >= spread_count_min(&engine->options);
    if (batch->count >= 2 && !engine->is_spread && start_alone(engine, st) != GS_OK) {
        gs_share_drain(&engine->shares[0]);
        return st->code;
    }
    engine->submitted = true;
    return GS_OK;
}

static gs_code end_alone(gs_engine *engine, gs_status *st)
{
    GPU_TRY(st, cudaSetDevice(engine->shares[0].device));
    GS_TRY(gs_share_end(&engine->shares[0], st));
    return copy_back(engine, st);
}

gs_code gs_engine_wait(gs_engine *engine, gs_status *st)
{
    gs_assert(engine->submitted);
    engine->submitted = false;
    if (engine->batch.count < 2)
        copy_short(engine);
    else if (engine->is_spread)
        return gs_spread_sort(engine->spread, &engine->batch, st);
    else if (end_alone(engine, st) != GS_OK)
        gs_share_drain(&engine->shares[0]);
    return st->code;
}

double gs_engine_device_ms(const gs_engine *engine)
{
    return engine->is_spread ? gs_spread_ms(engine->spread)
                             : gs_share_ms(&engine->shares[0]);
}

size_t gs_engine_device_bytes(const gs_engine *engine)
{
    return engine->device_bytes;
}

const char *gs_engine_used(const gs_engine *engine)
{
    const gs_engine_ops *const active = engine->shares[0].active;
    return active ? active->name : engine->ops->name;
}

void gs_engine_free(gs_engine *engine)
{
    if (engine == nullptr)
        return;
    gs_spread_free(engine->spread);
    for (unsigned i = 0; i < engine->share_count; i++)
        gs_share_release(&engine->shares[i]);
    gs_mem_free(engine);
}
