/* SPDX-License-Identifier: MIT */
#include "lib/sort/form/ingest.h"

#include <pthread.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/sort/form/batch_records.h"
#include "lib/sort/record/records.h"
#include "lib/sort/bucket/buckets.h"

struct gs_ingest {
    const gs_forming *forming;
    gs_record_layout layout; /* this and what follows as there */
    bool is_keyed;
    size_t record_size;
    bool is_csv;
    unsigned workers;
    gs_record_maker maker;
    gs_batch_records *scratch; /* one a worker */
    uint8_t *limit;            /* of the maker */

    gs_chunk *chunk;       /* of the run that is being formed */
    gs_early_split *early; /* in place of its elements; or NULL */
    bool is_early_chunk;   /* it holds a chunk at a time */

    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t turn_changed;
    uint64_t next_ticket; /* may reserve */
    size_t line_input;    /* of what has had its turn, this was the last input */
    uint64_t lines;       /* and so many of its lines */
    bool is_full, is_ended, has_failed, is_not_early;
    gs_status failure; /* of the batch of this ticket, the lowest that failed */
    uint64_t failure_ticket;
    gs_line_batch *pending; /* did not fit, by ticket; room for one a worker */
    unsigned pending_count;
};

gs_code gs_ingest_new(gs_ingest **out, const gs_forming *forming, gs_status *st)
{
    *out = NULL;
    gs_ingest *in = NULL;
    GS_TRY(gs_mem_new(&in, sizeof *in, "ingest", st));
    in->forming = forming;
    in->layout = *forming->layout;
    in->is_keyed = forming->encoder != NULL || forming->input_encoders != NULL;
    in->record_size = forming->options->order.record_size;
    in->is_csv = gs_form_has_quotes(forming->options->order.form);
    in->maker = (gs_record_maker){.forming = forming, .layout = *forming->layout};
    in->workers = gs_team_workers(forming->team);
    in->next_ticket = gs_line_feed_next_ticket(forming->feed);
    pthread_mutex_init(&in->mutex, NULL);
    pthread_cond_init(&in->turn_changed, NULL);
    GS_TRY_OR_FAIL(gs_mem_new_apart(&in->scratch, in->workers * sizeof *in->scratch,
                                    "ingest scratch", st));
    GS_TRY_OR_FAIL(gs_mem_new(&in->pending, in->workers * sizeof *in->pending,
                              "pending batches", st));
    *out = in;
    return GS_OK;
fail:
    gs_ingest_free(in);
    return st->code;
}

void gs_ingest_free(gs_ingest *in)
{
    if (in == NULL)
        return;
    for (unsigned i = 0; in->pending != NULL && i < in->pending_count; i++)
        gs_line_batch_release(&in->pending[i]);
    for (unsigned i = 0; in->scratch != NULL && i < in->workers; i++)
        gs_batch_records_release(&in->scratch[i]);
    pthread_cond_destroy(&in->turn_changed);
    pthread_mutex_destroy(&in->mutex);
    gs_mem_free(in->pending);
    gs_mem_free(in->scratch);
    gs_mem_free(in->limit);
    gs_mem_free(in);
}

gs_code gs_ingest_set_limit(gs_ingest *in, const uint8_t *string, size_t string_bytes,
                            gs_status *st)
{
    GS_TRY(gs_mem_resize(&in->limit, string_bytes + 8, "limit of --top", st));
    memset(in->limit + string_bytes, 0, 8);
    memcpy(in->limit, string, string_bytes);
    const uint64_t word = gs_string_word(in->limit, string_bytes, 0);
    in->maker.limit = in->limit;
    in->maker.limit_bytes = string_bytes;
    in->maker.limit_prefix = in->layout.is_backwards ? ~word : word;
    return GS_OK;
}

/* --- copying into the chunk ------------------------------------------------- */

static inline void put_element(const gs_ingest *in, gs_element *e, const uint8_t *record,
                               size_t bytes, size_t arena_offset)
{
    gs_tie_put_words(&in->layout, e, record, bytes, 0);
    e->where = gs_where_pack(arena_offset, bytes);
}

/* Plain records are the text itself, which lies at `offset`: one element a line. False
 * if there are not as many as were counted, or if they are not all of the text,
 * because somebody writes to a mapped file. */
