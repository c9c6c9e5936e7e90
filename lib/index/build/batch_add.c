/* SPDX-License-Identifier: MIT */
#include "lib/index/build/batch_add.h"

#include <string.h>

#include "lib/sort/record/records.h"

static void add_lengths(gs_fill_worker *w, const gs_token *tokens, size_t count)
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
static gs_code add_tokens(gs_block_fill *f, gs_fill_worker *w, unsigned worker,
                          bool *fits, gs_status *st)
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

static gs_code add_tuples(gs_block_fill *f, gs_fill_worker *w, unsigned worker,
                          bool *fits, gs_status *st)
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
static gs_code add_weights(gs_block_fill *f, gs_fill_worker *w, unsigned worker,
                           bool *fits, gs_status *st)
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
static void note_long_words(gs_fill_worker *w, const gs_long_words *found)
{
    if (found->count == 0)
        return;
    const gs_text_span *const name = &w->list.documents[found->document].name;
    const uint64_t doc = w->first_doc + found->document;
    if (w->long_words == 0 || doc < w->long_doc) { /* a GPU tells of its own later */
        w->long_doc = doc;
        const size_t shown =
            name->bytes < GS_FILL_NAME_BYTES ? name->bytes : GS_FILL_NAME_BYTES;
        memcpy(w->long_name, name->data, shown);
        w->long_name[shown] = '\0';
    }
    w->long_words += found->count;
}

/* The next tokens of the batch's documents, several documents' if those are short;
 * *has_more is false when they are done. */
static gs_code next_tokens(gs_fill_worker *w, bool *has_more, gs_status *st)
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
static gs_code next_piece(gs_fill_worker *w, bool *has_more, gs_status *st)
{
    gs_long_words found = {0, 0};
    GS_TRY(gs_piece_fill_next(&w->pieces, &found, has_more, st));
    note_long_words(w, &found);
    return GS_OK;
}

static gs_code add_piece(gs_fill_worker *w, bool *fits, gs_status *st)
{
    gs_long_words found = {0, 0};
    GS_TRY(gs_piece_fill_add(&w->pieces, w->first_doc, w->lengths, &found, fits, st));
    note_long_words(w, &found);
    return GS_OK;
}

/* The next weights of the batch's documents. */
static void next_weights(const gs_block_fill *f, gs_fill_worker *w, bool *has_more)
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
static gs_code note_bad_tuple(gs_block_fill *f, gs_fill_worker *w,
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

static gs_code next_tuples(gs_block_fill *f, gs_fill_worker *w, bool *has_more,
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
static gs_code next_tuple_piece(gs_block_fill *f, gs_fill_worker *w, bool *has_more,
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

static gs_code add_tuple_piece(gs_block_fill *f, gs_fill_worker *w, bool *fits,
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

/* What is next of the batch goes to the tokens or tuples at hand. */
gs_code gs_batch_next_at_hand(gs_block_fill *f, gs_fill_worker *w, bool *has_more,
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
bool gs_batch_has_at_hand(const gs_block_fill *f, const gs_fill_worker *w)
{
    if (f->has_pieces)
        return w->pieces.is_at_hand || w->tuple_pieces.is_at_hand;
    return w->taken < (w->tuples != NULL ? w->tuples->count : w->tokens.count);
}

gs_code gs_batch_add_at_hand(gs_block_fill *f, gs_fill_worker *w, unsigned worker,
                             bool *fits, gs_status *st)
{
    if (f->has_pieces)
        return f->is_tuples ? add_tuple_piece(f, w, fits, st) : add_piece(w, fits, st);
    return f->is_tuples     ? add_tuples(f, w, worker, fits, st)
           : f->has_weights ? add_weights(f, w, worker, fits, st)
                            : add_tokens(f, w, worker, fits, st);
}
