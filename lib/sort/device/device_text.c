/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/device_text.h"

#include <pthread.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/sort/witness/witnesses.h"

/* A part of the text: what is in one block of the stream. */
typedef struct gs_text_part {
    uint64_t at;  /* in the stream */
    uint8_t *got; /* where it comes down; NULL: there is none */
    size_t bytes;
} gs_text_part;

/* Parts of the text on their way into the blocks of the stream, several at once. */
typedef struct gs_fetched_text {
    const gs_forming *forming;
    gs_text_sort *sort;
    uint64_t bytes; /* of its result */
    gs_stream *stream;
    uint64_t offset;       /* in the stream */
    size_t block_bytes;    /* of the stream */
    bool is_landing;       /* parts are copied from there */
    pthread_mutex_t mutex; /* guards the device and what follows */
    bool has_failed;
    gs_part_witness *witness;   /* to take parts; each worker looks at its own */
    uint64_t next;              /* byte to be fetched */
    uint64_t started, finished; /* parts */
    gs_text_part parts[GS_TEXT_FETCHES_MAX];
    uint8_t **free_blocks; /* of the landing */
    size_t free_count;
} gs_fetched_text;

/* Where the next part comes down, and how much it can be. */
static gs_code find_place_locked(gs_fetched_text *f, gs_text_part *part, gs_status *st)
{
    const uint64_t left = f->bytes - f->next;
    part->at = f->offset + f->next;
    part->bytes = f->block_bytes - (size_t)(part->at % f->block_bytes);
    if (part->bytes > left)
        part->bytes = (size_t)left;
    if (!f->is_landing)
        return gs_stream_map(f->stream, part->at, part->bytes, &part->got, &part->bytes,
                             st);
    gs_assert(f->free_count > 0); /* each worker has one at most, and each fetch */
    part->got = f->free_blocks[--f->free_count];
    return GS_OK;
}

static gs_code start_part_locked(gs_fetched_text *f, gs_status *st)
{
    const unsigned slot = (unsigned)(f->started % GS_TEXT_FETCHES_MAX);
    gs_text_part *const part = &f->parts[slot];
    GS_TRY(find_place_locked(f, part, st));
    GS_TRY(gs_text_sort_fetch_text(f->sort, slot, f->next, part->bytes, part->got, st));
    f->next += part->bytes;
    f->started++;
    return GS_OK;
}

/* Keeps parts coming, and waits for the oldest, which is for this worker. */
static gs_code take_part_locked(gs_fetched_text *f, unsigned worker, gs_text_part *part,
                                gs_status *st)
{
    if (f->is_landing && part->got != NULL)
        f->free_blocks[f->free_count++] = part->got;
    part->got = NULL;
    GS_TRY(gs_cancel_check(f->forming->options->cancel_signal, st));
    while (f->next < f->bytes && f->started - f->finished < GS_TEXT_FETCHES_MAX)
        GS_TRY(start_part_locked(f, st));
    if (f->finished == f->started)
        return GS_OK;
    const unsigned slot = (unsigned)(f->finished % GS_TEXT_FETCHES_MAX);
    GS_TRY(gs_text_sort_fetch_wait(f->sort, slot, st));
    f->finished++;
    *part = f->parts[slot];
    return gs_part_witness_take(f->witness, worker, part->got, part->bytes, st);
}

/* Copies a part to the pages of the output: the witness looks at what is there then. */
static gs_code copy_part(gs_fetched_text *f, unsigned worker, const gs_text_part *part,
                         gs_status *st)
{
    const uint8_t *begin = NULL;
    size_t room;
    for (size_t done = 0; done < part->bytes; done += room) {
        uint8_t *to = NULL;
        GS_TRY(gs_stream_map(f->stream, part->at + done, part->bytes - done, &to, &room,
                             st));
        memcpy(to, part->got + done, room);
        begin = done == 0 ? to : begin;
        gs_assert(to == begin + done); /* a block is one map */
    }
    gs_part_witness_moved(f->witness, worker, part->got, begin);
    return GS_OK;
}

