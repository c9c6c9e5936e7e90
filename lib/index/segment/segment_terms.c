/* SPDX-License-Identifier: MIT */
#include "lib/index/segment/segment_terms.h"

#include <string.h>
#include <xxhash.h>

#include "lib/base/mem.h"
#include "lib/sort/record/records.h"

static const char of_terms[] = "terms of segments";

gs_code gs_segment_terms_new(gs_segment_terms **out, const gs_segments *segments,
                             gs_status *st)
{
    const size_t count = segments->count;
    gs_segment_terms *t = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&t, sizeof *t, of_terms, st));
    t->segments = segments;
    GS_TRY_OR_FAIL(
        gs_mem_new_array(&t->is_here, count, sizeof *t->is_here, of_terms, st));
    GS_TRY_OR_FAIL(
        gs_mem_new_array(&t->memo, GS_TERM_MEMO_COUNT, sizeof *t->memo, of_terms, st));
    GS_TRY_OR_FAIL(
        gs_mem_new_array(&t->cursors, count, sizeof(gs_term_cursor *), of_terms, st));
    for (size_t i = 0; i < count; i++)
        GS_TRY_OR_FAIL(gs_term_cursor_new(&t->cursors[i], segments->items[i].index, st));
    *out = t;
    return GS_OK;
fail:
    gs_segment_terms_free(t);
    return st->code;
}

void gs_segment_terms_free(gs_segment_terms *t)
{
    if (t == NULL)
        return;
    for (size_t i = 0; t->cursors != NULL && i < t->segments->count; i++)
        gs_term_cursor_free(t->cursors[i]);
    gs_posting_list_release(&t->list);
    gs_mem_free(t->cursors);
    gs_mem_free(t->is_here);
    gs_mem_free(t->memo);
    gs_mem_free(t);
}

/* --- the order -------------------------------------------------------------------- */

static int compare(const gs_term_cursor *a, const gs_term_cursor *b)
{
    return gs_string_compare(a->term, a->bytes, b->term, b->bytes, 0);
}

/* The least of the terms that the cursors stand at, and which of them do. */
static void pick(gs_segment_terms *t)
{
    const gs_term_cursor *least = NULL;
    for (size_t i = 0; i < t->segments->count; i++) {
        const gs_term_cursor *const c = t->cursors[i];
        const int order = !c->has_term ? 1 : least == NULL ? -1 : compare(c, least);
        if (order < 0) {
            memset(t->is_here, 0, i * sizeof *t->is_here);
            least = c;
        }
        t->is_here[i] = order <= 0;
    }
    t->has_term = least != NULL;
    t->term = least != NULL ? least->term : NULL;
    t->bytes = least != NULL ? least->bytes : 0;
}

gs_code gs_segment_terms_seek(gs_segment_terms *t, const void *term, size_t bytes,
                              gs_status *st)
{
    for (size_t i = 0; i < t->segments->count; i++)
        GS_TRY(gs_term_cursor_seek(t->cursors[i], term, bytes, st));
    pick(t);
    return GS_OK;
}

gs_code gs_segment_terms_next(gs_segment_terms *t, gs_status *st)
{
    for (size_t i = 0; i < t->segments->count; i++) {
        if (t->is_here[i])
            GS_TRY(gs_term_cursor_next(t->cursors[i], st));
    }
    pick(t);
    return GS_OK;
}

bool gs_segment_terms_is_at(const gs_segment_terms *t, const void *term, size_t bytes)
{
    return t->has_term && t->bytes == bytes && memcmp(t->term, term, bytes) == 0;
}

/* --- counts ----------------------------------------------------------------------- */

/* Postings of the term that are of deleted documents: how many, and with which
 * frequencies in all. */
