/* SPDX-License-Identifier: MIT */
#include "lib/index/build/block_fill.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/index/build/batch_texts.h"
#include "lib/index/build/piece_fill.h"
#include "lib/index/build/tuple_fill.h"
#include "lib/sort/record/records.h"

enum {
    LONE_LINES_MIN = 10,
    NAME_SHOWN_BYTES = 200,
};

/* One thread's state, kept from one run to the next. */
typedef struct fill_worker {
    GS_MEM_APART gs_tokenizer *tokenizer;
    gs_token_batch tokens;
    gs_tuple_batch *tuples;     /* or weights of documents */
    gs_piece_fill pieces;       /* of text that goes to a GPU, */
    gs_tuple_fill tuple_pieces; /* or of tuples */
    gs_vector_reader vector;
    gs_weight_counts weights;
    gs_tuple_reader reader;
    gs_document_list list;
    uint32_t *lengths; /* of the batch's documents */
    size_t length_capacity;
    gs_name_pack names; /* of those, when they are done */
    gs_text_pack *pack; /* of their texts; NULL: they are not stored */
    size_t text_before; /* of the block that those before the batch have left open */
    gs_batch_texts texts;

    bool has_batch;
    gs_line_batch batch;
    bool has_numbers;               /* with it: */
    pthread_cond_t gets_numbers;    /* or all are to stop */
    gs_document_options shape;      /* how it is read */
    uint64_t first_doc, first_line; /* of the batch */
    size_t document, text;          /* where it stands */
    bool in_text;
    size_t taken;      /* of the tokens or tuples at hand */
    uint64_t begin_ns; /* of inverting the batch, or of what is left of it */
    uint64_t doc_max;  /* of tuples */
    bool has_doc;
    uint64_t long_words, long_doc;        /* the document with the first of them, */
    char long_name[NAME_SHOWN_BYTES + 1]; /* and its name */
} fill_worker;

struct gs_block_fill {
    gs_block_fill_options options;
    bool is_tuples;   /* ready ones, without documents */
    bool has_weights; /* documents are vectors */
    bool has_pieces;  /* documents or tuples go to a GPU as text */
    gs_team *team;    /* of the run */
    fill_worker *workers;
    atomic_bool is_full, has_failed;
    atomic_bool is_pausing;    /* no more batches until the blocks are empty */
    atomic_bool has_bad_tuple; /* no more batches: the build ends with those at hand */
    atomic_bool wants_room;    /* for a long document */

    pthread_mutex_t turn_mutex; /* guards what follows, and who has numbers */
    pthread_cond_t has_room;    /* a long document is done, or all are to stop */
    uint64_t turn;              /* the ticket that gets its numbers next */
    /* Who waits for them, by ticket: those from `turn` on are of as many workers. */
    fill_worker **waiting;
    size_t text_open; /* bytes of the block of texts that is open before it */
    uint64_t document_count;
    size_t input_index; /* the file that line_count belongs to */
    uint64_t line_count;
    uint64_t left_out; /* records of archives */

    gs_bad_documents bad; /* guarded by turn_mutex, or for tuples by the order */
    gs_batch_order *order;
};

/* --- life ------------------------------------------------------------------------ */