static bool put_elements(const gs_ingest *in, const gs_line_batch *batch, size_t offset,
                         gs_element *e, size_t count)
{
    const gs_element *const end_of_room = e + count;
    const uint8_t *const data = batch->data;
    if (in->record_size > 0) {
        for (size_t at = 0; at < batch->bytes; at += in->record_size)
            put_element(in, e++, data + at, in->record_size, offset + at);
        return true;
    }
    gs_line_iter it = gs_line_iter_begin(data, batch->bytes, in->layout.eol);
    while (gs_line_iter_load(&it)) {
        const size_t room = (size_t)(end_of_room - e);
        if (__builtin_expect(room < 64, 0) &&
            (size_t)__builtin_popcountll(it.mask) > room)
            return false;
        while (gs_line_iter_next(&it))
            put_element(in, e++, data + it.begin, it.end - it.begin, offset + it.begin);
    }
    if (batch->lacks_final_eol && it.rest < batch->bytes && e < end_of_room) {
        put_element(in, e++, data + it.rest, batch->bytes - it.rest, offset + it.rest);
        it.rest = batch->bytes;
    }
    return e == end_of_room && it.rest == batch->bytes;
}

static void copy_plain(const gs_ingest *in, const gs_line_batch *batch, size_t offset)
{
    uint8_t *const to = in->chunk->arena + offset;
    memcpy(to, batch->data, batch->bytes);
    if (batch->lacks_final_eol)
        to[batch->bytes] = in->layout.eol;
}

/* The words of the elements are taken here and not where the strings were made: bytes
 * that were just written one by one cannot be read as words without a stall. */
static void copy_scratch(const gs_ingest *in, const gs_batch_records *scratch,
                         size_t offset, gs_element *e)
{
    if (scratch->record_bytes > 0)
        memcpy(in->chunk->arena + offset, scratch->records, scratch->record_bytes);
    const uint64_t shift = (uint64_t)offset << GS_WHERE_LENGTH_BITS;
    for (size_t i = 0; i < scratch->element_count; i++) {
        const uint64_t where = scratch->elements[i].where;
        const gs_record r = gs_record_at(&in->layout, scratch->records, where);
        gs_tie_put_words(&in->layout, &e[i], r.string, r.string_bytes, 0);
        e[i].where = where + shift;
    }
}

/* --- the loop of a worker --------------------------------------------------- */

/* Plain lines go to the chunk without a detour, unless some are too long for an element
 * or may be dropped. */
static bool is_direct(const gs_ingest *in, const gs_line_batch *batch)
{
    return !in->is_keyed && in->maker.limit == NULL && !in->is_csv &&
           batch->bytes < GS_WHERE_LENGTH_LONG;
}

static void keep_pending_locked(gs_ingest *in, gs_line_batch *batch)
{
    gs_assert(in->pending_count < in->workers);
    unsigned at = in->pending_count++;
    while (at > 0 && in->pending[at - 1].ticket > batch->ticket) {
        in->pending[at] = in->pending[at - 1];
        at--;
    }
    in->pending[at] = *batch;
    *batch = (gs_line_batch){0};
}

/* A line has no key: says which, now that it is known how many came before the batch. */
static gs_code fail_bad_locked(const gs_ingest *in, const gs_line_batch *batch,
                               uint64_t bad_line, gs_status *st)
{
    const gs_sort_options *const o = in->forming->options;
    const bool has_header = o->header_of_each || batch->input_index == 0;
    const uint64_t line = in->lines + bad_line + (has_header ? o->header_lines : 0);
    const gs_key_maker *const maker =
        gs_key_encoder_maker(gs_record_maker_encoder(&in->maker, batch->input_index));
    gs_quoted quoted;
    (void)GS_FAIL(st, GS_ERR_FORMAT, 0, "%s:%llu: %s",
                  gs_quote_name(&quoted, o->inputs[batch->input_index]),
                  (unsigned long long)line, maker->complaint);
    return gs_status_hint(st, maker->hint);
}

static void count_left_out(const gs_ingest *in, const gs_line_batch *batch,
                           uint64_t records)
{
    const gs_key_maker *const maker =
        gs_key_encoder_maker(gs_record_maker_encoder(&in->maker, batch->input_index));
    if (maker->left_out != NULL)
        atomic_fetch_add(maker->left_out, records);
}

/* Counts the lines of an input whose batches have had their turns. */
static gs_code take_turn_locked(gs_ingest *in, const gs_line_batch *batch,
                                const gs_batch_records *scratch, uint64_t records,
                                gs_status *st)
{
    if (batch->input_index != in->line_input)
        in->lines = 0;
    in->line_input = batch->input_index;
    if (scratch->has_bad)
        return fail_bad_locked(in, batch, scratch->bad_line, st);
    in->lines += records;
    if (scratch->left_out > 0)
        count_left_out(in, batch, scratch->left_out);
    in->next_ticket++;
    return GS_OK;
}

