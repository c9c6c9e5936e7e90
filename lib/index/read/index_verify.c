/* SPDX-License-Identifier: MIT */
#include "lib/index/read/index_verify.h"

#include <string.h>

#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/index/read/index_dictionary.h"
#include "lib/index/read/index_documents.h"
#include "lib/index/read/document_cursor.h"
#include "lib/index/read/posting_list.h"
#include "lib/index/read/term_cursor.h"
#include "lib/index/read/text_reader.h"
#include "lib/index/format/formats.h"
#include "lib/sort/record/records.h"

typedef struct gs_verify_counts {
    uint64_t terms, postings, tokens, length_sum;
} gs_verify_counts;

static gs_impacts read_impacts(const uint8_t *written, unsigned count)
{
    gs_impacts impacts = {.count = count};
    for (unsigned i = 0; i < count; i++)
        impacts.pairs[i] = gs_impact_at(written, i);
    return impacts;
}

/* No posting may be worth more than its block and its term promise. Not looked at here:
 * has_impacts, whose pairs are written for the shortest document and so cover all. */
static gs_code verify_impacts(const gs_posting_list *l, gs_status *st)
{
    const gs_impacts term = read_impacts(l->skips.impacts, l->skips.impact_count);
    const gs_impacts block =
        read_impacts(l->skip.impacts, l->has_skip ? l->skip.impact_count : 0);
    for (size_t i = 0; i < l->count; i++) {
        uint32_t length;
        GS_TRY(gs_index_document_length(l->index, l->docs[i], &length, st));
        const uint8_t code = gs_code_below(length);
        if ((l->has_skip && !gs_impacts_cover(&block, l->tfs[i], code)) ||
            (term.count > 0 && !gs_impacts_cover(&term, l->tfs[i], code)))
            return gs_index_damaged(l->index, GS_INDEX_POSTINGS,
                                    "a posting is worth more than its block's impacts",
                                    st);
    }
    return GS_OK;
}

static gs_code verify_places(gs_posting_list *l, gs_status *st)
{
    for (size_t i = 0; i < l->count; i++)
        GS_TRY(gs_posting_list_positions(l, i, st));
    return gs_posting_list_end_places(l, st);
}

static gs_code verify_postings(const gs_term_cursor *term, gs_posting_list *l,
                               gs_verify_counts *counts, gs_status *st)
{
    const bool has_positions = gs_index_header_of(term->index)->has_positions;
    uint64_t df = 0, cf = 0;
    GS_TRY(gs_posting_list_start(l, term->index, &term->info, st));
    for (;;) {
        GS_TRY(gs_posting_list_block(l, st));
        if (l->count == 0)
            break;
        for (size_t i = 0; i < l->count; i++)
            cf += l->tfs[i];
        GS_TRY(verify_impacts(l, st));
        if (has_positions)
            GS_TRY(verify_places(l, st));
        df += l->count;
    }
    if (df != term->info.df || cf != term->info.cf)
        return gs_index_damaged(term->index, GS_INDEX_POSTINGS,
                                "a term's counts are wrong", st);
    if (has_positions && l->next_places != l->places_end)
        return gs_index_damaged(term->index, GS_INDEX_POSITIONS,
                                "a term has too many positions", st);
    counts->postings += df;
    counts->tokens += cf;
    return GS_OK;
}

/* The first term of a block must be what the array of prefixes says. */
static gs_code verify_prefix(const gs_term_cursor *term, gs_status *st)
{
    if (term->in_block != 1 || gs_index_term_prefixes(term->index)[term->block] ==
                                   gs_term_prefix(term->term, term->bytes))
        return GS_OK;
    return gs_index_damaged(term->index, GS_INDEX_TERMS, "a prefix is not its block's",
                            st);
}