static gs_code put_part(gs_fetched_text *f, unsigned worker, const gs_text_part *part,
                        gs_status *st)
{
    gs_trace *const trace = f->forming->options->trace;
    uint64_t begin_ns = gs_trace_begin(trace);
    if (f->is_landing) {
        GS_TRY(copy_part(f, worker, part, st));
        gs_trace_end(trace, GS_LANE_WORKER, worker, "copy", begin_ns, part->bytes);
        begin_ns = gs_trace_begin(trace);
    }
    GS_TRY(gs_part_witness_look(f->witness, worker, GS_ERR_GPU, st));
    gs_stream_filled(f->stream, part->at, part->bytes);
    gs_trace_end(trace, GS_LANE_WORKER, worker, "look", begin_ns, part->bytes);
    return GS_OK;
}

/* A part is written once the witness has seen that it is in order. */
static gs_code text_worker(void *context, unsigned worker, gs_status *st)
{
    gs_fetched_text *const f = context;
    gs_text_part part = {0};
    do {
        pthread_mutex_lock(&f->mutex);
        if (f->has_failed)
            part.got = NULL;
        else if (take_part_locked(f, worker, &part, st) != GS_OK)
            f->has_failed = true;
        pthread_mutex_unlock(&f->mutex);
        if (part.got != NULL && st->code == GS_OK)
            GS_NOTED(put_part(f, worker, &part, st));
    } while (part.got != NULL && st->code == GS_OK);
    if (st->code == GS_OK)
        return GS_OK;
    gs_stream_abort(f->stream, st); /* first: who has the lock may wait for the stream */
    pthread_mutex_lock(&f->mutex);
    f->has_failed = true;
    pthread_mutex_unlock(&f->mutex);
    return st->code;
}

/* The stream's own blocks are pages, which the device cannot copy to as fast. */
static gs_code need_landing(gs_fetched_text *f, const gs_landing *landing, gs_status *st)
{
    f->block_bytes = f->forming->plan->stream_block_bytes;
    f->is_landing = gs_stream_fills_pages(f->stream);
    if (!f->is_landing)
        return GS_OK;
    const size_t count = landing->bytes / f->block_bytes;
    gs_assert(count >= gs_team_workers(f->forming->team) + GS_TEXT_FETCHES_MAX);
    GS_TRY(gs_mem_new_array(&f->free_blocks, count, sizeof *f->free_blocks,
                            "blocks of a GPU's text", st));
    while (f->free_count < count) {
        f->free_blocks[f->free_count] = landing->memory + f->free_count * f->block_bytes;
        f->free_count++;
    }
    return GS_OK;
}

static gs_code fetch_all(gs_fetched_text *f, uint64_t ticket, gs_status *st)
{
    GS_TRY(gs_stream_reserve(f->stream, ticket, f->bytes, true, &f->offset, st));
    GS_NOTED(gs_team_run(f->forming->team, text_worker, f, st));
    /* Nothing may still be written to that memory after a failure. */
    for (; f->finished < f->started; f->finished++) {
        gs_status ignored = {.code = GS_OK};
        GS_NOTED(gs_text_sort_fetch_wait(
            f->sort, (unsigned)(f->finished % GS_TEXT_FETCHES_MAX), &ignored));
    }
    GS_TRY(st->code);
    return gs_part_witness_finish(f->witness, GS_ERR_GPU, st);
}

gs_code gs_device_text_emit(const gs_forming *g, gs_text_sort *sort, uint64_t bytes,
                            const gs_landing *landing, gs_stream *stream, uint64_t ticket,
                            gs_status *st)
{
    gs_fetched_text f = {.forming = g, .sort = sort, .bytes = bytes, .stream = stream};
    pthread_mutex_init(&f.mutex, NULL);
    if (need_landing(&f, landing, st) == GS_OK &&
        gs_part_witness_new(&f.witness, g->witness, g->layout, g->encoder,
                            g->options->order.record_size, gs_team_workers(g->team),
                            st) == GS_OK)
        GS_NOTED(fetch_all(&f, ticket, st));
    gs_part_witness_free(f.witness);
    gs_mem_free(f.free_blocks);
    pthread_mutex_destroy(&f.mutex);
    return st->code;
}
