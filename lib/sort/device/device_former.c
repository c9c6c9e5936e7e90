/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/device_former.h"

#include <pthread.h>

#include "lib/base/mem.h"
#include "lib/base/thread.h"
#include "lib/sort/device/device_chunk.h"
#include "lib/sort/device/text_choice.h"

typedef struct device_former {
    gs_former former; /* first */
    gs_device_chunk *chunk;
    const uint8_t *sample; /* of the first chunk */
    size_t sample_bytes;

    pthread_t thread; /* fills slots while another one is emitted */
    bool has_thread;
    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t changed;
    uint64_t filled, cleared; /* chunks; number n is in slot n % slots */
    bool is_last;             /* nothing comes behind those that are filled */
    bool is_stopped;          /* the thread is to end */
    gs_status status;         /* of the thread */
} device_former;

/* Fills a slot that is free with the next chunk. */
static gs_code fill_slot(device_former *d, unsigned slot, gs_status *st)
{
    bool is_last = false;
    GS_TRY(gs_device_chunk_fill(d->chunk, slot, &is_last, st));
    pthread_mutex_lock(&d->mutex);
    d->filled++;
    d->is_last = is_last;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->mutex);
    return GS_OK;
}

/* --- the thread that fills ------------------------------------------------------ */

/* Waits until the slot of the next chunk is free; false if none is wanted any more. */
static bool await_slot(device_former *d, unsigned *slot)
{
    bool goes_on;
    do {
        pthread_mutex_lock(&d->mutex);
        while (d->filled - d->cleared >= gs_device_chunk_slots(d->chunk) &&
               !d->is_stopped)
            pthread_cond_wait(&d->changed, &d->mutex);
        *slot = (unsigned)(d->filled % gs_device_chunk_slots(d->chunk));
        goes_on = !d->is_stopped && !d->is_last;
        pthread_mutex_unlock(&d->mutex);
        /* A slot without memory is none: there are fewer from now on. */
    } while (goes_on && !gs_device_chunk_need_slot(d->chunk, *slot));
    return goes_on;
}

static void *fill_main(void *arg)
{
    device_former *const d = arg;
    gs_status st = {.code = GS_OK};
    unsigned slot;
    while (st.code == GS_OK && await_slot(d, &slot))
        GS_NOTED(fill_slot(d, slot, &st));
    pthread_mutex_lock(&d->mutex);
    d->status = st;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->mutex);
    return NULL;
}

static gs_code start(device_former *d, gs_status *st)
{
    const int error = gs_thread_start(&d->thread, fill_main, d, 0);
    if (error != 0)
        return GS_FAIL(st, GS_ERR_NOMEM, error, "cannot start a thread");
    d->has_thread = true;
    return GS_OK;
}

static void stop(device_former *d)
{
    if (!d->has_thread)
        return;
    pthread_mutex_lock(&d->mutex);
    d->is_stopped = true;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->mutex);
    pthread_join(d->thread, NULL);
    d->has_thread = false;
}

/* --- the former ----------------------------------------------------------------- */

static unsigned slot_to_emit(const device_former *d)
{
    return (unsigned)(d->cleared % gs_device_chunk_slots(d->chunk));
}

/* The first chunk. A pipe may turn out to be too short for a GPU. */
static gs_code fill_first(device_former *d, gs_filled *filled, gs_status *st)
{
    const size_t peek_bytes = d->former.forming->device->peek_bytes;
    bool is_short = false;
    *filled = GS_FILLED_NOTHING;
    if (peek_bytes > 0)
        GS_TRY(gs_device_chunk_peek(d->chunk, peek_bytes, &is_short, st));
    if (is_short)
        return GS_OK;
    GS_TRY(fill_slot(d, 0, st));
    gs_device_chunk_sample(d->chunk, &d->sample, &d->sample_bytes);
    *filled = d->is_last ? GS_FILLED_LAST : GS_FILLED_SOME;
    return GS_OK;
}

static gs_code fill(gs_former *former, gs_filled *filled, gs_status *st)
{
    device_former *const d = (device_former *)former;
    if (!d->has_thread && d->filled == 0)
        return fill_first(d, filled, st);
    if (!d->has_thread)
        GS_TRY(fill_slot(d, 0, st)); /* the only one */
    pthread_mutex_lock(&d->mutex);
    while (d->filled == d->cleared && d->status.code == GS_OK)
        pthread_cond_wait(&d->changed, &d->mutex);
    gs_status_keep_first(st, &d->status);
    *filled = d->is_last && d->filled == d->cleared + 1 ? GS_FILLED_LAST : GS_FILLED_SOME;
    pthread_mutex_unlock(&d->mutex);
    return st->code;
}