static gs_code verify_terms(const gs_index *index, gs_term_cursor *term, uint8_t *last,
                            gs_posting_list *postings, gs_verify_counts *counts,
                            const volatile int *cancel, gs_status *st)
{
    size_t last_bytes = 0;
    GS_TRY(gs_term_cursor_first(term, st));
    while (term->has_term) {
        GS_TRY(gs_cancel_check(cancel, st));
        if (gs_string_compare(last, last_bytes, term->term, term->bytes, 0) >= 0)
            return gs_index_damaged(index, GS_INDEX_TERMS, "terms do not ascend", st);
        memcpy(last, term->term, term->bytes);
        last_bytes = term->bytes;
        GS_TRY(verify_prefix(term, st));
        GS_TRY(verify_postings(term, postings, counts, st));
        counts->terms++;
        GS_TRY(gs_term_cursor_next(term, st));
    }
    return GS_OK;
}

static gs_code damaged_names(const gs_index *index, gs_status *st)
{
    return gs_index_damaged(index, GS_INDEX_DOCUMENTS,
                            "names are not where they should be", st);
}

/* A name that shares nothing is where its offset says. */
static gs_code verify_name(const gs_index *index, const gs_document_cursor *c,
                           uint64_t doc, gs_document_name *name, gs_status *st)
{
    if (doc % GS_INDEX_NAME_BLOCK != 0)
        return GS_OK;
    GS_TRY(gs_index_document_name(index, doc, name, st));
    return name->bytes == c->name_bytes && memcmp(name->text, c->name, name->bytes) == 0
               ? GS_OK
               : damaged_names(index, st);
}

/* Names follow each other. */
static gs_code verify_names(const gs_index *index, gs_document_cursor *c,
                            gs_document_name *name, gs_verify_counts *counts,
                            gs_status *st)
{
    for (uint64_t doc = 0;; doc++) {
        GS_TRY(gs_document_cursor_next(c, st));
        if (!c->has_document)
            return c->names == c->end ? GS_OK : damaged_names(index, st);
        counts->length_sum += c->length;
        GS_TRY(verify_name(index, c, doc, name, st));
    }
}

static gs_code verify_documents(const gs_index *index, gs_verify_counts *counts,
                                gs_status *st)
{
    gs_document_cursor c;
    gs_document_name name = {0};
    if (!gs_index_header_of(index)->has_names) {
        counts->length_sum = counts->tokens;
        return GS_OK;
    }
    GS_TRY(gs_document_cursor_open(&c, index, st));
    GS_NOTED(verify_names(index, &c, &name, counts, st));
    gs_document_name_release(&name);
    gs_document_cursor_close(&c);
    return st->code;
}

static gs_code verify_texts(const gs_index *index, const volatile int *cancel,
                            gs_status *st)
{
    gs_text_reader *texts = NULL;
    if (!gs_index_header_of(index)->has_texts)
        return GS_OK;
    GS_TRY(gs_text_reader_new(&texts, index, 1, st));
    GS_NOTED(gs_text_reader_verify(texts, cancel, st));
    gs_text_reader_free(texts);
    return st->code;
}

gs_code gs_index_verify(const gs_index *index, const volatile int *cancel, gs_status *st)
{
    const gs_index_header *const h = gs_index_header_of(index);
    gs_verify_counts counts = {0};
    gs_posting_list postings = {0};
    gs_term_cursor *term = NULL;
    void *last = NULL;
    GS_TRY(gs_index_check_sums(index, st));
    GS_TRY(gs_index_check_page_sums(index, st));
    GS_TRY_OR_FAIL(gs_term_cursor_new(&term, index, st));
    GS_TRY_OR_FAIL(gs_mem_new(&last, GS_INDEX_TERM_MAX, "term", st));
    GS_TRY_OR_FAIL(verify_terms(index, term, last, &postings, &counts, cancel, st));
    GS_TRY_OR_FAIL(verify_documents(index, &counts, st));
    GS_TRY_OR_FAIL(verify_texts(index, cancel, st));
    if (counts.terms != h->terms || counts.postings != h->postings ||
        counts.tokens != h->tokens || counts.length_sum != h->length_sum)
        (void)gs_index_damaged(index, GS_INDEX_TERMS,
                               "what it counts is not what the header says", st);
    if (st->code == GS_OK)
        GS_NOTED(gs_index_check_unchanged(index, st));
fail:
    gs_posting_list_release(&postings);
    gs_term_cursor_free(term);
    gs_mem_free(last);
    return st->code;
}