static gs_code worker_init(fill_worker *w, const gs_block_fill *f, gs_status *st)
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
    GS_TRY_OR_FAIL(gs_mem_new_apart(&f->workers, options->workers * sizeof *f->workers,
                                    "filling of blocks", st));
    for (unsigned i = 0; i < options->workers; i++)
        pthread_cond_init(&f->workers[i].gets_numbers, NULL);
    GS_TRY_OR_FAIL(gs_mem_new(&f->waiting, options->workers * sizeof(fill_worker *),
                              "filling of blocks", st));
    for (unsigned i = 0; i < options->workers; i++)
        GS_TRY_OR_FAIL(worker_init(&f->workers[i], f, st));
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
    for (unsigned i = 0; f->workers != NULL && i < f->options.workers; i++) {
        fill_worker *const w = &f->workers[i];
        gs_tokenizer_free(w->tokenizer);
        gs_token_batch_release(&w->tokens);
        gs_text_pack_free(w->pack);
        if (w->tuples != NULL)
            gs_token_batch_release(&w->tuples->terms);
        gs_mem_free(w->tuples);
        gs_document_list_release(&w->list);
        gs_name_pack_release(&w->names);
        gs_mem_free(w->lengths);
        gs_line_batch_release(&w->batch);
        pthread_cond_destroy(&w->gets_numbers);
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
    for (unsigned i = 0; i < f->options.workers; i++) {
        const fill_worker *const w = &f->workers[i];
        if (w->has_doc && w->doc_max >= count)
            count = w->doc_max + 1;
    }
    return count;
}

static bool has_batch(const gs_block_fill *f)
{
    for (unsigned i = 0; i < f->options.workers; i++) {
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
static void take_open_block(gs_block_fill *f, fill_worker *w)
{
    w->text_before = f->text_open;
    f->text_open = gs_batch_texts_after(&w->texts, &w->list, w->text_before);
}

/* --- numbers --------------------------------------------------------------------- */

static gs_code number_locked(gs_block_fill *f, fill_worker *w, gs_status *st)
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
    for (unsigned i = 0; i < f->options.workers; i++)
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
        fill_worker **const next = &f->waiting[f->turn % f->options.workers];
        fill_worker *const w = *next;
        if (w == NULL)
            return GS_OK;
        *next = NULL;
        GS_TRY(number_locked(f, w, st));
        f->turn++;
        w->has_numbers = true;
        pthread_cond_signal(&w->gets_numbers);
    }
}

/* Waits for the batch's turn, in which whoever comes to it numbers its documents. */
static gs_code take_numbers(gs_block_fill *f, fill_worker *w, gs_status *st)
{
    pthread_mutex_lock(&f->turn_mutex);
    gs_assert(w->batch.ticket - f->turn < f->options.workers);
    w->has_numbers = false;
    f->waiting[w->batch.ticket % f->options.workers] = w;
    if (!atomic_load(&f->has_failed) && number_waiting_locked(f, st) != GS_OK) {
        atomic_store(&f->has_failed, true); /* before anybody later fails */
        wake_all_locked(f);
    }
    while (!w->has_numbers && !atomic_load(&f->has_failed))
        pthread_cond_wait(&w->gets_numbers, &f->turn_mutex);
    pthread_mutex_unlock(&f->turn_mutex);
    return st->code;
}

/* --- a worker -------------------------------------------------------------------- */

static gs_code make_lengths(fill_worker *w, gs_status *st)
{
    GS_TRY(gs_mem_grow(&w->lengths, &w->length_capacity, w->list.count,
                       "lengths of documents", st));
    if (w->list.count > 0)
        memset(w->lengths, 0, w->list.count * sizeof *w->lengths);
    return GS_OK;
}

static gs_code take_batch(gs_block_fill *f, fill_worker *w, unsigned worker,
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
    if (w->batch.cut_bytes > 0)
        return take_numbers(f, w, st);
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
    if (f->has_pieces)
        gs_block_set_begin_batch(o->blocks, worker, w->batch.ticket);
    if (f->has_pieces && f->is_tuples)
        gs_tuple_fill_begin(&w->tuple_pieces, &w->batch);
    else if (f->has_pieces)
        gs_piece_fill_begin(&w->pieces, &w->list);
    gs_trace_end(trace, GS_LANE_WORKER, worker, "parse", begin_ns, w->batch.bytes);
    gs_sort_stats *const stats = &o->build->stats->sort;
    atomic_fetch_add(&stats->text_bytes, w->batch.bytes);
    atomic_store(&stats->input_bytes, gs_input_bytes_read(o->input));
    const uint64_t number_ns = gs_trace_begin(trace);
    GS_TRY(take_numbers(f, w, st));
    gs_trace_end(trace, GS_LANE_WORKER, worker, "wait for numbers", number_ns, 0);
    w->begin_ns = gs_trace_begin(trace);
    return GS_OK;
}

