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

/* What comes down from one GPU: its stretches, one behind the other. */
typedef struct gs_text_lane {
    gs_text_sort *sort;
    size_t stretch;          /* that the next part is of; beyond the last: none */
    uint64_t at;             /* where that part begins, in the text, */
    uint64_t left;           /* how much of the stretch is left from there on, */
    uint64_t next;           /* and where it is in the result of the sort */
    uint64_t started, taken; /* parts */
    gs_text_part parts[GS_TEXT_FETCHES_MAX];
} gs_text_lane;

/* Parts of the text on their way into memory, and then into the blocks of the stream,
 * several at once. */
typedef struct gs_fetched_text {
    const gs_forming *forming;
    const gs_sorted_text *from;
    uint64_t bytes;    /* of it */
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
    gs_part_witness *witness; /* to take parts; each worker looks at its own */
    uint64_t taken;           /* bytes, by workers */
    gs_text_lane lanes[GS_TEXT_CHUNKS_MAX];
    unsigned slots;        /* for fetches of a lane, */
    unsigned fetches_max;  /* and how many may be under way at once */
    uint64_t window;       /* nothing is fetched that is so far from what is taken */
    uint8_t **free_blocks; /* of the landing */
    size_t free_count;
} gs_fetched_text;

/* Where a byte of the text is in memory, or in the stream. */
static uint64_t place_of(const gs_fetched_text *f, uint64_t at)
{
    return at < f->memory_bytes ? at : f->offset + at - f->memory_bytes;
}

/* --- lanes ---------------------------------------------------------------------- */

/* The lane goes on with the next stretch that is its own, of those from number `i` on,
 * which begins at `at`. */
static void find_stretch(gs_fetched_text *f, unsigned lane, size_t i, uint64_t at)
{
    const gs_sorted_text *const from = f->from;
    gs_text_lane *const l = &f->lanes[lane];
    for (; i < from->stretch_count; at += from->stretches[i++].bytes)
        if (from->stretches[i].chunk == lane && from->stretches[i].bytes > 0)
            break;
    l->stretch = i;
    l->at = at;
    l->left = i < from->stretch_count ? from->stretches[i].bytes : 0;
}

static void begin_lanes(gs_fetched_text *f)
{
    for (size_t i = 0; i < f->from->stretch_count; i++)
        f->bytes += f->from->stretches[i].bytes;
    for (unsigned i = 0; i < f->from->count; i++) {
        f->lanes[i].sort = f->from->sorts[i];
        find_stretch(f, i, 0, 0);
    }
}

/* Where the lane's next part comes down, and how much it can be. */
static gs_code find_place_locked(gs_fetched_text *f, const gs_text_lane *l,
                                 gs_text_part *part, gs_status *st)
{
    const uint64_t most = l->left < f->end - l->at ? l->left : f->end - l->at;
    const uint64_t place = place_of(f, l->at);
    part->at = l->at;
    part->bytes = f->block_bytes - (size_t)(place % f->block_bytes);
    if (part->bytes > most)
        part->bytes = (size_t)most;
    if (!f->is_landing)
        return gs_stream_map(f->stream, place, part->bytes, &part->got, &part->bytes, st);
    gs_assert(f->free_count > 0); /* each worker has one at most, and each fetch */
    part->got = f->free_blocks[--f->free_count];
    return GS_OK;
}

static gs_code start_part_locked(gs_fetched_text *f, unsigned lane, gs_status *st)
{
    gs_text_lane *const l = &f->lanes[lane];
    const unsigned slot = (unsigned)(l->started % f->slots);
    gs_text_part *const part = &l->parts[slot];
    GS_TRY(find_place_locked(f, l, part, st));
    GS_TRY(gs_text_sort_fetch_text(l->sort, slot, l->next, part->bytes, part->got, st));
    l->started++;
    l->next += part->bytes;
    l->at += part->bytes;
    l->left -= part->bytes;
    if (l->left == 0)
        find_stretch(f, lane, l->stretch + 1, l->at);
    return GS_OK;
}

