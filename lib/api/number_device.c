/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * Memory that is not locked goes to a GPU and back at a third of the bus. So all threads
 * move blocks, each through a locked one of its own, and make keys of numbers meanwhile:
 *
 *      numbers -> locked block -> keys on the device -> sorted -> locked block -> numbers
 *         |
 *         +-----> scratch: what the numbers were, should the way back fail
 */
/* clang-format on */
#include "lib/api/number_device.h"

#include <stdatomic.h>
#include <string.h>

#include "gpu/device/device.h"
#include "gpu/engine/engine.h"
#include "lib/api/number_turn.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"

enum {
    BLOCK_KEYS = 1 << 17, /* 1 MiB: what a core has in its cache between two copies */
    LANES_MAX = 16, /* threads: more memory to lock, and calls that wait for others */
};

/* What keys are, whatever their order. */
typedef struct key_sums {
    uint64_t plain, mixed;
} key_sums;

typedef struct block_edge {
    uint64_t first, last;
} block_edge;

typedef struct device_way {
    const gs_number_array *array;
    const volatile int *cancel;
    uint64_t *d_keys;
    uint64_t *locked;  /* a block for each thread */
    block_edge *edges; /* of each block that came back */
    size_t blocks;
    bool is_back;
    atomic_size_t next;
    atomic_bool has_failed;
    _Atomic uint64_t plain[2], mixed[2]; /* there, back */
} device_way;

static const gs_code wrong = GS_ERR_GPU;

static size_t bytes_of(const gs_number_array *a, size_t count)
{
    return count * gs_number_width(a->type);
}

static uint8_t *number_at(const gs_number_array *a, size_t i)
{
    return (uint8_t *)a->numbers + bytes_of(a, i);
}

static void keep_block(const gs_number_array *a, size_t begin, size_t count)
{
    memcpy((uint8_t *)a->scratch + bytes_of(a, begin), number_at(a, begin),
           bytes_of(a, count));
}

/* Returns whether they are in order. */
static bool look_at(const uint64_t *keys, size_t count, key_sums *sums)
{
    key_sums s = {0, 0};
    uint64_t before = 0;
    unsigned descents = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t x = keys[i];
        s.plain += x;
        s.mixed += x ^ x >> 31;
        descents |= before > x;
        before = x;
    }
    *sums = s;
    return descents == 0;
}

static bool add_sums(device_way *w, const uint64_t *keys, size_t count)
{
    key_sums s;
    const bool is_in_order = look_at(keys, count, &s);
    atomic_fetch_add(&w->plain[w->is_back], s.plain);
    atomic_fetch_add(&w->mixed[w->is_back], s.mixed);
    return is_in_order;
}

static gs_code send_block(device_way *w, uint64_t *keys, size_t begin, size_t count,
                          gs_status *st)
{
    const gs_number_array *const a = w->array;
    keep_block(a, begin, count);
    gs_number_to_keys(keys, number_at(a, begin), count, a->type);
    (void)add_sums(w, keys, count);
    return gs_device_copy(w->d_keys + begin, keys, count * sizeof *keys, st);
}

static gs_code take_block(device_way *w, uint64_t *keys, size_t begin, size_t count,
                          gs_status *st)
{
    const gs_number_array *const a = w->array;
    GS_TRY(gs_device_copy(keys, w->d_keys + begin, count * sizeof *keys, st));
    w->edges[begin / BLOCK_KEYS] = (block_edge){keys[0], keys[count - 1]};
    if (!add_sums(w, keys, count))
        return GS_FAIL(st, wrong, 0, "a GPU's numbers are not in order");
    gs_number_from_keys(number_at(a, begin), keys, count, a->type);
    return GS_OK;
}

static gs_code move_blocks(void *context, unsigned worker, gs_status *st)
{
    device_way *const w = context;
    uint64_t *const keys = w->locked + (size_t)worker * BLOCK_KEYS;
    size_t block;
    if (worker >= LANES_MAX)
        return GS_OK;
    while (!atomic_load(&w->has_failed) &&
           (block = atomic_fetch_add(&w->next, 1)) < w->blocks) {
        const size_t begin = block * BLOCK_KEYS, left = w->array->count - begin;
        const size_t count = left < BLOCK_KEYS ? left : BLOCK_KEYS;
        if (gs_cancel_check(w->cancel, st) == GS_OK)
            GS_NOTED(w->is_back ? take_block(w, keys, begin, count, st)
                                : send_block(w, keys, begin, count, st));
        if (st->code != GS_OK)
            atomic_store(&w->has_failed, true);
    }
    return st->code;
}

