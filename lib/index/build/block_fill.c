/* SPDX-License-Identifier: MIT */
#include "lib/index/build/block_fill.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/index/build/batch_add.h"
#include "lib/index/build/fill_report.h"
#include "lib/index/build/fill_state.h"
#include "lib/sort/record/records.h"

/* --- life ------------------------------------------------------------------------ */

/* A thread's first. */
static gs_code worker_init(gs_fill_worker *w, const gs_block_fill *f, gs_status *st)
{
    if (f->options.texts != NULL)
        GS_TRY(gs_text_pack_new(&w->pack, gs_text_writer_file(f->options.texts), st));
    if (!f->is_tuples && !f->has_weights) {
        GS_TRY(gs_token_batch_init(&w->tokens, st));
        GS_TRY(f->has_pieces
                   ? gs_tokenizer_new_stemless(&w->tokenizer, f->options.rules, st)
                   : gs_tokenizer_new(&w->tokenizer, f->options.rules, st));
        w->pieces = (gs_piece_fill){.blocks = f->options.blocks,
                                    .worker = (unsigned)(w - f->workers),
                                    .tokenizer = w->tokenizer,
                                    .tokens = &w->tokens};
        return GS_OK;
    }
    GS_TRY(gs_mem_new(&w->tuples, sizeof *w->tuples, "tuples", st));
    w->tuple_pieces = (gs_tuple_fill){.blocks = f->options.blocks,
                                      .worker = (unsigned)(w - f->workers),
                                      .format = f->options.build->document.format,
                                      .tuples = w->tuples};
    return gs_token_batch_init(&w->tuples->terms, st);
}

static gs_code workers_new(gs_block_fill *f, gs_status *st)
{
    const unsigned threads = f->options.workers;
    f->depth = f->has_pieces && !f->is_tuples ? GS_FILL_BATCHES : 1;
    const unsigned count = threads * f->depth;
    GS_TRY(gs_mem_new_apart(&f->workers, count * sizeof *f->workers, "filling of blocks",
                            st));
    f->worker_count = count;
    for (unsigned i = 0; i < count; i++)
        pthread_cond_init(&f->workers[i].gets_numbers, NULL);
    GS_TRY(gs_mem_new(&f->waiting, count * sizeof(gs_fill_worker *), "filling of blocks",
                      st));
    for (unsigned i = 0; i < threads; i++)
        GS_TRY(worker_init(&f->workers[i], f, st));
    for (unsigned i = threads; i < count; i++) {
        f->workers[i].pack = f->workers[i % threads].pack;
        f->workers[i].pieces = f->workers[i % threads].pieces;
    }
    return GS_OK;
}

gs_code gs_block_fill_new(gs_block_fill **out, const gs_block_fill_options *options,
                          gs_status *st)
{
    *out = NULL;
    gs_block_fill *f = NULL;
    GS_TRY(gs_mem_new(&f, sizeof *f, "filling of blocks", st));
    f->options = *options;
    f->is_tuples = gs_document_format_is_tuples(options->build->document.format);
    f->has_weights = options->has_weights;
    f->has_pieces = options->has_pieces;
    f->document_count = options->before.documents;
    f->input_index = options->before.input_index;
    f->line_count = options->before.line_count;
    f->bad = (gs_bad_documents){options->build, options->before.bad_count};
    gs_documents_fn *const fn = f->is_tuples ? NULL : options->documents_fn;
    pthread_mutex_init(&f->turn_mutex, NULL);
    pthread_cond_init(&f->has_room, NULL);
    GS_TRY_OR_FAIL(gs_batch_order_new(&f->order, fn, options->documents_context,
                                      options->texts, &f->bad, st));
    GS_TRY_OR_FAIL(workers_new(f, st));
    *out = f;
    return GS_OK;
fail:
    gs_block_fill_free(f);
    return st->code;
}