static void add_lengths(fill_worker *w, const gs_token *tokens, size_t count)
{
    for (size_t begin = 0, end; begin < count; begin = end) {
        const uint32_t document = tokens[begin].document;
        for (end = begin + 1; end < count && tokens[end].document == document;)
            end++;
        w->lengths[document] += (uint32_t)(end - begin);
    }
}

/* Puts what is left of the tokens at hand into the worker's block; *fits is false if it
 * is full. */
static gs_code add_tokens(gs_block_fill *f, fill_worker *w, unsigned worker, bool *fits,
                          gs_status *st)
{
    const gs_block_fill_options *const o = &f->options;
    const gs_token *const tokens = w->tokens.tokens + w->taken;
    const size_t count = w->tokens.count - w->taken;
    size_t taken = 0;
    GS_TRY(gs_block_set_add(o->blocks, worker, w->first_doc, tokens, count, &taken, st));
    add_lengths(w, tokens, taken);
    w->taken += taken;
    *fits = taken == count;
    return GS_OK;
}

static gs_code add_tuples(gs_block_fill *f, fill_worker *w, unsigned worker, bool *fits,
                          gs_status *st)
{
    const gs_block_fill_options *const o = &f->options;
    const gs_tuple *const tuples = w->tuples->tuples + w->taken;
    const size_t count = w->tuples->count - w->taken;
    size_t taken = 0;
    GS_TRY(gs_block_set_add_tuples(o->blocks, worker, tuples, count, &taken, st));
    uint64_t tokens = 0;
    for (size_t i = 0; i < taken; i++) {
        if (tuples[i].doc > w->doc_max)
            w->doc_max = tuples[i].doc;
        tokens += tuples[i].tf;
    }
    atomic_fetch_add(&o->build->stats->tokens, tokens);
    w->has_doc |= taken > 0;
    w->taken += taken;
    *fits = taken == count;
    return GS_OK;
}

/* The same of weights, whose impacts make the lengths of their documents. */
static gs_code add_weights(gs_block_fill *f, fill_worker *w, unsigned worker, bool *fits,
                           gs_status *st)
{
    const gs_tuple *const tuples = w->tuples->tuples + w->taken;
    const size_t count = w->tuples->count - w->taken;
    size_t taken = 0;
    GS_TRY(gs_block_set_add_tuples(f->options.blocks, worker, tuples, count, &taken, st));
    for (size_t i = 0; i < taken; i++)
        w->lengths[tuples[i].doc - w->first_doc] += tuples[i].tf;
    w->taken += taken;
    *fits = taken == count;
    return GS_OK;
}

/* Words of a document were too long just now. */
static void note_long_words(fill_worker *w, const gs_long_words *found)
{
    if (found->count == 0)
        return;
    const gs_text_span *const name = &w->list.documents[found->document].name;
    const uint64_t doc = w->first_doc + found->document;
    if (w->long_words == 0 || doc < w->long_doc) { /* a GPU tells of its own later */
        w->long_doc = doc;
        const size_t shown =
            name->bytes < NAME_SHOWN_BYTES ? name->bytes : NAME_SHOWN_BYTES;
        memcpy(w->long_name, name->data, shown);
        w->long_name[shown] = '\0';
    }
    w->long_words += found->count;
}

/* The next tokens of the batch's documents, several documents' if those are short;
 * *has_more is false when they are done. */