/* Has a batch before this one failed? All before one that failed have their turns, if the
 * chunk has room for them. */
static bool is_in_vain_locked(const gs_ingest *in, const gs_line_batch *batch)
{
    return in->has_failed && in->failure_ticket < batch->ticket;
}

/* Waits for the batch's turn and reserves. *has_room is false when the chunk is full: the
 * batch has been put aside. */
static gs_code reserve_in_turn(gs_ingest *in, const gs_batch_records *scratch,
                               gs_line_batch *batch, uint64_t records,
                               const gs_chunk_want *want, size_t *offset, size_t *index,
                               bool *has_room, gs_status *st)
{
    pthread_mutex_lock(&in->mutex);
    while (in->next_ticket != batch->ticket && !in->is_full &&
           !is_in_vain_locked(in, batch))
        pthread_cond_wait(&in->turn_changed, &in->mutex);
    *has_room = false;
    if (!is_in_vain_locked(in, batch) && !in->is_full) {
        *has_room = gs_chunk_reserve(in->chunk, want, offset, index);
        if (*has_room)
            GS_NOTED(take_turn_locked(in, batch, scratch, records, st));
        else
            in->is_full = true;
    }
    if (in->is_full && in->chunk->element_count == 0) {
        (void)GS_FAIL(st, GS_ERR_LIMIT, 0,
                      "%zu bytes of memory for records do not hold %zu bytes of input",
                      in->chunk->budget_bytes, want->copied_bytes + want->mapped_bytes);
        (void)gs_status_hint(st, "give more memory with -S");
    }
    if (in->is_full && st->code == GS_OK)
        keep_pending_locked(in, batch);
    pthread_cond_broadcast(&in->turn_changed);
    pthread_mutex_unlock(&in->mutex);
    return st->code;
}

/* Leaves out what does not stay, once all inputs before that of the batch were seen. */
static void sift_records(gs_ingest *in, gs_batch_records *scratch,
                         const gs_line_batch *batch)
{
    if (in->forming->sieve == NULL)
        return;
    pthread_mutex_lock(&in->mutex);
    while (in->line_input < batch->input_index && in->next_ticket != batch->ticket &&
           !in->is_full && !is_in_vain_locked(in, batch))
        pthread_cond_wait(&in->turn_changed, &in->mutex);
    pthread_mutex_unlock(&in->mutex);
    scratch->element_count = gs_record_sieve_run(
        in->forming->sieve, batch->input_index, &in->layout, scratch->elements,
        scratch->element_count, scratch->records, &scratch->record_bytes);
}

/* What the witness and the statistics hear of a batch. */
static void note_records(const gs_ingest *in, uint64_t records,
                         const gs_line_batch *batch)
{
    const uint64_t eols = in->record_size > 0 ? 0 : records - batch->lacks_final_eol;
    const gs_multiset counted = {records, batch->bytes - eols, 0};
    if (gs_witness_is_full(in->forming->witness))
        gs_witness_read_text(in->forming->witness, batch->data, batch->bytes);
    else
        gs_witness_read(in->forming->witness, &counted);
    gs_sort_stats *const stats = in->forming->options->stats;
    if (stats == NULL)
        return;
    atomic_fetch_add(&stats->records, records);
    atomic_fetch_add(&stats->text_bytes, batch->bytes);
}

static gs_code ingest_batch(gs_ingest *in, gs_batch_records *scratch,
                            gs_line_batch *batch, gs_status *st)
{
    const bool direct = is_direct(in, batch);
    uint64_t records = 0;
    gs_chunk_want want = {0};
    if (batch->is_in_map)
        gs_file_map_bring(batch->data, batch->bytes);
    if (!direct) {
        GS_TRY(gs_batch_records_make(&in->maker, scratch, batch, st));
        records = scratch->line_count;
        sift_records(in, scratch, batch);
        gs_assert(scratch->record_bytes <= gs_arena_bytes_max);
        want.copied_bytes = scratch->record_bytes;
        want.count = scratch->element_count;
    } else {
        const size_t bytes = batch->bytes;
        want.count = in->record_size > 0
                         ? bytes / in->record_size
                         : gs_line_count(batch->data, bytes, in->layout.eol);
        want.count += batch->lacks_final_eol;
        want.copied_bytes = batch->is_in_map ? 0 : bytes + batch->lacks_final_eol;
        want.mapped_bytes = batch->is_in_map ? bytes : 0;
        records = want.count;
    }
    size_t offset, index;
    bool has_room;
    const size_t text_bytes = batch->bytes;
    want.text_bytes = text_bytes;
    GS_TRY(reserve_in_turn(in, scratch, batch, records, &want, &offset, &index, &has_room,
                           st));
    if (!has_room)
        return GS_OK;
    note_records(in, records, batch);
    gs_element *const e = in->chunk->elements + index;
    bool is_as_counted = true;
    if (!direct) {
        copy_scratch(in, scratch, offset, e);
        gs_batch_records_trim(scratch, text_bytes);
        if (batch->is_in_map)
            gs_file_map_leave_part(batch->data, batch->bytes);
    } else if (batch->is_in_map) {
        is_as_counted = put_elements(in, batch, batch->map_offset, e, want.count);
    } else {
        copy_plain(in, batch, offset);
        is_as_counted = put_elements(in, batch, offset, e, want.count);
    }
    return is_as_counted ? GS_OK : gs_map_name_fail_changed(batch->data, st);
}