void gs_block_fill_free(gs_block_fill *f)
{
    if (f == NULL)
        return;
    for (unsigned i = 0; i < f->worker_count; i++) {
        gs_fill_worker *const w = &f->workers[i];
        gs_document_list_release(&w->list);
        gs_name_pack_release(&w->names);
        gs_mem_free(w->lengths);
        gs_line_batch_release(&w->batch);
        pthread_cond_destroy(&w->gets_numbers);
    }
    for (unsigned i = 0; f->workers != NULL && i < f->options.workers; i++) {
        gs_fill_worker *const w = &f->workers[i];
        gs_tokenizer_free(w->tokenizer);
        gs_token_batch_release(&w->tokens);
        gs_text_pack_free(w->pack);
        if (w->tuples != NULL)
            gs_token_batch_release(&w->tuples->terms);
        gs_mem_free(w->tuples);
    }
    gs_batch_order_free(f->order);
    gs_mem_free(f->waiting);
    gs_mem_free(f->workers);
    pthread_mutex_destroy(&f->turn_mutex);
    pthread_cond_destroy(&f->has_room);
    gs_mem_free(f);
}

bool gs_block_fill_wants_room(const gs_block_fill *f)
{
    return atomic_load(&f->wants_room);
}

uint64_t gs_block_fill_document_count(const gs_block_fill *f)
{
    uint64_t count = f->document_count; /* of tuples, those before */
    for (unsigned i = 0; i < f->worker_count; i++) {
        const gs_fill_worker *const w = &f->workers[i];
        if (w->has_doc && w->doc_max >= count)
            count = w->doc_max + 1;
    }
    return count;
}

static bool has_batch(const gs_block_fill *f)
{
    for (unsigned i = 0; i < f->worker_count; i++) {
        if (f->workers[i].has_batch)
            return true;
    }
    return false;
}

bool gs_block_fill_is_between(const gs_block_fill *f, gs_fill_counts *counts)
{
    if (has_batch(f))
        return false;
    gs_assert(gs_batch_order_is_empty(f->order));
    *counts = (gs_fill_counts){
        .documents = gs_block_fill_document_count(f),
        .input_index = f->input_index,
        .line_count = f->line_count,
        .bad_count = f->bad.count,
        .has_weights = f->has_weights,
    };
    return true;
}

/* Of texts that are stored, in the batch's turn: what the documents before have left
 * open, and what it leaves. */
static void take_open_block(gs_block_fill *f, gs_fill_worker *w)
{
    w->text_before = f->text_open;
    f->text_open = gs_batch_texts_after(&w->texts, &w->list, w->text_before);
}

/* --- numbers --------------------------------------------------------------------- */

static gs_code number_locked(gs_block_fill *f, gs_fill_worker *w, gs_status *st)
{
    if (w->batch.input_index != f->input_index) {
        f->input_index = w->batch.input_index;
        f->line_count = 0;
    }
    w->first_doc = f->document_count;
    w->first_line = f->line_count;
    const gs_bad_place place = {f->input_index, w->first_line, &w->batch, &w->shape};
    if (w->batch.cut_bytes > 0)
        return gs_bad_documents_refuse_long(&f->bad, &place,
                                            f->options.document_bytes_max, st);
    f->document_count += w->list.count;
    f->line_count += w->list.line_count;
    f->left_out += w->list.left_out;
    if (w->pack != NULL)
        take_open_block(f, w);
    GS_TRY(gs_bad_documents_tell(&f->bad, &place, w->list.bad, w->list.bad_count, st));
    if (f->document_count > GS_DOCUMENTS_MAX)
        return GS_FAIL(st, GS_ERR_LIMIT, 0, "more than 2^40 documents");
    return GS_OK;
}

static void wake_all_locked(gs_block_fill *f)
{
    pthread_cond_broadcast(&f->has_room);
    for (unsigned i = 0; i < f->worker_count; i++)
        pthread_cond_signal(&f->workers[i].gets_numbers);
}

static void wake_all(gs_block_fill *f)
{
    pthread_mutex_lock(&f->turn_mutex);
    wake_all_locked(f);
    pthread_mutex_unlock(&f->turn_mutex);
}

static void give_up(gs_block_fill *f)
{
    pthread_mutex_lock(&f->turn_mutex);
    atomic_store(&f->has_failed, true);
    wake_all_locked(f);
    pthread_mutex_unlock(&f->turn_mutex);
}

/* Numbers the batches whose turn it is, one after the other, and wakes who waits for
 * that: they go on side by side. */
static gs_code number_waiting_locked(gs_block_fill *f, gs_status *st)
{
    for (;;) {
        gs_fill_worker **const next = &f->waiting[f->turn % f->worker_count];
        gs_fill_worker *const w = *next;
        if (w == NULL)
            return GS_OK;
        *next = NULL;
        GS_TRY(number_locked(f, w, st));
        f->turn++;
        atomic_store(&w->has_numbers, true);
        pthread_cond_signal(&w->gets_numbers);
    }
}

