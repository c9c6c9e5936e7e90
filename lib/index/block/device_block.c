/* SPDX-License-Identifier: MIT */
#include "lib/index/block/device_block.h"

#include <pthread.h>
#include <string.h>

#include "gpu/words/word_block.h"
#include "lib/base/ascii_word.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/thread.h"
#include "lib/index/block/device_view.h"

enum { PIECE_A_DOCUMENT = 16 /* bytes of a piece, for each document that it may have */ };

/* Frequencies that come together to more are for the next block. */
#define TUPLE_TOKENS_MAX (UINT64_C(1) << 31)

size_t gs_device_block_worker_bytes(size_t piece_bytes)
{
    const size_t documents = piece_bytes / PIECE_A_DOCUMENT;
    const size_t windows = 2 * GS_DEVICE_WINDOW_POSTINGS + GS_DEVICE_WINDOW_POSITIONS;
    return piece_bytes + (2 * documents + windows) * sizeof(uint32_t);
}

/* --- words that are left out -------------------------------------------------------- */

static bool is_ascii_word(const uint8_t *word, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++) {
        if (word[i] >= 0x80 || !gs_ascii_is_word(word[i]))
            return false;
    }
    return true;
}

/* The next stop word that texts may have in their ASCII: others are left out by the
 * tokenizer. */
static bool next_stop(const gs_word_rules *rules, size_t *slot, const uint8_t **word,
                      size_t *bytes)
{
    while (rules != NULL && gs_word_rules_next_stop(rules, slot, word, bytes)) {
        if (is_ascii_word(*word, *bytes))
            return true;
    }
    return false;
}

static gs_word_room room_of_stops(const gs_word_rules *rules)
{
    gs_word_room room = {0, 0, 0};
    const uint8_t *word;
    size_t slot = 0, bytes;
    while (next_stop(rules, &slot, &word, &bytes)) {
        room.terms++;
        room.term_bytes += bytes + GS_WORD_TERM_PAD;
    }
    return room;
}

/* Tells a new block of them, by way of the first lane. */
static gs_code leave_stops_out(gs_device_block *b, gs_status *st)
{
    uint8_t *const text = gs_word_block_lane(b->words, 0).text;
    const uint8_t *word;
    size_t slot = 0, bytes, used = 0;
    while (next_stop(b->options.rules, &slot, &word, &bytes)) {
        if (used + bytes + 1 > b->options.piece_bytes) {
            GS_TRY(gs_word_block_leave_out(b->words, 0, (uint32_t)used, st));
            used = 0;
        }
        memcpy(text + used, word, bytes);
        used += bytes;
        text[used++] = ' ';
    }
    return used > 0 ? gs_word_block_leave_out(b->words, 0, (uint32_t)used, st) : GS_OK;
}

/* --- the start of the GPU ----------------------------------------------------------- */

static void *start_main(void *context)
{
    gs_device_block *const b = context;
    static const gs_word_source sources[] = {[GS_DEVICE_TEXTS] = GS_WORD_TEXTS,
                                             [GS_DEVICE_LINES] = GS_WORD_LINES,
                                             [GS_DEVICE_PAIRS] = GS_WORD_PAIRS};
    const gs_device_block_options *const o = &b->options;
    size_t min_len = 0, max_len = 0;
    if (o->rules != NULL)
        gs_word_rules_limits(o->rules, &min_len, &max_len);
    const gs_word_options options = {
        .device = o->gpu,
        .source = sources[o->source],
        .lanes = o->workers,
        .piece_bytes = o->piece_bytes,
        .piece_documents = o->piece_bytes / PIECE_A_DOCUMENT,
        .window_postings = GS_DEVICE_WINDOW_POSTINGS,
        .window_positions = GS_DEVICE_WINDOW_POSITIONS,
        .is_folding = o->rules != NULL && gs_word_rules_fold(o->rules),
        .ascii_bytes_min = min_len,
        .ascii_bytes_max = max_len,
        .left_out = room_of_stops(o->rules),
        .has_positions = o->has_positions,
        .memory_bytes_max = o->gpu_memory_bytes,
        .input_bytes = o->input_bytes,
    };
    if (gs_word_block_new(&b->words, &options, &b->start) == GS_OK)
        GS_NOTED(leave_stops_out(b, &b->start));
    return NULL;
}

static void bind_pieces(gs_device_block *b)
{
    b->room = gs_word_block_room(b->words);
    for (unsigned i = 0; i < b->options.workers; i++) {
        const gs_word_lane lane = gs_word_block_lane(b->words, i);
        gs_text_piece_bind(&b->pieces[i], lane.text, b->options.piece_bytes, lane.starts,
                           b->options.piece_bytes / PIECE_A_DOCUMENT);
    }
    const double mib = 1 << 20;
    gs_log_say(b->options.log, GS_LOG_INFO,
               "GPU %d: %.0f MiB, for %.1f million words and %.1f million terms a block",
               b->options.gpu, (double)gs_word_block_device_bytes(b->words) / mib,
               (double)b->room.tokens / 1e6, (double)b->room.terms / 1e6);
}

