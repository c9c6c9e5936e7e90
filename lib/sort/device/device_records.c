/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/device_records.h"

#include <pthread.h>

#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/sort/witness/witnesses.h"

enum {
    RECORD_SLACK = 64, /* readable beyond fetched records */
    LEAST_RECORD_BYTES = 16,
};

/* Records on their way to a sink, part by part. */
typedef struct gs_fetched_records {
    const gs_forming *forming;
    gs_text_sort *sort;
    const gs_landing *landing;
    gs_sink *sink;
    gs_witness *run_witness; /* NULL: it is no run */
    pthread_mutex_t mutex;   /* guards the device and what follows */
    uint64_t next_record, next_ticket;
    bool has_failed;
} gs_fetched_records;

/* What one worker takes of the sorted records at once. */
typedef struct gs_device_part {
    uint64_t ticket, count;
    gs_text_record *records;
    uint8_t *data;
    bool is_landing; /* the data are there, else on the heap */
    size_t record_capacity, data_capacity, data_bytes;
} gs_device_part;

/* Fetches the next part; count 0 when there is none. */
static gs_code fetch_part_locked(gs_fetched_records *f, gs_device_part *part,
                                 gs_status *st)
{
    uint64_t bytes;
    GS_TRY(gs_text_sort_cut(f->sort, f->next_record, part->data_capacity,
                            part->record_capacity, &part->count, &bytes, st));
    if (part->count == 0)
        return GS_OK;
    if (bytes > part->data_capacity) { /* a record that is longer by itself */
        if (part->is_landing)
            part->data = NULL;
        part->is_landing = false;
        GS_TRY(gs_mem_resize(&part->data, (size_t)bytes + RECORD_SLACK, "fetched records",
                             st));
        part->data_capacity = (size_t)bytes;
    }
    GS_TRY(gs_text_sort_fetch_records(f->sort, f->next_record, part->count, bytes,
                                      part->records, part->data, st));
    part->data_bytes = (size_t)bytes;
    f->next_record += part->count;
    part->ticket = f->next_ticket++;
    return GS_OK;
}

static gs_code fetch_part(gs_fetched_records *f, gs_device_part *part, gs_status *st)
{
    part->count = 0;
    pthread_mutex_lock(&f->mutex);
    if (gs_cancel_check(f->forming->options->cancel_signal, st) == GS_OK &&
        !f->has_failed)
        GS_NOTED(fetch_part_locked(f, part, st));
    f->has_failed |= st->code != GS_OK;
    pthread_mutex_unlock(&f->mutex);
    return st->code;
}

/* A record of a run: the witness of the run sees it, and that it differs from the one
 * before (NULL: none) where the device says so, on which merging depends. */
static gs_code show(const gs_fetched_records *f, gs_witness_piece *seen,
                    const gs_text_record *last, const gs_text_record *r,
                    const uint8_t *data, gs_status *st)
{
    const gs_record_layout *const layout = f->forming->layout;
    const bool is_key = layout->is_keyed && layout->is_key_only;
    const size_t string_bytes = is_key ? r->key_bytes : r->bytes;
    if (last != NULL) {
        const uint8_t *const before = data - last->bytes - layout->has_eol;
        int order;
        const size_t index =
            gs_ovc_first_difference(before, is_key ? last->key_bytes : last->bytes, data,
                                    string_bytes, 0, &order);
        if (r->shared != (order == 0 ? 0 : index + 1))
            return GS_FAIL(st, GS_ERR_GPU, 0,
                           "verify: a record differs from the one before elsewhere");
    }
    const gs_seen_string line = {data + r->key_bytes, r->bytes - r->key_bytes};
    const gs_seen_string string = {data, string_bytes};
    if (r->count > 1 && layout->is_keyed)
        gs_witness_drop_unknown(seen, r->count - 1);
    else if (r->count > 1)
        gs_witness_drop(seen, line.data, line.bytes, r->count - 1);
    return gs_witness_note(seen, line, string) ? gs_witness_look(seen, st) : GS_OK;
}

/* Lines that the device left out: without keys they are copies of the one that stays. */
static void note_dropped(const gs_fetched_records *f, gs_sink_piece *piece,
                         const gs_text_record *r, const uint8_t *data)
{
    if (r->count > 1 && f->forming->layout->is_keyed)
        gs_sink_drop_unknown(piece, r->count - 1);
    else if (r->count > 1)
        gs_sink_drop(piece, data, r->bytes, r->count - 1);
}

