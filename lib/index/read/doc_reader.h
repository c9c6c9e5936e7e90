/* SPDX-License-Identifier: MIT */
/*
 * doc_reader: the postings of a term, document by document, in steps forward.
 *
 * Call order: start, then seek with documents that do not descend; release.
 */
#ifndef GS_LIB_INDEX_READ_DOC_READER_H
#define GS_LIB_INDEX_READ_DOC_READER_H

#include "lib/index/read/posting_cursor.h"

#define GS_NO_DOC UINT64_MAX /* behind the last one */

typedef struct gs_doc_reader {
    gs_posting_cursor cursor;
    size_t at;          /* in the cursor's block */
    size_t places_next; /* the posting of the block whose positions come next */
    uint64_t doc;       /* GS_NO_DOC: none left */
    uint64_t blocks_read;
} gs_doc_reader;

/* At no document yet: doc is 0 or more only after a seek. */
GS_MUST_CHECK gs_code gs_doc_reader_start(gs_doc_reader *r, const gs_index *index,
                                          const gs_term_info *info, gs_status *st);
void gs_doc_reader_release(gs_doc_reader *r); /* a zeroed one is fine */

/* Takes another block. Internal to seek. */
GS_MUST_CHECK gs_code gs_doc_reader_move(gs_doc_reader *r, uint64_t doc, gs_status *st);

/* To the first document that is not less. */
GS_MUST_CHECK static inline gs_code gs_doc_reader_seek(gs_doc_reader *r, uint64_t doc,
                                                       gs_status *st)
{
    const gs_posting_cursor *const c = &r->cursor;
    if (c->count == 0 || c->docs[c->count - 1] < doc) {
        GS_TRY(gs_doc_reader_move(r, doc, st));
        if (r->doc == GS_NO_DOC)
            return GS_OK;
    }
    size_t at = r->at;
    if (c->docs[at] < doc) {
        /* Most steps are short; longer ones halve what is left. */
        for (unsigned i = 0; i < 8 && c->docs[at] < doc; i++)
            at++;
        for (size_t n = c->count - at; n > 1;) {
            const size_t half = n / 2;
            at += c->docs[at + half - 1] < doc ? half : 0;
            n -= half;
        }
    }
    r->at = at;
    r->doc = c->docs[at];
    return GS_OK;
}

/* From the document it is at to the next one. */
GS_MUST_CHECK static inline gs_code gs_doc_reader_next(gs_doc_reader *r, gs_status *st)
{
    if (__builtin_expect(r->at + 1 == r->cursor.count, 0))
        return gs_doc_reader_move(r, r->doc + 1, st);
    r->doc = r->cursor.docs[++r->at];
    return GS_OK;
}

static inline uint64_t gs_doc_reader_tf(const gs_doc_reader *r)
{
    return gs_posting_cursor_tf(&r->cursor, r->at);
}

/* Where the term comes in the document: cursor.position_count of cursor.positions. */
GS_MUST_CHECK gs_code gs_doc_reader_positions(gs_doc_reader *r, gs_status *st);

#endif