static gs_code count_deleted(gs_segment_terms *t, size_t segment, uint64_t *df,
                             uint64_t *cf, gs_status *st)
{
    const gs_tombstones *const deleted = &t->segments->items[segment].deleted;
    const gs_term_cursor *const c = t->cursors[segment];
    *df = *cf = 0;
    if (deleted->lines == NULL)
        return GS_OK;
    GS_TRY(gs_posting_list_start(&t->list, c->index, &c->info, st));
    for (uint64_t doc = gs_tombstones_next(deleted, 0); doc != UINT64_MAX;) {
        GS_TRY(gs_posting_list_seek(&t->list, doc, st));
        if (t->list.doc == GS_NO_DOC)
            return GS_OK;
        if (t->list.doc == doc) {
            ++*df;
            *cf += gs_posting_list_tf(&t->list, t->list.at);
        }
        doc = gs_tombstones_next(deleted, t->list.doc + (t->list.doc == doc));
    }
    return GS_OK;
}

static gs_code add_counts(gs_segment_terms *t, size_t segment, uint64_t *df, uint64_t *cf,
                          gs_status *st)
{
    const gs_term_info *const info = &t->cursors[segment]->info;
    uint64_t deleted_df, deleted_cf;
    GS_TRY(count_deleted(t, segment, &deleted_df, &deleted_cf, st));
    if (deleted_df > info->df || deleted_cf > info->cf ||
        (deleted_df == info->df && deleted_cf != info->cf) ||
        info->df > gs_index_header_of(t->cursors[segment]->index)->documents)
        return gs_index_damaged(t->cursors[segment]->index, GS_INDEX_TERMS,
                                "a term's counts are wrong", st);
    *df += info->df - deleted_df;
    *cf += info->cf - deleted_cf;
    return GS_OK;
}

gs_code gs_segment_terms_count(gs_segment_terms *t, uint64_t *df, uint64_t *cf,
                               gs_status *st)
{
    *df = *cf = 0;
    for (size_t i = 0; i < t->segments->count; i++) {
        if (t->is_here[i])
            GS_TRY(add_counts(t, i, df, cf, st));
    }
    return GS_OK;
}

gs_code gs_segment_terms_df(gs_segment_terms *t, const void *term, size_t bytes,
                            uint64_t *df, gs_status *st)
{
    gs_term_memo *const memo = &t->memo[XXH3_64bits(term, bytes) % GS_TERM_MEMO_COUNT];
    const bool is_kept = bytes > 0 && bytes <= GS_TERM_MEMO_BYTES;
    uint64_t cf = 0;
    if (is_kept && memo->bytes == bytes && memcmp(memo->term, term, bytes) == 0) {
        *df = memo->df;
        return GS_OK;
    }
    *df = 0;
    for (size_t i = 0; i < t->segments->count; i++) {
        bool found;
        GS_TRY(gs_term_cursor_find(t->cursors[i], term, bytes, &found, st));
        if (found)
            GS_TRY(add_counts(t, i, df, &cf, st));
    }
    if (is_kept) {
        memo->df = *df;
        memo->bytes = (uint8_t)bytes;
        memcpy(memo->term, term, bytes);
    }
    return GS_OK;
}

gs_code gs_segments_count(const gs_segments *s, gs_segments_counts *out, gs_status *st)
{
    const gs_index_header *const first = gs_segments_header(s);
    gs_segment_terms *t = NULL;
    *out = (gs_segments_counts){0};
    if (s->is_plain) {
        *out = (gs_segments_counts){first->terms, first->postings, first->tokens};
        return GS_OK;
    }
    GS_TRY(gs_segment_terms_new(&t, s, st));
    GS_NOTED(gs_segment_terms_seek(t, "", 0, st));
    while (st->code == GS_OK && t->has_term) {
        uint64_t df, cf;
        if (gs_segment_terms_count(t, &df, &cf, st) != GS_OK)
            break;
        out->terms += df > 0;
        out->postings += df;
        out->tokens += cf;
        GS_NOTED(gs_segment_terms_next(t, st));
    }
    gs_segment_terms_free(t);
    return st->code;
}