static gs_code put_part(const gs_fetched_records *f, const gs_device_part *part,
                        gs_sink_piece *piece, gs_witness_piece *seen, gs_status *st)
{
    const size_t eol = f->forming->layout->has_eol;
    const uint8_t *from = part->data;
    gs_witness_begin(seen, f->run_witness, part->ticket + 1,
                     f->forming->layout->is_keyed);
    gs_sink_begin(piece, part->ticket);
    for (uint64_t i = 0; i < part->count; i++) {
        const gs_text_record *const r = &part->records[i];
        if (r->key_bytes > r->bytes || from + r->bytes > part->data + part->data_bytes)
            return GS_FAIL(st, GS_ERR_GPU, 0, "verify: a record has no end");
        if (f->run_witness != NULL)
            GS_TRY(show(f, seen, i > 0 ? r - 1 : NULL, r, from, st));
        note_dropped(f, piece, r, from);
        const gs_sink_record out = {.data = from,
                                    .length = r->bytes,
                                    .key_bytes = r->key_bytes,
                                    .count = r->count,
                                    .shared = r->shared};
        GS_TRY(gs_sink_add(piece, &out, st));
        from += r->bytes + eol;
    }
    GS_TRY(gs_witness_end(seen, st));
    return gs_sink_end(piece, st);
}

/* Of a run what comes down is put into the landing, of which each worker has a share; for
 * text that may be what the stream writes from. */
static gs_code part_new(gs_device_part *part, const gs_fetched_records *f,
                        unsigned worker, gs_status *st)
{
    const size_t bytes = f->sink->buffer_bytes / 4 * 3;
    const size_t share = f->landing->bytes / gs_team_workers(f->forming->team);
    *part = (gs_device_part){.record_capacity = bytes / LEAST_RECORD_BYTES,
                             .data_capacity = bytes};
    GS_TRY(gs_mem_new(&part->records, part->record_capacity * sizeof *part->records,
                      "fetched records", st));
    part->is_landing = f->sink->run != NULL && bytes + RECORD_SLACK <= share;
    if (part->is_landing)
        part->data = f->landing->memory + worker * share;
    else
        GS_TRY(gs_mem_new(&part->data, bytes + RECORD_SLACK, "fetched records", st));
    return GS_OK;
}

static void part_free(gs_device_part *part)
{
    gs_mem_free(part->records);
    if (!part->is_landing)
        gs_mem_free(part->data);
}

static gs_code emit_worker(void *context, unsigned worker, gs_status *st)
{
    gs_fetched_records *const f = context;
    gs_trace *const trace = f->forming->options->trace;
    gs_device_part part = {0};
    gs_witness_piece seen = {0};
    gs_sink_piece *piece = NULL;
    GS_TRY_OR_FAIL(gs_sink_piece_new(&piece, f->sink, st));
    GS_TRY_OR_FAIL(part_new(&part, f, worker, st));
    for (;;) {
        GS_TRY_OR_FAIL(fetch_part(f, &part, st));
        if (part.count == 0)
            break;
        const uint64_t begin_ns = gs_trace_begin(trace);
        GS_TRY_OR_FAIL(put_part(f, &part, piece, &seen, st));
        gs_trace_end(trace, GS_LANE_WORKER, worker, "encode", begin_ns, 0);
    }
fail:
    part_free(&part);
    gs_witness_release(&seen);
    gs_sink_piece_free(piece);
    if (st->code != GS_OK)
        gs_stream_abort(f->sink->stream, st);
    return st->code;
}

static gs_code emit_records(gs_fetched_records *f, gs_status *st)
{
    return gs_team_run(f->forming->team, emit_worker, f, st);
}

/* Records into a run, which has a witness of its own. */
static gs_code emit_run(gs_fetched_records *f, const gs_multiset *read,
                        const gs_emit_options *emit, uint64_t count, gs_status *st)
{
    gs_witness_options watched = *f->forming->watched;
    watched.is_full = true;
    watched.drops_equals = watched.order.is_strict = emit->is_unique;
    watched.has_counts = false;
    watched.has_top = emit->has_top;
    watched.top_count = emit->top_count;
    GS_TRY(gs_witness_new(&f->run_witness, &watched, st));
    gs_witness_read(f->run_witness, read);
    if (emit_records(f, st) == GS_OK)
        GS_NOTED(gs_witness_judge(f->run_witness, count, UINT64_MAX, GS_ERR_GPU, st));
    gs_witness_free(f->run_witness);
    return st->code;
}

gs_code gs_device_records_emit(const gs_forming *forming, gs_text_sort *sort,
                               uint64_t count, const gs_multiset *read,
                               const gs_landing *landing, gs_sink *sink,
                               const gs_emit_options *emit, uint64_t *ticket,
                               gs_status *st)
{
    gs_fetched_records f = {.forming = forming,
                            .sort = sort,
                            .landing = landing,
                            .sink = sink,
                            .next_ticket = *ticket};
    pthread_mutex_init(&f.mutex, NULL);
    GS_NOTED(sink->run != NULL ? emit_run(&f, read, emit, count, st)
                               : emit_records(&f, st));
    pthread_mutex_destroy(&f.mutex);
    *ticket = f.next_ticket;
    return st->code;
}
