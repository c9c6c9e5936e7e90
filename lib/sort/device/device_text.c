/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/device_text.h"

#include <pthread.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/sort/witness/witnesses.h"

/* A part of the text: what is in one block of the stream, or as much for memory. */
typedef struct gs_text_part {
    uint64_t at;  /* in the text */
    uint8_t *got; /* where it comes down; NULL: there is none */
    size_t bytes;
} gs_text_part;

/* Parts of the text on their way into memory, and then into the blocks of the stream,
 * several at once. */
typedef struct gs_fetched_text {
    const gs_forming *forming;
    gs_text_sort *sort;
    uint64_t bytes;    /* of its result */
    gs_witness *judge; /* of the text */
    gs_stream *stream;
    uint8_t *memory; /* of its first bytes, */
    uint64_t memory_bytes;
    uint64_t offset;    /* in the stream, of the others */
    size_t block_bytes; /* of the stream */

    uint64_t end;          /* of what is fetched now: to memory, or the rest */
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

/* Where a byte of the text is in memory, or in the stream. */
static uint64_t place_of(const gs_fetched_text *f, uint64_t at)
{
    return at < f->memory_bytes ? at : f->offset + at - f->memory_bytes;
}

/* Where the next part comes down, and how much it can be. */
static gs_code find_place_locked(gs_fetched_text *f, gs_text_part *part, gs_status *st)
{
    const uint64_t left = f->end - f->next;
    const uint64_t place = place_of(f, f->next);
    part->at = f->next;
    part->bytes = f->block_bytes - (size_t)(place % f->block_bytes);
    if (part->bytes > left)
        part->bytes = (size_t)left;
    if (!f->is_landing)
        return gs_stream_map(f->stream, place, part->bytes, &part->got, &part->bytes, st);
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
    while (f->next < f->end && f->started - f->finished < GS_TEXT_FETCHES_MAX)
        GS_TRY(start_part_locked(f, st));
    if (f->finished == f->started)
        return GS_OK;
    const unsigned slot = (unsigned)(f->finished % GS_TEXT_FETCHES_MAX);
    GS_TRY(gs_text_sort_fetch_wait(f->sort, slot, st));
    f->finished++;
    *part = f->parts[slot];
    return gs_part_witness_take(f->witness, worker, part->got, part->bytes, st);
}

/* Copies a part to memory or the pages of the output: the witness looks at what is there
 * then. */
static gs_code copy_part(gs_fetched_text *f, unsigned worker, const gs_text_part *part,
                         gs_status *st)
{
    const uint8_t *begin = NULL;
    size_t room;
    const uint64_t place = place_of(f, part->at);
    if (part->at < f->memory_bytes) {
        memcpy(f->memory + part->at, part->got, part->bytes);
        gs_part_witness_moved(f->witness, worker, part->got, f->memory + part->at);
        return GS_OK;
    }
    for (size_t done = 0; done < part->bytes; done += room) {
        uint8_t *to = NULL;
        GS_TRY(
            gs_stream_map(f->stream, place + done, part->bytes - done, &to, &room, st));
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
    if (part->at >= f->memory_bytes)
        gs_stream_filled(f->stream, place_of(f, part->at), part->bytes);
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

/* All of the landing is free. The stream's own blocks may be pages, which the device
 * cannot copy to as fast as to it. */
static gs_code need_landing(gs_fetched_text *f, const gs_landing *landing, gs_status *st)
{
    f->block_bytes = f->forming->plan->stream_block_bytes;
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

/* Up to `end`. */
static gs_code fetch_to(gs_fetched_text *f, uint64_t end, bool is_landing, gs_status *st)
{
    if (f->next == end)
        return GS_OK;
    f->end = end;
    f->is_landing = is_landing;
    GS_NOTED(gs_team_run(f->forming->team, text_worker, f, st));
    /* Nothing may still be written to that memory after a failure. */
    for (; f->finished < f->started; f->finished++) {
        gs_status ignored = {.code = GS_OK};
        GS_NOTED(gs_text_sort_fetch_wait(
            f->sort, (unsigned)(f->finished % GS_TEXT_FETCHES_MAX), &ignored));
    }
    return st->code;
}

/* The landing may be what the stream's blocks are in: first what does not go there. */
static gs_code fetch_all(gs_fetched_text *f, uint64_t ticket, gs_status *st)
{
    GS_TRY(fetch_to(f, f->memory_bytes, true, st));
    GS_TRY(gs_stream_reserve(f->stream, ticket, f->bytes - f->memory_bytes, true,
                             &f->offset, st));
    GS_TRY(fetch_to(f, f->bytes, gs_stream_fills_pages(f->stream), st));
    return gs_part_witness_finish(f->witness, GS_ERR_GPU, st);
}

/* All of the text; *next is the witness's next ticket. */
static gs_code fetch(gs_fetched_text *f, const gs_landing *landing, uint64_t ticket,
                     uint64_t seen_ticket, uint64_t *next, gs_status *st)
{
    const gs_forming *const g = f->forming;
    pthread_mutex_init(&f->mutex, NULL);
    if (need_landing(f, landing, st) == GS_OK &&
        gs_part_witness_new(&f->witness, f->judge, g->layout, g->encoder,
                            g->options->order.record_size, seen_ticket,
                            gs_team_workers(g->team), st) == GS_OK &&
        fetch_all(f, ticket, st) == GS_OK)
        *next = gs_part_witness_next_ticket(f->witness);
    gs_part_witness_free(f->witness);
    gs_mem_free(f->free_blocks);
    pthread_mutex_destroy(&f->mutex);
    return st->code;
}

gs_code gs_device_text_emit(const gs_forming *g, gs_text_sort *sort, uint64_t bytes,
                            const gs_landing *landing, gs_stream *stream,
                            uint64_t *ticket, gs_status *st)
{
    gs_fetched_text f = {.forming = g,
                         .sort = sort,
                         .bytes = bytes,
                         .judge = g->witness,
                         .stream = stream};
    uint64_t next = *ticket, unused;
    GS_TRY(fetch(&f, landing, *ticket, *ticket, &next, st));
    /* The witness saw a piece in each part: the stream counts with it. */
    for (uint64_t t = *ticket + 1; t < next; t++)
        GS_TRY(gs_stream_reserve(stream, t, 0, true, &unused, st));
    *ticket = next;
    return GS_OK;
}

gs_code gs_device_text_keep(const gs_forming *g, gs_text_sort *sort,
                            const gs_text_result *result, const gs_multiset *read,
                            const gs_landing *landing, gs_sink *sink, gs_status *st)
{
    gs_fetched_text f = {
        .forming = g, .sort = sort, .bytes = result->bytes, .stream = sink->stream};
    gs_witness_options watched = *g->watched;
    uint64_t next;
    watched.is_full = true;
    if (sink->place != NULL)
        f.memory_bytes = sink->place(sink->place_context, f.bytes, &f.memory);
    GS_TRY(gs_witness_new(&f.judge, &watched, st));
    gs_witness_read(f.judge, read);
    if (fetch(&f, landing, 0, 1, &next, st) == GS_OK)
        GS_NOTED(
            gs_witness_judge(f.judge, result->record_count, f.bytes, GS_ERR_GPU, st));
    gs_witness_free(f.judge);
    return st->code;
}