static gs_code await_start(gs_device_block *b, gs_status *st)
{
    pthread_mutex_lock(&b->mutex);
    if (b->is_starting) {
        pthread_join(b->starter, NULL);
        b->is_starting = false;
        if (b->start.code == GS_OK)
            bind_pieces(b);
    }
    gs_status_keep_first(st, &b->start);
    pthread_mutex_unlock(&b->mutex);
    return st->code;
}

/* --- new and free ------------------------------------------------------------------- */

static gs_code new_windows(gs_device_block *b, gs_status *st)
{
    const unsigned count = b->options.workers;
    GS_TRY(gs_mem_new(&b->windows,
                      sizeof *b->windows + count * sizeof b->windows->windows[0],
                      "windows", st));
    pthread_mutex_init(&b->windows->mutex, NULL);
    b->windows->count = count;
    return GS_OK;
}

gs_code gs_device_block_new(gs_device_block **out, const gs_device_block_options *options,
                            gs_status *st)
{
    gs_assert(options->piece_bytes >= GS_TEXT_PIECE_BYTES_MIN);
    *out = NULL;
    gs_device_block *b = NULL;
    GS_TRY(gs_mem_new_apart(&b, sizeof *b, "block on a GPU", st));
    b->options = *options;
    pthread_mutex_init(&b->mutex, NULL);
    pthread_cond_init(&b->has_landed, NULL);
    GS_TRY_OR_FAIL(gs_mem_new_array(&b->pieces, options->workers, sizeof *b->pieces,
                                    "pieces of text", st));
    GS_TRY_OR_FAIL(new_windows(b, st));
    const int error = gs_thread_start(&b->starter, start_main, b, 0);
    if (error != 0)
        GS_TRY_OR_FAIL(GS_FAIL(st, GS_ERR_NOMEM, error, "cannot start a thread"));
    b->is_starting = true;
    *out = b;
    return GS_OK;
fail:
    gs_device_block_free(b);
    return st->code;
}

void gs_device_block_free(gs_device_block *b)
{
    if (b == NULL)
        return;
    if (b->is_starting)
        pthread_join(b->starter, NULL);
    gs_device_view_release(b);
    gs_word_block_free(b->words);
    gs_mem_free(b->pieces);
    if (b->windows != NULL)
        pthread_mutex_destroy(&b->windows->mutex);
    gs_mem_free(b->windows);
    pthread_mutex_destroy(&b->mutex);
    pthread_cond_destroy(&b->has_landed);
    gs_mem_free(b);
}

/* --- pieces ------------------------------------------------------------------------- */

gs_code gs_device_block_piece(gs_device_block *b, unsigned worker, gs_text_piece **piece,
                              gs_status *st)
{
    GS_TRY(await_start(b, st));
    *piece = &b->pieces[worker];
    return GS_OK;
}

bool gs_device_block_has_started(gs_device_block *b)
{
    gs_status st = {.code = GS_OK};
    GS_NOTED(await_start(b, &st));
    return st.code == GS_OK;
}

static gs_word_room sum_of(const gs_word_room *a, const gs_word_room *b)
{
    return (gs_word_room){a->tokens + b->tokens, a->terms + b->terms,
                          a->term_bytes + b->term_bytes};
}

static bool fits(const gs_device_block *b, const gs_word_room *r)
{
    const size_t stem_bytes =
        gs_device_block_stems(b) ? gs_form_stems_bytes(r->terms, r->term_bytes) : 0;
    return r->tokens <= b->room.tokens && r->terms <= b->room.terms &&
           r->term_bytes <= b->room.term_bytes &&
           gs_device_view_bytes(r->terms, r->term_bytes) + stem_bytes <=
               b->options.term_bytes_max;
}

/* Makes sure that the piece has room whatever it holds. Pieces that are under way may
 * turn out to take less than they might: then it waits for them. An empty block takes
 * any. */
static bool take_room(gs_device_block *b, const gs_word_room *most)
{
    bool has_room = false;
    pthread_mutex_lock(&b->mutex);
    for (;;) {
        const gs_word_room taken = sum_of(&b->used, &b->in_flight),
                           all = sum_of(&taken, most);
        has_room =
            taken.tokens == 0 || (fits(b, &all) && b->tuple_tokens < TUPLE_TOKENS_MAX);
        if (has_room || b->in_flight.tokens == 0)
            break;
        pthread_cond_wait(&b->has_landed, &b->mutex);
    }
    if (has_room)
        b->in_flight = sum_of(&b->in_flight, most);
    pthread_mutex_unlock(&b->mutex);
    return has_room;
}

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void note_docs(gs_device_block *b, uint32_t first_doc, uint32_t last_doc)
{
    if (!b->has_docs || first_doc < b->first_doc)
        b->first_doc = first_doc;
    if (!b->has_docs || last_doc > b->last_doc)
        b->last_doc = last_doc;
    b->has_docs = true;
}

