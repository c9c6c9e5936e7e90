/* SPDX-License-Identifier: MIT */
#include "lib/index/lookup/head_reader.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/index/lookup/term_batch.h"

/* How many terms ahead a list is fetched: to read a short one takes about as long as a
 * load from memory. */
enum { LIST_AHEAD = 6 };

struct gs_head_reader {
    const gs_segments *segments;
    const gs_index *index; /* the first of them */
    gs_term_batch *batch;
    gs_term_cursor *cursor;       /* of one segment of which nothing is deleted */
    gs_segment_terms *terms;      /* of others */
    gs_posting_list list;         /* of the cursor's */
    gs_segment_postings postings; /* of the others */
    gs_term_info infos[GS_HEAD_READER_TERMS]; /* of the others, df alone */
};

gs_code gs_head_reader_new(gs_head_reader **out, const gs_segments *segments,
                           gs_status *st)
{
    gs_head_reader *r = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&r, sizeof *r, "reader of posting lists", st));
    r->segments = segments;
    r->index = segments->items[0].index;
    GS_TRY_OR_FAIL(gs_term_batch_new(&r->batch, r->index, st));
    GS_TRY_OR_FAIL(segments->is_plain ? gs_term_cursor_new(&r->cursor, r->index, st)
                                      : gs_segment_terms_new(&r->terms, segments, st));
    *out = r;
    return GS_OK;
fail:
    gs_head_reader_free(r);
    return st->code;
}

void gs_head_reader_free(gs_head_reader *r)
{
    if (r == NULL)
        return;
    gs_term_batch_free(r->batch);
    gs_term_cursor_free(r->cursor);
    gs_segment_terms_free(r->terms);
    gs_posting_list_release(&r->list);
    gs_segment_postings_release(&r->postings);
    gs_mem_free(r);
}

bool gs_head_reader_add(gs_head_reader *r, const void *term, size_t bytes)
{
    return gs_term_batch_count(r->batch) < GS_HEAD_READER_TERMS &&
           gs_term_batch_add(r->batch, term, bytes);
}

size_t gs_head_reader_count(const gs_head_reader *r)
{
    return gs_term_batch_count(r->batch);
}

uint64_t gs_head_reader_df(const gs_head_reader *r, size_t i)
{
    gs_assert(i < GS_HEAD_READER_TERMS);
    return r->infos[i].df;
}

void gs_head_reader_clear(gs_head_reader *r)
{
    gs_term_batch_clear(r->batch);
}

static gs_code find_plain(gs_head_reader *r, gs_status *st)
{
    const gs_term_slice all = {0, gs_term_batch_count(r->batch)};
    GS_TRY(gs_term_batch_find_slice(r->batch, all, st));
    for (size_t i = 0; i < all.end; i++) {
        size_t bytes;
        const char *const term = gs_term_batch_term(r->batch, i, &bytes);
        GS_TRY(gs_term_batch_seek(r->batch, all, i, r->cursor, st));
        r->infos[i].df = 0;
        if (gs_term_cursor_is_at(r->cursor, term, bytes))
            r->infos[i] = r->cursor->info;
    }
    return GS_OK;
}

static gs_code find_over(gs_head_reader *r, gs_status *st)
{
    const size_t count = gs_term_batch_count(r->batch);
    for (size_t i = 0; i < count; i++) {
        size_t bytes;
        uint64_t cf;
        const char *const term = gs_term_batch_term(r->batch, i, &bytes);
        GS_TRY(gs_segment_terms_seek(r->terms, term, bytes, st));
        r->infos[i].df = 0;
        if (gs_segment_terms_is_at(r->terms, term, bytes))
            GS_TRY(gs_segment_terms_count(r->terms, &r->infos[i].df, &cf, st));
    }
    return GS_OK;
}

gs_code gs_head_reader_find(gs_head_reader *r, gs_status *st)
{
    return r->cursor != NULL ? find_plain(r, st) : find_over(r, st);
}

/* That a list lies in its file was checked when its term was found. */
static void fetch_list(const gs_head_reader *r, const gs_term_info *info)
{
    const uint8_t *const list =
        gs_index_pages(r->index, GS_INDEX_POSTINGS)->data + info->postings;
    if (info->df < 2)
        return;
    __builtin_prefetch(list);
    if (info->df >= GS_INDEX_BLOCK)
        __builtin_prefetch(list + info->postings_bytes);
}

static gs_code read_plain(gs_head_reader *r, size_t i, uint64_t count, uint64_t *docs,
                          uint32_t *tfs, gs_status *st)
{
    gs_posting_list *const l = &r->list;
    if (i + LIST_AHEAD < gs_term_batch_count(r->batch))
        fetch_list(r, &r->infos[i + LIST_AHEAD]);
    GS_TRY(gs_posting_list_start(l, r->index, &r->infos[i], st));
    for (uint64_t done = 0; done < count; done += l->count) {
        GS_TRY(gs_posting_list_block(l, st));
        const size_t left = (size_t)(count - done);
        const size_t n = l->count < left ? l->count : left;
        gs_assert(n > 0);
        memcpy(docs + done, l->docs, n * sizeof *docs);
        for (size_t k = 0; tfs != NULL && k < n; k++)
            tfs[done + k] = (uint32_t)l->tfs[k];
    }
    return GS_OK;
}

static gs_code read_over(gs_head_reader *r, size_t i, uint64_t count, uint64_t *docs,
                         uint32_t *tfs, gs_status *st)
{
    size_t bytes;
    uint64_t tf;
    const char *const term = gs_term_batch_term(r->batch, i, &bytes);
    GS_TRY(gs_segment_terms_seek(r->terms, term, bytes, st));
    gs_segment_postings_begin(&r->postings, r->terms);
    for (uint64_t k = 0; k < count; k++) {
        GS_TRY(gs_segment_postings_next(&r->postings, &docs[k], &tf, st));
        if (docs[k] == GS_NO_DOC)
            return gs_index_damaged(r->index, GS_INDEX_POSTINGS, "a posting is missing",
                                    st);
        if (tfs != NULL)
            tfs[k] = (uint32_t)tf;
    }
    return GS_OK;
}

gs_code gs_head_reader_read(gs_head_reader *r, size_t i, uint64_t count, uint64_t *docs,
                            uint32_t *tfs, gs_status *st)
{
    gs_assert(i < gs_term_batch_count(r->batch) && count <= r->infos[i].df);
    if (count == 0)
        return GS_OK;
    return r->cursor != NULL ? read_plain(r, i, count, docs, tfs, st)
                             : read_over(r, i, count, docs, tfs, st);
}