static bool is_empty(const gs_former *former)
{
    const device_former *const d = (const device_former *)former;
    return gs_device_chunk_is_empty(d->chunk, slot_to_emit(d));
}

static void sample(const gs_former *former, const uint8_t **data, size_t *bytes)
{
    const device_former *const d = (const device_former *)former;
    *data = d->sample;
    *bytes = d->sample_bytes;
}

static gs_code emit(gs_former *former, gs_sink *sink, const gs_emit_options *options,
                    gs_status *st)
{
    device_former *const d = (device_former *)former;
    const bool has_others = gs_device_chunk_slots(d->chunk) > 1 && !d->has_thread;
    if (has_others && !options->is_last_use && !d->is_last)
        GS_TRY(start(d, st));
    return gs_device_chunk_emit(d->chunk, slot_to_emit(d), sink, options, st);
}

static bool wants_texts(const gs_former *former, const uint8_t *sample, size_t bytes,
                        size_t *memory_bytes)
{
    const device_former *const d = (const device_former *)former;
    const gs_sort_options *const o = former->forming->options;
    const bool drops = o->order.unique || o->count;
    const double kept = drops ? gs_device_chunk_kept(d->chunk, slot_to_emit(d)) : 1;
    return gs_text_choice_is_text(former->forming, sample, bytes, kept, memory_bytes);
}

static gs_code merge(gs_former *former, gs_run_store *runs, gs_sink *sink,
                     uint64_t ticket, gs_status *st)
{
    device_former *const d = (device_former *)former;
    stop(d); /* it has come to the end */
    return gs_device_chunk_merge(d->chunk, gs_mapped_store_of(runs), sink, ticket, st);
}

static uint8_t *stream_memory(const gs_former *former)
{
    return gs_device_chunk_stream_memory(((const device_former *)former)->chunk);
}

static void clear(gs_former *former)
{
    device_former *const d = (device_former *)former;
    gs_device_chunk_clear(d->chunk, slot_to_emit(d));
    pthread_mutex_lock(&d->mutex);
    d->cleared++;
    pthread_cond_broadcast(&d->changed);
    pthread_mutex_unlock(&d->mutex);
}

static bool give_back(gs_former *former)
{
    device_former *const d = (device_former *)former;
    stop(d);
    return gs_device_chunk_give_back(d->chunk);
}

static bool is_to_blame(const gs_former *former, const gs_status *st, bool *is_news)
{
    const device_former *const d = (const device_former *)former;
    /* A driver that is absent or broken is nobody's concern who did not ask for it. */
    *is_news = former->forming->device->is_forced || gs_device_chunk_is_started(d->chunk);
    return gs_device_chunk_can_do_without(d->chunk, st);
}

static void free_former(gs_former *former)
{
    device_former *const d = (device_former *)former;
    stop(d);
    gs_device_chunk_free(d->chunk);
    pthread_cond_destroy(&d->changed);
    pthread_mutex_destroy(&d->mutex);
    gs_mem_free(d);
}

static const gs_former_kind kind = {
    .fault_code = GS_ERR_GPU,
    .fill = fill,
    .is_empty = is_empty,
    .sample = sample,
    .emit = emit,
    .wants_texts = wants_texts,
    .merge = merge,
    .stream_memory = stream_memory,
    .clear = clear,
    .give_back = give_back,
    .is_to_blame = is_to_blame,
    .free = free_former,
};

void gs_device_former_begin(const gs_forming *forming)
{
    const char *const engine = forming->device->engine;
    gs_sort_stats *const stats = forming->options->stats;
    if (stats != NULL)
        atomic_store(&stats->engine, engine ? engine : "gpu");
    gs_witness_make_full(forming->witness);
}

static gs_code new_chunk(device_former *d, gs_status *st)
{
    const gs_forming *const f = d->former.forming;
    gs_device_former_begin(f);
    return gs_device_chunk_new(&d->chunk, f, st);
}

gs_code gs_device_former_new(gs_former **out, const gs_forming *forming, gs_status *st)
{
    device_former *d = NULL;
    *out = NULL;
    if (forming->device == NULL)
        return GS_OK;
    GS_TRY(gs_mem_new(&d, sizeof *d, "GPU chunks", st));
    d->former = (gs_former){&kind, forming};
    pthread_mutex_init(&d->mutex, NULL);
    pthread_cond_init(&d->changed, NULL);
    if (new_chunk(d, st) == GS_OK)
        *out = &d->former;
    else
        free_former(&d->former);
    return st->code;
}