static gs_code move_all(device_way *w, bool back, gs_team *team, gs_status *st)
{
    w->is_back = back;
    atomic_store(&w->next, 0);
    return gs_team_run(team, move_blocks, w, st);
}

/* What each block showed of itself holds between blocks, and of all. */
static gs_code check_all(const device_way *w, gs_status *st)
{
    bool is_good = atomic_load(&w->plain[0]) == atomic_load(&w->plain[1]) &&
                   atomic_load(&w->mixed[0]) == atomic_load(&w->mixed[1]);
    for (size_t i = 1; i < w->blocks; i++)
        is_good &= w->edges[i - 1].last <= w->edges[i].first;
    return is_good ? GS_OK
                   : GS_FAIL(st, wrong, 0, "a GPU's numbers are not those it was given");
}

static gs_code sort_there(const device_way *w, const gs_engine_options *options,
                          gs_status *st)
{
    gs_engine *engine = NULL;
    const gs_batch batch = {.keys = w->d_keys, .count = w->array->count};
    GS_TRY_OR_FAIL(gs_engine_new(&engine, options, st));
    GS_TRY_OR_FAIL(gs_engine_submit(engine, &batch, st));
    GS_TRY_OR_FAIL(gs_engine_wait(engine, st));
fail:
    gs_engine_free(engine);
    return st->code;
}

/* What a limit leaves beside the keys. */
static gs_code settle_memory(gs_engine_options *o, size_t key_bytes, gs_status *st)
{
    if (o->memory_max_bytes == 0)
        return GS_OK;
    if (o->memory_max_bytes <= key_bytes)
        return GS_FAIL(st, GS_ERR_LIMIT, 0,
                       "the numbers take %zu bytes of a GPU's memory", key_bytes);
    o->memory_max_bytes -= key_bytes;
    return GS_OK;
}

gs_code gs_number_device_sort(const gs_number_array *array, const gpusort_job *job,
                              gs_team *team, const gs_log *log,
                              const volatile int *cancel, gs_status *st)
{
    const size_t bytes = array->count * sizeof(uint64_t);
    void *d_keys = NULL, *locked = NULL;
    device_way w = {.array = array, .cancel = cancel};
    const bool is_any = job->engine != NULL && strcmp(job->engine, "gpu") == 0;
    gs_engine_options options = {
        .name = is_any ? NULL : job->engine,
        .type = GS_BATCH_U64,
        .place = GS_PLACE_DEVICE,
        .count_max = array->count,
        .memory_max_bytes = job->gpu_memory_bytes,
        .devices = {job->gpu_count > 0 ? job->gpus[0] : 0},
        .device_count = 1,
        .log = log,
    };
    unsigned lanes = gs_team_workers(team);
    lanes = lanes < LANES_MAX ? lanes : LANES_MAX;
    w.blocks = (array->count + BLOCK_KEYS - 1) / BLOCK_KEYS;
    bool is_overwritten = false;
    GS_TRY_OR_FAIL(settle_memory(&options, bytes, st));
    GS_TRY_OR_FAIL(gs_mem_new(&w.edges, w.blocks * sizeof *w.edges, "blocks", st));
    GS_TRY_OR_FAIL(
        gs_device_memory_new(&d_keys, (unsigned)options.devices[0], bytes, st));
    GS_TRY_OR_FAIL(
        gs_pinned_memory_new(&locked, lanes * sizeof(uint64_t) * BLOCK_KEYS, st));
    gs_mem_allow_huge(array->scratch, bytes_of(array, array->count));
    w.d_keys = d_keys;
    w.locked = locked;
    GS_TRY_OR_FAIL(move_all(&w, false, team, st));
    GS_TRY_OR_FAIL(sort_there(&w, &options, st));
    is_overwritten = true;
    GS_TRY_OR_FAIL(move_all(&w, true, team, st));
    GS_TRY_OR_FAIL(check_all(&w, st));
fail:
    if (st->code != GS_OK && is_overwritten)
        memcpy(array->numbers, array->scratch, bytes_of(array, array->count));
    gs_pinned_memory_free(locked);
    gs_device_memory_free(d_keys);
    gs_mem_free(w.edges);
    return st->code;
}