/* The batch gets its numbers in its turn, from whoever comes to it. */
static gs_code ask_for_numbers(gs_block_fill *f, gs_fill_worker *w, gs_status *st)
{
    pthread_mutex_lock(&f->turn_mutex);
    gs_assert(w->batch.ticket - f->turn < f->worker_count);
    atomic_store(&w->has_numbers, false);
    f->waiting[w->batch.ticket % f->worker_count] = w;
    if (!atomic_load(&f->has_failed) && number_waiting_locked(f, st) != GS_OK) {
        atomic_store(&f->has_failed, true); /* before anybody later fails */
        wake_all_locked(f);
    }
    pthread_mutex_unlock(&f->turn_mutex);
    return st->code;
}

static void wait_for_numbers(gs_block_fill *f, gs_fill_worker *w)
{
    if (atomic_load(&w->has_numbers))
        return;
    pthread_mutex_lock(&f->turn_mutex);
    while (!atomic_load(&w->has_numbers) && !atomic_load(&f->has_failed))
        pthread_cond_wait(&w->gets_numbers, &f->turn_mutex);
    pthread_mutex_unlock(&f->turn_mutex);
}

/* --- a worker -------------------------------------------------------------------- */

static gs_code make_lengths(gs_fill_worker *w, gs_status *st)
{
    GS_TRY(gs_mem_grow(&w->lengths, &w->length_capacity, w->list.count,
                       "lengths of documents", st));
    if (w->list.count > 0)
        memset(w->lengths, 0, w->list.count * sizeof *w->lengths);
    return GS_OK;
}

/* What is to be known of a batch before it can have its numbers. */
static gs_code take_batch(gs_block_fill *f, gs_fill_worker *w, unsigned worker,
                          gs_status *st)
{
    const gs_block_fill_options *const o = &f->options;
    GS_TRY(gs_cancel_check(o->build->cancel_signal, st));
    gs_trace *const trace = gs_team_trace(f->team);
    const uint64_t take_ns = gs_trace_begin(trace);
    GS_TRY(gs_line_feed_next(o->feed, &w->batch, &w->has_batch, st));
    if (!w->has_batch)
        return GS_OK;
    gs_trace_end(trace, GS_LANE_WORKER, worker, "take", take_ns, w->batch.bytes);
    w->shape = f->is_tuples ? o->build->document
                            : gs_document_shape_of(o->shapes, w->batch.input_index);
    w->is_begun = false;
    if (w->batch.cut_bytes > 0)
        return ask_for_numbers(f, w, st);
    const uint64_t begin_ns = gs_trace_begin(trace);
    if (f->is_tuples) {
        const gs_line_batch *const b = &w->batch;
        w->list.bad_count = 0;
        w->list.line_count = o->build->document.format == GS_FORMAT_TUPLES
                                 ? gs_line_count(b->data, b->bytes, '\n')
                                 : 0;
        gs_tuple_reader_begin(&w->reader, o->build->document.format, b);
    } else {
        GS_TRY(gs_document_list_parse(&w->list, &w->shape, &w->batch,
                                      o->build->inputs[w->batch.input_index], st));
        GS_TRY(make_lengths(w, st));
        w->weights.whole += w->list.weights.whole;
        w->weights.decimal += w->list.weights.decimal;
        if (w->pack != NULL)
            w->texts = gs_batch_texts_of(&w->list);
    }
    w->document = w->text = 0;
    w->in_text = false;
    if (f->has_pieces && f->is_tuples)
        gs_tuple_fill_begin(&w->tuple_pieces, &w->batch);
    else if (f->has_pieces)
        gs_piece_fill_begin(&w->pieces, &w->list);
    gs_trace_end(trace, GS_LANE_WORKER, worker, "parse", begin_ns, w->batch.bytes);
    gs_sort_stats *const stats = &o->build->stats->sort;
    atomic_fetch_add(&stats->text_bytes, w->batch.bytes);
    atomic_store(&stats->input_bytes, gs_input_bytes_read(o->input));
    return ask_for_numbers(f, w, st);
}