/* Waits for the turn of a batch that goes to the lists of a chunk. *has_room is false
 * when those are full, or not for such a batch: it has been put aside. */
static void reserve_early_in_turn(gs_ingest *in, gs_line_batch *batch, size_t *offset,
                                  bool *has_room)
{
    size_t index;
    const gs_chunk_want want = {.copied_bytes = batch->bytes + batch->lacks_final_eol,
                                .text_bytes = batch->bytes};
    pthread_mutex_lock(&in->mutex);
    while (in->next_ticket != batch->ticket && !in->is_full)
        pthread_cond_wait(&in->turn_changed, &in->mutex);
    *has_room = !in->is_full && gs_early_split_reserve(in->early, batch->bytes);
    if (*has_room && !batch->is_in_map &&
        !gs_chunk_reserve(in->chunk, &want, offset, &index)) {
        gs_early_split_added(in->early, batch->bytes);
        *has_room = false;
    }
    in->is_full = !*has_room;
    if (in->is_full)
        keep_pending_locked(in, batch);
    else
        in->next_ticket++;
    pthread_cond_broadcast(&in->turn_changed);
    pthread_mutex_unlock(&in->mutex);
}

/* To the lists of a chunk. */
static void split_batch_in_turn(gs_ingest *in, unsigned worker, gs_line_batch *batch)
{
    uint64_t records = 0;
    size_t offset = batch->map_offset;
    bool has_room;
    reserve_early_in_turn(in, batch, &offset, &has_room);
    if (!has_room)
        return;
    if (batch->is_in_map)
        gs_file_map_bring(batch->data, batch->bytes);
    else
        copy_plain(in, batch, offset);
    const bool is_added = gs_early_split_add(in->early, worker, in->chunk->arena + offset,
                                             batch->bytes, offset, &records);
    gs_assert(is_added);
    note_records(in, records, batch);
    if (batch->is_in_map)
        gs_file_map_leave_part(batch->data, batch->bytes);
    pthread_mutex_lock(&in->mutex);
    gs_early_split_added(in->early, batch->bytes);
    pthread_mutex_unlock(&in->mutex);
}

/* To the lists of early_split, from the map or a copy in the arena. */
static void split_batch(gs_ingest *in, unsigned worker, const gs_line_batch *batch)
{
    uint64_t records = 0;
    size_t offset, index;
    const bool is_in_map = batch->is_in_map;
    const gs_chunk_want want = {
        .copied_bytes = is_in_map ? 0 : batch->bytes + batch->lacks_final_eol,
        .mapped_bytes = is_in_map ? batch->bytes : 0,
        .text_bytes = batch->bytes,
    };
    if (is_in_map)
        gs_file_map_bring(batch->data, batch->bytes);
    pthread_mutex_lock(&in->mutex);
    bool is_good = batch->bytes < GS_WHERE_LENGTH_LONG &&
                   gs_chunk_reserve(in->chunk, &want, &offset, &index);
    pthread_mutex_unlock(&in->mutex);
    if (is_good && is_in_map)
        offset = batch->map_offset;
    else if (is_good)
        copy_plain(in, batch, offset);
    is_good = is_good && gs_early_split_add(in->early, worker, in->chunk->arena + offset,
                                            batch->bytes, offset, &records);
    note_records(in, records, batch);
    if (is_in_map && !gs_early_split_needs_text(in->early))
        gs_file_map_leave_part(batch->data, batch->bytes);
    if (is_good)
        return;
    pthread_mutex_lock(&in->mutex);
    in->is_full = in->is_not_early = true;
    pthread_mutex_unlock(&in->mutex);
}