/* A piece is no longer under way; what it may have taken at most is known better now. */
static void note_landed_locked(gs_device_block *b, const gs_word_room *most,
                               const gs_word_room *used)
{
    b->in_flight.tokens -= most->tokens;
    b->in_flight.terms -= most->terms;
    b->in_flight.term_bytes -= most->term_bytes;
    b->used.tokens = larger(b->used.tokens, used->tokens);
    b->used.terms = larger(b->used.terms, used->terms);
    b->used.term_bytes = larger(b->used.term_bytes, used->term_bytes);
    pthread_cond_broadcast(&b->has_landed);
}

uint64_t gs_device_block_tokens(gs_device_block *b)
{
    pthread_mutex_lock(&b->mutex);
    const uint64_t tokens = b->used.tokens;
    pthread_mutex_unlock(&b->mutex);
    return tokens;
}

gs_code gs_device_block_add(gs_device_block *b, unsigned worker, uint64_t first_doc,
                            uint32_t first_position, bool *is_taken,
                            gs_piece_result *result, gs_status *st)
{
    const gs_text_piece *const p = &b->pieces[worker];
    const gs_word_room most = gs_word_most_of(p->bytes);
    const uint64_t last_doc = first_doc + p->document_count - 1;
    gs_assert(p->document_count > 0);
    *is_taken = false;
    if (last_doc > UINT32_MAX)
        return GS_FAIL(st, GS_ERR_LIMIT, 0, "GPU: more than 2^32 documents");
    if (!take_room(b, &most))
        return GS_OK;
    const gs_word_piece piece = {(uint32_t)p->bytes, (uint32_t)p->document_count,
                                 (uint32_t)first_doc, first_position};
    gs_word_counts counts = {.used = {0, 0, 0}};
    GS_NOTED(gs_word_block_add(b->words, worker, &piece, &counts, st));
    pthread_mutex_lock(&b->mutex);
    note_landed_locked(b, &most, &counts.used);
    note_docs(b, (uint32_t)first_doc, (uint32_t)last_doc);
    pthread_mutex_unlock(&b->mutex);
    *is_taken = st->code == GS_OK;
    *result =
        (gs_piece_result){gs_word_block_lane(b->words, worker).lengths, counts.last_words,
                          counts.long_words, counts.long_document};
    return st->code;
}

gs_code gs_device_block_add_tuples(gs_device_block *b, unsigned worker,
                                   gs_tuple_piece *out, gs_status *st)
{
    const gs_text_piece *const p = &b->pieces[worker];
    const gs_word_room most = gs_word_most_of(p->bytes);
    gs_tuple_counts counts = {.used = {0, 0, 0}};
    *out = (gs_tuple_piece){.is_taken = false};
    if (!take_room(b, &most))
        return GS_OK;
    GS_NOTED(gs_word_block_add_tuples(b->words, worker, (uint32_t)p->bytes, &counts, st));
    pthread_mutex_lock(&b->mutex);
    note_landed_locked(b, &most, &counts.used);
    b->tuple_tokens = larger(b->tuple_tokens, counts.block_tokens);
    if (counts.tuples > 0)
        note_docs(b, counts.first_document, counts.last_document);
    pthread_mutex_unlock(&b->mutex);
    GS_TRY(st->code);
    if (counts.block_tokens > UINT32_MAX)
        return GS_FAIL(st, GS_ERR_LIMIT, 0,
                       "GPU: frequencies of more than 2^32 together");
    *out = (gs_tuple_piece){!counts.is_refused, counts.is_refused, counts.tuples,
                            counts.tokens, counts.last_document};
    return GS_OK;
}

bool gs_device_block_is_nearly_full(gs_device_block *b)
{
    pthread_mutex_lock(&b->mutex);
    const gs_word_room used = b->used,
                       more = {used.tokens / 3, used.terms / 3, used.term_bytes / 3};
    const gs_word_room all = sum_of(&used, &more);
    const bool is_nearly_full = used.tokens > 0 && !fits(b, &all);
    pthread_mutex_unlock(&b->mutex);
    return is_nearly_full;
}

gs_code gs_device_block_reset(gs_device_block *b, gs_status *st)
{
    pthread_mutex_lock(&b->mutex);
    const bool is_unused = b->is_starting; /* whoever has a piece has awaited the start */
    pthread_mutex_unlock(&b->mutex);
    if (is_unused)
        return GS_OK;
    gs_device_view_release(b);
    b->used = b->in_flight = (gs_word_room){0, 0, 0};
    b->tuple_tokens = 0;
    b->has_docs = false;
    return b->words != NULL ? gs_word_block_reset(b->words, st) : GS_OK;
}