/* It has its numbers, or all are to stop. */
static void begin_batch(gs_block_fill *f, gs_fill_worker *w, unsigned worker)
{
    gs_trace *const trace = gs_team_trace(f->team);
    const uint64_t wait_ns = gs_trace_begin(trace);
    wait_for_numbers(f, w);
    gs_trace_end(trace, GS_LANE_WORKER, worker, "wait for numbers", wait_ns, 0);
    if (f->has_pieces)
        gs_block_set_begin_batch(f->options.blocks, worker, w->batch.ticket);
    w->is_begun = true;
    w->begin_ns = gs_trace_begin(trace);
}

/* --- a thread's batches ------------------------------------------------------------- */

/* The i-th of them, in the order of the input. */
static gs_fill_worker *batch_of(const gs_block_fill *f, unsigned worker, unsigned i)
{
    const unsigned place = (f->workers[worker].first_batch + i) % f->depth;
    return &f->workers[place * f->options.workers + worker];
}

/* Where the first waits for its numbers, another one is taken meanwhile. */
static bool wants_batch(const gs_block_fill *f, unsigned worker)
{
    const unsigned count = f->workers[worker].batch_count;
    return !atomic_load(&f->has_bad_tuple) && !atomic_load(&f->is_pausing) &&
           count < f->depth &&
           (count == 0 || !atomic_load(&batch_of(f, worker, 0)->has_numbers));
}

static void drop_batch(gs_block_fill *f, unsigned worker)
{
    gs_fill_worker *const own = &f->workers[worker];
    own->first_batch = (own->first_batch + 1) % f->depth;
    own->batch_count--;
}

static gs_code make_names(const gs_block_fill *f, gs_fill_worker *w, gs_status *st)
{
    gs_name_pack_begin(&w->names, w->first_doc, f->options.packs_names);
    for (size_t i = 0; i < w->list.count; i++) {
        const gs_text_span *const name = &w->list.documents[i].name;
        GS_TRY(gs_name_pack_add(&w->names, name->data, name->bytes, w->lengths[i], st));
    }
    return GS_OK;
}

static gs_code finish_batch(gs_block_fill *f, gs_fill_worker *w, gs_status *st)
{
    gs_index_stats *const stats = f->options.build->stats;
    if (!f->is_tuples) {
        uint64_t tokens = 0;
        for (size_t i = 0; i < w->list.count; i++)
            tokens += w->lengths[i];
        atomic_fetch_add(&stats->sort.records, w->list.count);
        atomic_fetch_add(&stats->tokens, tokens);
        GS_TRY(make_names(f, w, st));
    }
    gs_done_batch done = {&w->batch, w->first_line, &w->list, &w->names, NULL, 0};
    if (w->pack != NULL)
        GS_TRY(gs_batch_texts_pack(&w->list, w->text_before, w->pack, &done.items,
                                   &done.item_count, st));
    GS_TRY(gs_batch_order_give(f->order, &done, st));
    const bool was_long = w->batch.lender != NULL;
    gs_line_batch_release(&w->batch);
    w->has_batch = false;
    if (was_long)
        wake_all(f);
    return GS_OK;
}

/* A worker that has a batch finishes it, if its block takes all of it. */
static void pause_in_time(gs_block_fill *f, unsigned worker)
{
    const gs_block_fill_options *const o = &f->options;
    if (o->build->checkpoint != NULL && gs_block_set_is_nearly_full(o->blocks, worker)) {
        atomic_store(&f->is_pausing, true);
        wake_all(f);
    }
}

static bool must_stop(const gs_block_fill *f)
{
    return atomic_load_explicit(&f->is_full, memory_order_relaxed) ||
           atomic_load_explicit(&f->has_failed, memory_order_relaxed);
}

/* There is no memory for one more long document: waits until another one is finished.
 * If none is in use all workers stop, so that their blocks can make room. */
static void wait_for_room(gs_block_fill *f)
{
    pthread_mutex_lock(&f->turn_mutex);
    if (gs_line_feed_long_bytes(f->options.feed) == 0) {
        atomic_store(&f->wants_room, true);
        atomic_store(&f->is_full, true);
        pthread_cond_broadcast(&f->has_room);
    } else if (!must_stop(f) && !atomic_load(&f->is_pausing)) {
        pthread_cond_wait(&f->has_room, &f->turn_mutex);
    }
    pthread_mutex_unlock(&f->turn_mutex);
}