/* The next batch: first what the last chunk had no room for. */
static gs_code next_batch(gs_ingest *in, gs_line_batch *batch, bool *has_batch,
                          gs_status *st)
{
    *has_batch = false;
    GS_TRY(gs_cancel_check(in->forming->options->cancel_signal, st));
    pthread_mutex_lock(&in->mutex);
    bool stop = in->is_full || in->has_failed;
    if (!stop && in->pending_count > 0) {
        *batch = in->pending[0];
        in->pending_count--;
        memmove(in->pending, in->pending + 1, in->pending_count * sizeof *batch);
        *has_batch = true;
    } else if (in->is_ended) {
        stop = true;
    }
    pthread_mutex_unlock(&in->mutex);
    if (stop || *has_batch)
        return GS_OK;
    GS_TRY(gs_line_feed_next(in->forming->feed, batch, has_batch, st));
    if (!*has_batch) {
        pthread_mutex_lock(&in->mutex);
        in->is_ended = true;
        pthread_mutex_unlock(&in->mutex);
    }
    return GS_OK;
}

/* What is kept is what a single thread would have met first: all batches before one that
 * failed are looked at, whoever has them, unless the chunk is full before. What fails to
 * come at all comes last. */
static void note_failure(gs_ingest *in, uint64_t ticket, const gs_status *st)
{
    pthread_mutex_lock(&in->mutex);
    if (!in->has_failed || ticket < in->failure_ticket) {
        in->failure = *st;
        in->failure_ticket = ticket;
    }
    in->has_failed = true;
    pthread_cond_broadcast(&in->turn_changed);
    pthread_mutex_unlock(&in->mutex);
}

static gs_code ingest_worker(void *context, unsigned worker, gs_status *st)
{
    gs_ingest *const in = context;
    gs_trace *const trace = gs_team_trace(in->forming->team);
    for (;;) {
        gs_line_batch batch = {0};
        bool has_batch = false;
        if (next_batch(in, &batch, &has_batch, st) == GS_OK && has_batch) {
            const uint64_t begin_ns = gs_trace_begin(trace);
            const size_t bytes = batch.bytes;
            if (in->early != NULL && in->is_early_chunk)
                split_batch_in_turn(in, worker, &batch);
            else if (in->early != NULL)
                split_batch(in, worker, &batch);
            else
                (void)ingest_batch(in, &in->scratch[worker], &batch, st);
            gs_trace_end(trace, GS_LANE_WORKER, worker, "parse", begin_ns, bytes);
        }
        const uint64_t ticket = has_batch ? batch.ticket : UINT64_MAX;
        gs_line_batch_release(&batch);
        if (st->code != GS_OK) {
            note_failure(in, ticket, st);
            return st->code;
        }
        if (!has_batch)
            return GS_OK;
    }
}

static gs_code run_workers(gs_ingest *in, gs_status *st)
{
    GS_NOTED(gs_team_run(in->forming->team, ingest_worker, in, st));
    if (in->has_failed)
        *st = in->failure;
    return st->code;
}

gs_code gs_ingest_fill(gs_ingest *in, gs_chunk *chunk, bool *is_last, gs_status *st)
{
    gs_assert(chunk->element_count == 0);
    in->chunk = chunk;
    in->is_full = false;
    GS_TRY(run_workers(in, st));
    *is_last = in->is_ended && in->pending_count == 0;
    return GS_OK;
}

void gs_ingest_place(gs_ingest *in, size_t *input_index, uint64_t *offset)
{
    if (in->pending_count == 0) {
        gs_line_feed_place(in->forming->feed, input_index, offset);
        return;
    }
    *input_index = in->pending[0].input_index;
    *offset = in->pending[0].offset;
}

gs_code gs_ingest_split_early(gs_ingest *in, gs_chunk *chunk, gs_early_split *early,
                              bool *is_done, gs_status *st)
{
    in->chunk = chunk;
    in->early = early;
    GS_NOTED(run_workers(in, st));
    *is_done = !in->is_not_early;
    in->early = NULL;
    if (in->is_not_early) {
        in->is_ended = false;
        in->next_ticket = gs_line_feed_next_ticket(in->forming->feed);
    }
    return st->code;
}

gs_code gs_ingest_fill_early(gs_ingest *in, gs_chunk *chunk, gs_early_split *early,
                             bool *is_last, gs_status *st)
{
    in->chunk = chunk;
    in->early = early;
    in->is_early_chunk = true;
    in->is_full = false;
    GS_NOTED(run_workers(in, st));
    in->early = NULL;
    *is_last = in->is_ended && in->pending_count == 0;
    return st->code;
}