/* What comes next of the text may always be fetched: nothing waits for what is behind. */
static gs_code start_parts_locked(gs_fetched_text *f, gs_status *st)
{
    for (unsigned i = 0; i < f->from->count; i++) {
        const gs_text_lane *const l = &f->lanes[i];
        while (l->left > 0 && l->at < f->end && l->started - l->taken < f->fetches_max &&
               l->at - f->taken < f->window)
            GS_TRY(start_part_locked(f, i, st));
    }
    return GS_OK;
}

/* Keeps parts coming, and waits for the next of the text, which is for this worker. */
static gs_code take_part_locked(gs_fetched_text *f, unsigned worker, gs_text_part *part,
                                gs_status *st)
{
    if (f->is_landing && part->got != NULL)
        f->free_blocks[f->free_count++] = part->got;
    part->got = NULL;
    GS_TRY(gs_cancel_check(f->forming->options->cancel_signal, st));
    GS_TRY(start_parts_locked(f, st));
    if (f->taken == f->end)
        return GS_OK;
    unsigned i = 0;
    while (f->lanes[i].taken == f->lanes[i].started ||
           f->lanes[i].parts[f->lanes[i].taken % f->slots].at != f->taken)
        gs_assert(++i < f->from->count);
    gs_text_lane *const l = &f->lanes[i];
    const unsigned slot = (unsigned)(l->taken % f->slots);
    GS_TRY(gs_text_sort_fetch_wait(l->sort, slot, st));
    l->taken++;
    *part = l->parts[slot];
    f->taken += part->bytes;
    return gs_part_witness_take(f->witness, worker, part->got, part->bytes, st);
}

/* --- workers -------------------------------------------------------------------- */

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
 * cannot copy to as fast as to it. Each worker holds a block, whichever they are. */
static gs_code need_landing(gs_fetched_text *f, const gs_landing *landing, gs_status *st)
{
    f->block_bytes = f->forming->plan->stream_block_bytes;
    const size_t count = landing->bytes / f->block_bytes;
    const size_t held = gs_team_workers(f->forming->team);
    gs_assert(count > held + f->from->count);
    const size_t room = (count - held) / f->from->count;
    f->slots = f->from->count > 1 ? GS_TEXT_FETCHES_MAX : GS_TEXT_FETCHES;
    f->fetches_max = room < f->slots ? (unsigned)room : f->slots;
    f->window = (count - held - 1) * f->block_bytes;
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
    if (f->taken == end)
        return GS_OK;
    f->end = end;
    f->is_landing = is_landing;
    GS_NOTED(gs_team_run(f->forming->team, text_worker, f, st));
    /* Nothing may still be written to that memory after a failure. */
    for (unsigned i = 0; i < f->from->count; i++) {
        gs_text_lane *const l = &f->lanes[i];
        for (; l->taken < l->started; l->taken++) {
            gs_status ignored = {.code = GS_OK};
            GS_NOTED(gs_text_sort_fetch_wait(l->sort, (unsigned)(l->taken % f->slots),
                                             &ignored));
        }
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
    begin_lanes(f);
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

gs_code gs_device_text_emit(const gs_forming *g, const gs_sorted_text *text,
                            const gs_landing *landing, gs_stream *stream,
                            uint64_t *ticket, gs_status *st)
{
    gs_fetched_text f = {
        .forming = g, .from = text, .judge = g->witness, .stream = stream};
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
    const gs_text_stretch all = {0, result->bytes};
    const gs_sorted_text text = {&sort, 1, &all, 1};
    gs_fetched_text f = {.forming = g, .from = &text, .stream = sink->stream};
    gs_witness_options watched = *g->watched;
    uint64_t next;
    watched.is_full = true;
    watched.drops_equals = watched.order.is_strict = watched.has_counts = false;
    if (sink->place != NULL)
        f.memory_bytes = sink->place(sink->place_context, result->bytes, &f.memory);
    GS_TRY(gs_witness_new(&f.judge, &watched, st));
    gs_witness_read(f.judge, read);
    if (fetch(&f, landing, 0, 1, &next, st) == GS_OK)
        GS_NOTED(gs_witness_judge(f.judge, result->record_count, result->bytes,
                                  GS_ERR_GPU, st));
    gs_witness_free(f.judge);
    return st->code;
}