/* What is next of the batch goes into the blocks; *is_done if it has come to its end. */
static gs_code add_some(gs_block_fill *f, gs_fill_worker *w, unsigned worker,
                        bool *is_done, gs_status *st)
{
    bool fits = true, has_more = true;
    *is_done = false;
    if (!gs_batch_has_at_hand(f, w))
        GS_TRY(gs_batch_next_at_hand(f, w, &has_more, st));
    if (!has_more) {
        gs_trace_end(gs_team_trace(f->team), GS_LANE_WORKER, worker, "invert",
                     w->begin_ns, 0);
        *is_done = true;
        return finish_batch(f, w, st);
    }
    GS_TRY(gs_batch_add_at_hand(f, w, worker, &fits, st));
    if (!fits) {
        atomic_store(&f->is_full, true);
        wake_all(f);
    }
    return GS_OK;
}

/* Goes on until the block of this worker or of another one is full, or the input ends.
 * A worker that stops because another one failed reports no failure of its own, so
 * that the other's is told. */
static gs_code work(gs_block_fill *f, unsigned worker, gs_status *st)
{
    gs_fill_worker *const own = &f->workers[worker];
    while (!must_stop(f)) {
        if (wants_batch(f, worker)) {
            gs_fill_worker *const next = batch_of(f, worker, own->batch_count);
            GS_TRY(take_batch(f, next, worker, st));
            if (next->has_batch) {
                own->batch_count++;
                continue;
            }
            if (next->batch.is_held && own->batch_count == 0) {
                wait_for_room(f);
                continue;
            }
        }
        if (own->batch_count == 0)
            return GS_OK;
        gs_fill_worker *const w = batch_of(f, worker, 0);
        if (!w->is_begun)
            begin_batch(f, w, worker);
        if (atomic_load(&f->has_failed))
            return GS_OK;
        bool is_done;
        GS_TRY(add_some(f, w, worker, &is_done, st));
        if (is_done) {
            drop_batch(f, worker);
            pause_in_time(f, worker);
        }
    }
    return GS_OK;
}

static gs_code fill_worker_main(void *context, unsigned worker, gs_status *st)
{
    gs_block_fill *const f = context;
    gs_trace *const trace = gs_team_trace(f->team);
    batch_of(f, worker, 0)->begin_ns = gs_trace_begin(trace);
    if (work(f, worker, st) != GS_OK)
        give_up(f);
    const gs_fill_worker *const w = batch_of(f, worker, 0);
    if (w->has_batch && w->is_begun)
        gs_trace_end(trace, GS_LANE_WORKER, worker, "invert", w->begin_ns, 0);
    return st->code;
}

static gs_left_words long_words(const gs_block_fill *f)
{
    const gs_fill_worker *first = NULL;
    uint64_t count = 0;
    for (unsigned i = 0; i < f->worker_count; i++) {
        const gs_fill_worker *const w = &f->workers[i];
        count += w->long_words;
        if (w->long_words > 0 && (first == NULL || w->long_doc < first->long_doc))
            first = w;
    }
    return (gs_left_words){count, first != NULL ? first->long_name : NULL};
}

static void tell(const gs_block_fill *f)
{
    gs_fill_report report = {
        .build = f->options.build,
        .shapes = f->is_tuples ? NULL : f->options.shapes,
        .bad = &f->bad,
        .documents = gs_block_fill_document_count(f),
        .lines = f->line_count,
        .left_out = f->left_out,
        .long_words = long_words(f),
    };
    for (unsigned i = 0; i < f->worker_count; i++) {
        report.weights.whole += f->workers[i].weights.whole;
        report.weights.decimal += f->workers[i].weights.decimal;
    }
    gs_fill_report_tell(&report);
}

gs_code gs_block_fill_run(gs_block_fill *f, gs_team *team, bool *is_ended, gs_status *st)
{
    gs_assert(gs_team_workers(team) <= f->options.workers); /* threads may be scarce */
    atomic_store(&f->is_full, false);
    atomic_store(&f->wants_room, false);
    /* After a stop within batches those come to their end first. */
    atomic_store(&f->is_pausing, f->options.build->checkpoint != NULL && has_batch(f));
    f->team = team;
    GS_TRY(gs_team_run(team, fill_worker_main, f, st));
    *is_ended = !atomic_load(&f->is_full) && !atomic_load(&f->is_pausing);
    if (*is_ended)
        tell(f);
    return GS_OK;
}
