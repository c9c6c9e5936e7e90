/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/device_text.h"

#include <pthread.h>

#include "lib/base/cancel.h"
#include "lib/sort/witness/witnesses.h"

/* Parts of the text on their way into the blocks of the stream, several at once. */
typedef struct gs_fetched_text {
    const gs_forming *forming;
    gs_text_sort *sort;
    uint64_t bytes; /* of its result */
    gs_stream *stream;
    uint64_t offset;       /* in the stream */
    pthread_mutex_t mutex; /* guards the device and what follows */
    bool has_failed;
    gs_part_witness *witness;   /* to take parts; each worker looks at its own */
    uint64_t next;              /* byte to be fetched */
    uint64_t started, finished; /* parts */
    uint64_t at[GS_TEXT_FETCHES_MAX];
    size_t lengths[GS_TEXT_FETCHES_MAX];
    uint8_t *to[GS_TEXT_FETCHES_MAX];
} gs_fetched_text;

static gs_code start_part_locked(gs_fetched_text *f, gs_status *st)
{
    const unsigned slot = (unsigned)(f->started % GS_TEXT_FETCHES_MAX);
    uint8_t *to = NULL;
    size_t room = 0;
    GS_TRY(gs_stream_map(f->stream, f->offset + f->next, f->bytes - f->next, &to, &room,
                         st));
    f->at[slot] = f->offset + f->next;
    f->lengths[slot] = room;
    f->to[slot] = to;
    GS_TRY(gs_text_sort_fetch_text(f->sort, slot, f->next, room, to, st));
    f->next += room;
    f->started++;
    return GS_OK;
}

/* Keeps parts coming, and waits for the oldest, which is for this worker. */
static gs_code take_part_locked(gs_fetched_text *f, unsigned worker, uint64_t *at,
                                size_t *length, gs_status *st)
{
    GS_TRY(gs_cancel_check(f->forming->options->cancel_signal, st));
    while (f->next < f->bytes && f->started - f->finished < GS_TEXT_FETCHES_MAX)
        GS_TRY(start_part_locked(f, st));
    *length = 0;
    if (f->finished == f->started)
        return GS_OK;
    const unsigned slot = (unsigned)(f->finished % GS_TEXT_FETCHES_MAX);
    GS_TRY(gs_text_sort_fetch_wait(f->sort, slot, st));
    f->finished++;
    *at = f->at[slot];
    *length = f->lengths[slot];
    return gs_part_witness_take(f->witness, worker, f->to[slot], *length, st);
}

/* A part is written once the witness has seen that it is in order. */
static gs_code text_worker(void *context, unsigned worker, gs_status *st)
{
    gs_fetched_text *const f = context;
    for (size_t length = 1; length > 0 && st->code == GS_OK;) {
        uint64_t at = 0;
        pthread_mutex_lock(&f->mutex);
        length = 0;
        if (!f->has_failed && take_part_locked(f, worker, &at, &length, st) != GS_OK)
            f->has_failed = true;
        pthread_mutex_unlock(&f->mutex);
        if (length > 0 && st->code == GS_OK &&
            gs_part_witness_look(f->witness, worker, GS_ERR_GPU, st) == GS_OK)
            gs_stream_filled(f->stream, at, length);
    }
    if (st->code == GS_OK)
        return GS_OK;
    gs_stream_abort(f->stream, st); /* first: who has the lock may wait for the stream */
    pthread_mutex_lock(&f->mutex);
    f->has_failed = true;
    pthread_mutex_unlock(&f->mutex);
    return st->code;
}

static gs_code fetch_all(gs_fetched_text *f, uint64_t ticket, gs_status *st)
{
    void *area = NULL;
    size_t area_bytes = 0;
    GS_TRY(gs_stream_reserve(f->stream, ticket, f->bytes, true, &f->offset, st));
    gs_stream_area(f->stream, &area, &area_bytes);
    if (area != NULL)
        gs_text_pin(area, area_bytes);
    GS_NOTED(gs_team_run(f->forming->team, text_worker, f, st));
    /* Nothing may still be written to the stream's memory after a failure. */
    for (; f->finished < f->started; f->finished++) {
        gs_status ignored = {.code = GS_OK};
        GS_NOTED(gs_text_sort_fetch_wait(
            f->sort, (unsigned)(f->finished % GS_TEXT_FETCHES_MAX), &ignored));
    }
    if (area != NULL)
        gs_text_unpin(area);
    GS_TRY(st->code);
    return gs_part_witness_finish(f->witness, GS_ERR_GPU, st);
}

gs_code gs_device_text_emit(const gs_forming *g, gs_text_sort *sort, uint64_t bytes,
                            gs_stream *stream, uint64_t ticket, gs_status *st)
{
    gs_fetched_text f = {.forming = g, .sort = sort, .bytes = bytes, .stream = stream};
    pthread_mutex_init(&f.mutex, NULL);
    if (gs_part_witness_new(&f.witness, g->witness, g->layout, g->encoder,
                            g->options->order.record_size, gs_team_workers(g->team),
                            st) == GS_OK)
        GS_NOTED(fetch_all(&f, ticket, st));
    gs_part_witness_free(f.witness);
    pthread_mutex_destroy(&f.mutex);
    return st->code;
}
