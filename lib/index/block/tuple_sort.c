/* SPDX-License-Identifier: MIT */
#include "lib/index/block/tuple_sort.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "gpu/engine/engine.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/index/block/key_sort.h"

enum { NAME_BYTES = 64 };

static const gs_batch_type key_types[GS_TUPLE_WIDTHS] = {
    [GS_TUPLE_64] = GS_BATCH_U64,
    [GS_TUPLE_128] = GS_BATCH_U128,
};

struct gs_tuple_sorter {
    atomic_bool uses_gpu;
    char name[NAME_BYTES];
    gs_engine_options options; /* but for the type */
    size_t count_max[GS_TUPLE_WIDTHS];

    pthread_mutex_t mutex;               /* guards what follows */
    gs_engine *engines[GS_TUPLE_WIDTHS]; /* made when first needed */
    size_t capacities[GS_TUPLE_WIDTHS];
};

/* How many keys of each type the device has room for; fails if it has none. */
static gs_code ask_device(gs_tuple_sorter *s, gs_status *st)
{
    for (size_t i = 0; i < GS_TUPLE_WIDTHS; i++) {
        gs_engine_options options = s->options;
        options.type = key_types[i];
        GS_TRY(gs_engine_fit(&options, &s->count_max[i], st));
        if (s->count_max[i] == 0)
            return GS_FAIL(st, GS_ERR_GPU, 0, "the GPU has no memory to sort in");
    }
    return GS_OK;
}

static void choose(gs_tuple_sorter *s, const gs_tuple_sorter_options *o,
                   const gs_log *log, gs_status *st)
{
    (void)snprintf(s->name, sizeof s->name, "cpu");
    if (!gs_engine_is_of_gpu(o->engine))
        return;
    const char *const name = o->engine;
    const bool is_any = strcmp(name, "gpu") == 0;
    s->options = (gs_engine_options){
        .name = is_any ? NULL : name,
        .place = GS_PLACE_HOST,
        .memory_max_bytes = o->gpu_memory_bytes,
        .log = log,
    };
    for (size_t i = 0; i < o->gpu_count && i < GS_GPU_DEVICES_MAX; i++) {
        s->options.devices[i] = o->gpus[i];
        s->options.device_count = (unsigned)i + 1;
    }
    if (ask_device(s, st) == GS_OK) {
        atomic_store(&s->uses_gpu, true);
        (void)snprintf(s->name, sizeof s->name, "%s", is_any ? "gpu" : name);
        return;
    }
    gs_log_say(log, GS_LOG_WARNING, "the CPU sorts tuples: %s", st->msg);
    gs_status_clear(st);
}

gs_code gs_tuple_sorter_new(gs_tuple_sorter **out, const gs_tuple_sorter_options *options,
                            const gs_log *log, gs_status *st)
{
    *out = NULL;
    gs_tuple_sorter *s = NULL;
    GS_TRY(gs_mem_new(&s, sizeof *s, "sort of tuples", st));
    pthread_mutex_init(&s->mutex, NULL);
    choose(s, options, log, st);
    *out = s;
    return GS_OK;
}

void gs_tuple_sorter_free(gs_tuple_sorter *s)
{
    if (s == NULL)
        return;
    for (unsigned i = 0; i < GS_TUPLE_WIDTHS; i++)
        gs_engine_free(s->engines[i]);
    pthread_mutex_destroy(&s->mutex);
    gs_mem_free(s);
}

bool gs_tuple_sorter_uses_gpu(const gs_tuple_sorter *s)
{
    return atomic_load(&s->uses_gpu);
}

const char *gs_tuple_sorter_name(const gs_tuple_sorter *s)
{
    return s->name;
}

size_t gs_tuple_sorter_count_max(const gs_tuple_sorter *s, gs_tuple_width width)
{
    return gs_tuple_sorter_uses_gpu(s) ? s->count_max[width] : SIZE_MAX;
}

/* An engine with room for `count` keys. */
static gs_code prepare_locked(gs_tuple_sorter *s, gs_tuple_width width, size_t count,
                              gs_status *st)
{
    if (s->engines[width] != NULL && s->capacities[width] >= count)
        return GS_OK;
    for (unsigned i = 0; i < GS_TUPLE_WIDTHS; i++) {
        gs_engine_free(s->engines[i]); /* their memory is needed */
        s->engines[i] = NULL;
    }
    size_t capacity = count + count / 4;
    if (capacity > s->count_max[width])
        capacity = s->count_max[width];
    gs_engine_options options = s->options;
    options.type = key_types[width];
    options.count_max = capacity;
    s->capacities[width] = capacity;
    return gs_engine_new(&s->engines[width], &options, st);
}

static gs_code run_locked(gs_tuple_sorter *s, const gs_tuples *t, gs_status *st)
{
    gs_assert(t->count <= s->count_max[t->width]);
    GS_TRY(prepare_locked(s, t->width, t->count, st));
    const gs_batch batch = {
        .keys = t->keys, .count = t->count, .sorted_keys = t->scratch};
    GS_TRY(gs_engine_submit(s->engines[t->width], &batch, st));
    return gs_engine_wait(s->engines[t->width], st);
}

/* Keys to the scratch. A GPU that fails costs a warning; the keys are as they were, and
 * from now on the CPU sorts. */
static bool try_gpu_locked(gs_tuple_sorter *s, const gs_tuples *t, gs_status *st)
{
    if (!gs_tuple_sorter_uses_gpu(s))
        return false;
    if (run_locked(s, t, st) == GS_OK)
        return true;
    gs_log_say(s->options.log, GS_LOG_WARNING, "%s; the CPU sorts instead", st->msg);
    gs_status_clear(st);
    atomic_store(&s->uses_gpu, false);
    return false;
}

gs_code gs_tuple_sorter_run(gs_tuple_sorter *s, gs_tuples *t, unsigned low_bit,
                            gs_status *st)
{
    bool is_sorted = false;
    if (t->count < 2)
        return GS_OK;
    if (gs_tuple_sorter_uses_gpu(s) && t->count <= s->count_max[t->width]) {
        pthread_mutex_lock(&s->mutex);
        is_sorted = try_gpu_locked(s, t, st);
        pthread_mutex_unlock(&s->mutex);
    }
    if (is_sorted) {
        void *const unsorted = t->keys;
        t->keys = t->scratch;
        t->scratch = unsorted;
    } else if (t->width == GS_TUPLE_128) {
        gs_key_sort_u128(t->keys, t->scratch, t->count, low_bit);
    } else {
        gs_key_sort_u64(t->keys, t->scratch, t->count, low_bit);
    }
    return GS_OK;
}