static gs_code next_tokens(fill_worker *w, bool *has_more, gs_status *st)
{
    const gs_document_list *const list = &w->list;
    *has_more = true;
    w->taken = 0;
    gs_token_batch_clear(&w->tokens);
    for (; w->document < list->count; w->document++, w->text = 0) {
        const gs_document *const d = &list->documents[w->document];
        for (; w->text < d->text_count; w->text++, w->in_text = false) {
            if (!w->in_text) {
                const gs_text_span *const t = &list->texts[d->first_text + w->text];
                if (w->text == 0)
                    gs_tokenizer_begin_document(w->tokenizer);
                gs_tokenizer_begin_text(w->tokenizer, t->data, t->bytes);
                w->in_text = true;
            }
            w->tokens.document = (uint32_t)w->document;
            GS_TRY(gs_tokenizer_add(w->tokenizer, &w->tokens, st));
            const uint64_t long_words = gs_tokenizer_long_words(w->tokenizer);
            const gs_long_words found = {long_words - w->long_words, w->document};
            note_long_words(w, &found);
            if (!gs_token_batch_has_room(&w->tokens))
                return GS_OK;
        }
    }
    *has_more = w->tokens.count > 0;
    return GS_OK;
}

/* The next words of the batch's documents as text, which is at hand until it is taken. */
static gs_code next_piece(fill_worker *w, bool *has_more, gs_status *st)
{
    gs_long_words found = {0, 0};
    GS_TRY(gs_piece_fill_next(&w->pieces, &found, has_more, st));
    note_long_words(w, &found);
    return GS_OK;
}

static gs_code add_piece(fill_worker *w, bool *fits, gs_status *st)
{
    gs_long_words found = {0, 0};
    GS_TRY(gs_piece_fill_add(&w->pieces, w->first_doc, w->lengths, &found, fits, st));
    note_long_words(w, &found);
    return GS_OK;
}

/* The next weights of the batch's documents. */
static void next_weights(const gs_block_fill *f, fill_worker *w, bool *has_more)
{
    const gs_document_list *const list = &w->list;
    const double scale = f->options.build->document.weight_scale;
    w->taken = 0;
    gs_tuple_batch_clear(w->tuples);
    for (; w->document < list->count; w->document++, w->in_text = false) {
        if (!w->in_text)
            gs_vector_reader_begin(&w->vector, list->documents[w->document].vector,
                                   scale);
        w->in_text = true;
        if (!gs_tuple_batch_add_vector(w->tuples, &w->vector, w->first_doc + w->document))
            break;
    }
    *has_more = w->tuples->count > 0;
}

/* A line is no tuple, if bad->why says so. *is_last: the build ends with it. */
static gs_code note_bad_tuple(gs_block_fill *f, fill_worker *w,
                              const gs_bad_document *bad, bool *is_last, gs_status *st)
{
    *is_last = bad->why != NULL && !f->options.build->skip_bad;
    if (bad->why == NULL)
        return GS_OK;
    GS_TRY(gs_document_list_add_bad(&w->list, bad->line, bad->why, st));
    w->list.bad[w->list.bad_count - 1].hint = bad->hint;
    if (*is_last)
        atomic_store(&f->has_bad_tuple, true);
    return GS_OK;
}

static gs_code next_tuples(gs_block_fill *f, fill_worker *w, bool *has_more,
                           gs_status *st)
{
    gs_bad_document bad;
    bool is_last;
    w->taken = 0;
    do {
        gs_tuple_reader_next(&w->reader, w->tuples, &bad);
        GS_TRY(note_bad_tuple(f, w, &bad, &is_last, st));
        if (is_last)
            w->reader.at = w->reader.end;
    } while (w->tuples->count == 0 && bad.why != NULL);
    *has_more = w->tuples->count > 0;
    atomic_fetch_add(&f->options.build->stats->sort.records, w->tuples->count);
    return GS_OK;
}

/* The next tuples as they are, or as a GPU takes them. */
static gs_code next_tuple_piece(gs_block_fill *f, fill_worker *w, bool *has_more,
                                gs_status *st)
{
    gs_bad_document bad;
    bool is_last;
    do {
        GS_TRY(gs_tuple_fill_next(&w->tuple_pieces, &bad, has_more, st));
        GS_TRY(note_bad_tuple(f, w, &bad, &is_last, st));
        if (is_last)
            gs_tuple_fill_stop(&w->tuple_pieces);
    } while (!w->tuple_pieces.is_at_hand && *has_more);
    return GS_OK;
}

