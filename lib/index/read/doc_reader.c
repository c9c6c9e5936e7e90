/* SPDX-License-Identifier: MIT */
#include "lib/index/read/doc_reader.h"

#include "lib/base/assertion.h"

gs_code gs_doc_reader_start(gs_doc_reader *r, const gs_index *index,
                            const gs_term_info *info, gs_status *st)
{
    r->at = r->places_next = 0;
    r->doc = 0;
    r->blocks_read = 0;
    return gs_posting_cursor_start(&r->cursor, index, info, st);
}

void gs_doc_reader_release(gs_doc_reader *r)
{
    gs_posting_cursor_release(&r->cursor);
    *r = (gs_doc_reader){0};
}

gs_code gs_doc_reader_move(gs_doc_reader *r, uint64_t doc, gs_status *st)
{
    gs_posting_cursor *const c = &r->cursor;
    r->at = r->places_next = 0;
    r->doc = GS_NO_DOC;
    if (c->left == 0) { /* also the next time */
        c->count = 0;
        return GS_OK;
    }
    GS_TRY(gs_posting_cursor_seek(c, doc, st));
    r->blocks_read += c->count > 0;
    /* The last postings have no entry that tells where they end. */
    if (c->count > 0 && c->docs[c->count - 1] >= doc)
        r->doc = c->docs[0];
    else
        c->count = 0;
    return GS_OK;
}

gs_code gs_doc_reader_positions(gs_doc_reader *r, gs_status *st)
{
    gs_assert(r->places_next <= r->at + 1);
    if (r->places_next == r->at + 1)
        return GS_OK; /* they are there */
    while (r->places_next <= r->at)
        GS_TRY(gs_posting_cursor_positions(&r->cursor, r->places_next++, st));
    return GS_OK;
}
