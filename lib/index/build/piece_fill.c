/* SPDX-License-Identifier: MIT */
#include "lib/index/build/piece_fill.h"

#include "lib/base/assertion.h"

void gs_piece_fill_begin(gs_piece_fill *f, const gs_document_list *list)
{
    gs_assert(!f->is_at_hand);
    f->list = list;
    f->document = f->text = 0;
    f->in_document = f->in_text = false;
    f->words = 0;
}

/* What is next of a text goes to the piece; *is_done if that is all of it. */
static gs_code take_text(gs_piece_fill *f, const gs_text_span *text,
                         gs_long_words *long_words, bool *is_done, gs_status *st)
{
    const uint64_t before = gs_tokenizer_long_words(f->tokenizer);
    if (!f->in_text)
        gs_text_piece_begin_text(f->piece, text->data, text->bytes);
    f->in_text = true;
    GS_TRY(gs_text_piece_take(f->piece, is_done, st));
    const uint64_t more = gs_tokenizer_long_words(f->tokenizer) - before;
    if (more > 0 && long_words->count == 0)
        long_words->document = f->document;
    long_words->count += more;
    return GS_OK;
}

/* Documents, or what is left of one, until the piece is full or they are done. */
static gs_code fill(gs_piece_fill *f, gs_long_words *long_words, gs_status *st)
{
    const gs_document_list *const list = f->list;
    bool is_done = true;
    for (; f->document < list->count; f->document++, f->text = 0) {
        const gs_document *const d = &list->documents[f->document];
        if (!f->in_document && !gs_text_piece_begin_document(f->piece))
            return GS_OK;
        f->in_document = true;
        for (; f->text < d->text_count; f->text++, f->in_text = false) {
            const gs_text_span *const text = &list->texts[d->first_text + f->text];
            GS_TRY(take_text(f, text, long_words, &is_done, st));
            if (!is_done)
                return GS_OK;
        }
        f->in_document = false;
    }
    return GS_OK;
}

gs_code gs_piece_fill_next(gs_piece_fill *f, gs_long_words *long_words, bool *has_more,
                           gs_status *st)
{
    gs_assert(!f->is_at_hand);
    GS_TRY(gs_block_set_piece(f->blocks, f->worker, &f->piece, st));
    gs_text_piece_use(f->piece, f->tokenizer, f->tokens);
    gs_text_piece_clear(f->piece, f->in_document);
    f->first = f->document;
    GS_TRY(fill(f, long_words, st));
    *has_more = f->is_at_hand = f->piece->bytes > 0;
    return GS_OK;
}

gs_code gs_piece_fill_add(gs_piece_fill *f, uint64_t first_doc, uint32_t *lengths,
                          gs_long_words *long_words, bool *fits, gs_status *st)
{
    const gs_text_piece *const p = f->piece;
    gs_piece_result result;
    GS_TRY(gs_block_set_add_piece(f->blocks, f->worker, first_doc + f->first, f->words,
                                  fits, &result, st));
    if (!*fits)
        return GS_OK;
    f->is_at_hand = false;
    for (size_t i = 0; i < p->document_count; i++)
        lengths[f->first + i] += result.lengths[i];
    const bool is_one = p->document_count == 1;
    f->words = f->in_document ? result.last_words + (is_one ? f->words : 0) : 0;
    if (result.long_words > 0 && long_words->count == 0)
        long_words->document = f->first + result.long_document;
    long_words->count += result.long_words;
    return GS_OK;
}