static gs_code add_tuple_piece(gs_block_fill *f, fill_worker *w, bool *fits,
                               gs_status *st)
{
    gs_index_stats *const stats = f->options.build->stats;
    gs_tuple_piece piece;
    GS_TRY(gs_tuple_fill_add(&w->tuple_pieces, &piece, st));
    *fits = piece.is_taken || piece.is_refused;
    if (piece.tuples == 0)
        return GS_OK;
    if (piece.last_doc > w->doc_max)
        w->doc_max = piece.last_doc;
    w->has_doc = true;
    atomic_fetch_add(&stats->tokens, piece.tokens);
    atomic_fetch_add(&stats->sort.records, piece.tuples);
    return GS_OK;
}

static gs_code make_names(const gs_block_fill *f, fill_worker *w, gs_status *st)
{
    gs_name_pack_begin(&w->names, w->first_doc, f->options.packs_names);
    for (size_t i = 0; i < w->list.count; i++) {
        const gs_text_span *const name = &w->list.documents[i].name;
        GS_TRY(gs_name_pack_add(&w->names, name->data, name->bytes, w->lengths[i], st));
    }
    return GS_OK;
}

static gs_code finish_batch(gs_block_fill *f, fill_worker *w, gs_status *st)
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

/* What is next of the batch goes to the tokens or tuples at hand. */
static gs_code next_at_hand(gs_block_fill *f, fill_worker *w, bool *has_more,
                            gs_status *st)
{
    if (f->is_tuples)
        return f->has_pieces ? next_tuple_piece(f, w, has_more, st)
                             : next_tuples(f, w, has_more, st);
    if (f->has_pieces)
        return next_piece(w, has_more, st);
    if (!f->has_weights)
        return next_tokens(w, has_more, st);
    next_weights(f, w, has_more);
    return GS_OK;
}

/* Is something at hand that the block has not taken? */
static bool has_at_hand(const gs_block_fill *f, const fill_worker *w)
{
    if (f->has_pieces)
        return w->pieces.is_at_hand || w->tuple_pieces.is_at_hand;
    return w->taken < (w->tuples != NULL ? w->tuples->count : w->tokens.count);
}

static gs_code add_at_hand(gs_block_fill *f, fill_worker *w, unsigned worker, bool *fits,
                           gs_status *st)
{
    if (f->has_pieces)
        return f->is_tuples ? add_tuple_piece(f, w, fits, st) : add_piece(w, fits, st);
    return f->is_tuples     ? add_tuples(f, w, worker, fits, st)
           : f->has_weights ? add_weights(f, w, worker, fits, st)
                            : add_tokens(f, w, worker, fits, st);
}

/* Goes on until the block of this worker or of another one is full, or the input ends.
 * A worker that stops because another one failed reports no failure of its own, so
 * that the other's is told. */
static gs_code work(gs_block_fill *f, fill_worker *w, unsigned worker, gs_status *st)
{
    while (!must_stop(f)) {
        if (!w->has_batch &&
            (atomic_load(&f->has_bad_tuple) || atomic_load(&f->is_pausing)))
            return GS_OK;
        if (!w->has_batch) {
            GS_TRY(take_batch(f, w, worker, st));
            if (w->batch.is_held) {
                wait_for_room(f);
                continue;
            }
            if (!w->has_batch || atomic_load(&f->has_failed))
                return GS_OK;
        }
        bool fits = true, has_more = true;
        if (!has_at_hand(f, w))
            GS_TRY(next_at_hand(f, w, &has_more, st));
        if (!has_more) {
            gs_trace_end(gs_team_trace(f->team), GS_LANE_WORKER, worker, "invert",
                         w->begin_ns, 0);
            GS_TRY(finish_batch(f, w, st));
            pause_in_time(f, worker);
            continue;
        }
        GS_TRY(add_at_hand(f, w, worker, &fits, st));
        if (!fits) {
            atomic_store(&f->is_full, true);
            wake_all(f);
        }
    }
    return GS_OK;
}

