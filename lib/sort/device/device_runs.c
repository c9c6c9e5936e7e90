/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/device_runs.h"

#include <pthread.h>

#include "lib/base/thread.h"
#include "lib/sort/run/runs.h"

/* Full slots on their way to be runs. */
typedef struct gs_device_queue {
    gs_device_chunk *chunk;
    gs_run_store *runs;
    const gs_device_emit *emit;
    pthread_t thread;
    bool has_thread;

    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t changed;
    uint64_t filled, spilled; /* chunks; number n is in slot n % slots */
    bool is_closed, is_aborted;
    gs_status status; /* of the thread */
} gs_device_queue;

static gs_code spill(gs_device_queue *q, unsigned slot, gs_status *st)
{
    gs_sink *sink;
    GS_TRY(gs_run_store_open(q->runs, &sink, st));
    GS_NOTED(gs_device_chunk_emit(q->chunk, slot, sink, q->emit, st));
    GS_TRY(gs_run_store_close(q->runs, st));
    gs_device_chunk_clear(q->chunk, slot);
    return GS_OK;
}

static void *spill_main(void *arg)
{
    gs_device_queue *const q = arg;
    gs_status st = {.code = GS_OK};
    pthread_mutex_lock(&q->mutex);
    for (;;) {
        while (q->filled == q->spilled && !q->is_closed)
            pthread_cond_wait(&q->changed, &q->mutex);
        if (q->filled == q->spilled || q->is_aborted)
            break;
        const unsigned slot = (unsigned)(q->spilled % gs_device_chunk_slots(q->chunk));
        pthread_mutex_unlock(&q->mutex);
        const bool is_good = spill(q, slot, &st) == GS_OK;
        pthread_mutex_lock(&q->mutex);
        gs_status_keep_first(&q->status, &st);
        q->spilled++;
        pthread_cond_broadcast(&q->changed);
        if (!is_good)
            break;
    }
    pthread_mutex_unlock(&q->mutex);
    return NULL;
}

/* The sample of the first chunk, before the next one may add to it. */
static void show_sample(const gs_device_queue *q)
{
    const uint8_t *sample;
    size_t sample_bytes;
    gs_device_chunk_sample(q->chunk, &sample, &sample_bytes);
    gs_run_store_see_sample(q->runs, sample, sample_bytes);
}

static gs_code start(gs_device_queue *q, gs_status *st)
{
    show_sample(q);
    const int error = gs_thread_start(&q->thread, spill_main, q, 0);
    if (error != 0)
        return GS_FAIL(st, GS_ERR_NOMEM, error, "cannot start a thread");
    q->has_thread = true;
    return GS_OK;
}

/* Waits until the slot of the next chunk is free. */
static gs_code await_slot(gs_device_queue *q, unsigned *slot, gs_status *st)
{
    bool is_there = false;
    while (!is_there) {
        pthread_mutex_lock(&q->mutex);
        while (q->filled - q->spilled >= gs_device_chunk_slots(q->chunk) &&
               q->status.code == GS_OK)
            pthread_cond_wait(&q->changed, &q->mutex);
        *slot = (unsigned)(q->filled % gs_device_chunk_slots(q->chunk));
        gs_status_keep_first(st, &q->status);
        pthread_mutex_unlock(&q->mutex);
        GS_TRY(st->code);
        is_there = gs_device_chunk_need_slot(q->chunk, *slot);
    }
    return GS_OK;
}

static gs_code hand_over(gs_device_queue *q, gs_status *st)
{
    if (!q->has_thread)
        GS_TRY(start(q, st));
    pthread_mutex_lock(&q->mutex);
    q->filled++;
    pthread_cond_broadcast(&q->changed);
    pthread_mutex_unlock(&q->mutex);
    return GS_OK;
}

static gs_code fill_slots(gs_device_queue *q, bool *fits, gs_status *st)
{
    bool is_last = false;
    while (!is_last) {
        unsigned slot;
        GS_TRY(await_slot(q, &slot, st));
        GS_TRY(gs_device_chunk_fill(q->chunk, slot, &is_last, st));
        *fits = is_last && q->filled == 0;
        if (!*fits && !gs_device_chunk_is_empty(q->chunk, slot))
            GS_TRY(hand_over(q, st));
    }
    return GS_OK;
}

gs_code gs_device_runs_form(gs_device_chunk *chunk, gs_run_store *runs,
                            const gs_device_emit *emit, bool *fits, gs_status *st)
{
    gs_device_queue q = {.chunk = chunk, .runs = runs, .emit = emit};
    pthread_mutex_init(&q.mutex, NULL);
    pthread_cond_init(&q.changed, NULL);
    *fits = false;
    GS_NOTED(fill_slots(&q, fits, st));
    if (q.has_thread) {
        pthread_mutex_lock(&q.mutex);
        q.is_closed = true;
        q.is_aborted = st->code != GS_OK; /* what waits is of no use */
        pthread_cond_broadcast(&q.changed);
        pthread_mutex_unlock(&q.mutex);
        pthread_join(q.thread, NULL);
        gs_status_keep_first(st, &q.status);
    }
    pthread_cond_destroy(&q.changed);
    pthread_mutex_destroy(&q.mutex);
    return st->code;
}