static gs_code fill_worker_main(void *context, unsigned worker, gs_status *st)
{
    gs_block_fill *const f = context;
    fill_worker *const w = &f->workers[worker];
    gs_trace *const trace = gs_team_trace(f->team);
    w->begin_ns = gs_trace_begin(trace);
    if (work(f, w, worker, st) != GS_OK)
        give_up(f);
    if (w->has_batch)
        gs_trace_end(trace, GS_LANE_WORKER, worker, "invert", w->begin_ns, 0);
    return st->code;
}

static void tell_bad(const gs_block_fill *f)
{
    if (gs_block_fill_document_count(f) == 0)
        gs_log_say(f->options.build->log, GS_LOG_WARNING,
                   f->options.build->rules_json != NULL
                       ? "there are no documents: nothing is appended"
                       : "there are no documents: the index is empty");
    gs_bad_documents_sum_up(&f->bad);
    if (f->left_out > 0)
        gs_log_say(f->options.build->log, GS_LOG_INFO,
                   "%llu records of archives hold no text of a page and were left out",
                   (unsigned long long)f->left_out);
    if (!f->is_tuples)
        gs_document_shapes_tell(f->options.shapes);
}

static void tell_long_words(const gs_block_fill *f)
{
    const fill_worker *first = NULL;
    uint64_t count = 0;
    gs_quoted name;
    for (unsigned i = 0; i < f->options.workers; i++) {
        const fill_worker *const w = &f->workers[i];
        count += w->long_words;
        if (w->long_words > 0 && (first == NULL || w->long_doc < first->long_doc))
            first = w;
    }
    if (first != NULL)
        gs_log_say(f->options.build->log, GS_LOG_WARNING,
                   "%llu %s of more than %d bytes left out, the first in document %s",
                   (unsigned long long)count, count == 1 ? "word" : "words",
                   GS_TERM_BYTES_MAX, gs_quote_argument(&name, first->long_name));
}

/* Who writes 2 for 2.0 has whole numbers among others, and means no more by them. */
static void tell_mixed_weights(const gs_block_fill *f)
{
    gs_weight_counts sum = {0};
    for (unsigned i = 0; i < f->options.workers; i++) {
        sum.whole += f->workers[i].weights.whole;
        sum.decimal += f->workers[i].weights.decimal;
    }
    if (f->options.build->document.weight_scale == 0 && sum.whole > 0 && sum.decimal > 0)
        gs_log_say(f->options.build->log, GS_LOG_WARNING,
                   "whole numbers among the weights (%llu) are taken as they are, others "
                   "(%llu) times %d: --weight-scale=N takes all of them times N",
                   (unsigned long long)sum.whole, (unsigned long long)sum.decimal,
                   GS_WEIGHT_SCALE);
}

/* A file of many lines that became one document may have been meant otherwise. */
static void tell_lone_text(const gs_block_fill *f)
{
    const gs_index_build_options *const o = f->options.build;
    gs_quoted name;
    if (f->is_tuples || o->document.format != GS_FORMAT_ANY || o->input_count != 1 ||
        o->inputs_found != NULL || f->document_count != 1 ||
        f->line_count < LONE_LINES_MIN ||
        gs_document_shape_of(f->options.shapes, 0).format != GS_FORMAT_TEXT)
        return;
    gs_log_say(o->log, GS_LOG_WARNING,
               "%s: its %llu lines are one document, as --format=text has it; "
               "others make one of each line, as --format=tsv does of name, TAB and "
               "text",
               gs_quote_name(&name, o->inputs[0]), (unsigned long long)f->line_count);
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
    if (*is_ended) {
        tell_bad(f);
        tell_long_words(f);
        tell_mixed_weights(f);
        tell_lone_text(f);
    }
    return GS_OK;
}
