/* SPDX-License-Identifier: MIT */
#include "lib/index/merge/stored_merge.h"

#include "lib/base/cancel.h"

typedef struct stored_merge {
    gs_text_writer *to;
    const gs_index *from;
    const gs_tombstones *deleted;
    gs_text_reader *texts;
    gs_text_pack *pack;
    uint64_t docs;       /* so far */
    const uint8_t *held; /* pages of blocks that were copied */
    const volatile int *cancel;
} stored_merge;

static gs_code pack_text(stored_merge *m, uint64_t doc, const gs_document_cursor *c,
                         gs_status *st)
{
    uint64_t bytes;
    gs_text_span piece;
    GS_TRY(gs_text_reader_begin(m->texts, doc, &bytes, st));
    GS_TRY(gs_text_pack_document(m->pack, c->name, c->name_bytes, bytes, st));
    for (;;) {
        GS_TRY(gs_text_reader_next(m->texts, &piece, st));
        if (piece.bytes == 0)
            return GS_OK;
        GS_TRY(gs_text_pack_text(m->pack, piece.data, piece.bytes, st));
    }
}

/* Documents before `end`, which have names and texts, one by one. */
static gs_code pack_documents(stored_merge *m, uint64_t end, gs_status *st)
{
    const gs_text_item *items;
    size_t count;
    gs_document_cursor c = {0};
    GS_TRY(gs_document_cursor_open(&c, m->from, st));
    for (uint64_t doc = 0; doc < end && st->code == GS_OK; doc++) {
        GS_NOTED(gs_cancel_check(m->cancel, st));
        if (st->code == GS_OK)
            GS_NOTED(gs_document_cursor_next(&c, st));
        if (st->code != GS_OK || gs_tombstones_has(m->deleted, doc))
            continue;
        GS_NOTED(pack_text(m, doc, &c, st));
        if (st->code != GS_OK)
            break;
        GS_NOTED(gs_text_pack_end(m->pack, &items, &count, st));
        if (st->code == GS_OK)
            GS_NOTED(gs_text_writer_take(m->to, items, count, st));
        gs_text_pack_begin(m->pack, gs_text_writer_open_bytes(m->to));
    }
    gs_document_cursor_close(&c);
    return st->code;
}

/* The block as it is; the last one as what it is made of. */
static gs_code copy_block(stored_merge *m, uint64_t block, gs_status *st)
{
    gs_text_entry entry;
    uint64_t docs;
    const bool is_last = block + 1 == gs_index_text_blocks(m->from);
    GS_TRY(gs_cancel_check(m->cancel, st));
    GS_TRY(gs_index_text_entry(m->from, block, &entry, st));
    GS_TRY(gs_index_text_docs(m->from, block, &docs, st));
    gs_foreign_text copy = {
        .bytes = entry.bytes, .docs = (uint32_t)docs, .begin = entry.begin};
    m->docs += docs;
    if (is_last) {
        GS_TRY(gs_text_reader_block(m->texts, block, &copy.stored, st));
        copy.bytes = (uint32_t)copy.stored.bytes;
        return gs_text_writer_last_block(m->to, &copy, st);
    }
    GS_TRY(gs_index_text_stored(m->from, block, &copy.stored, st));
    GS_TRY(gs_text_writer_block(m->to, &copy, st));
    gs_index_pass(&m->held, copy.stored.data + copy.stored.bytes);
    return GS_OK;
}

/* The first block that begins with a group, and its first document; behind all others if
 * there is none. */
static gs_code find_group(const gs_index *index, uint64_t *block, uint64_t *doc,
                          gs_status *st)
{
    *doc = gs_index_header_of(index)->documents;
    for (*block = 0; *block < gs_index_text_blocks(index); ++*block) {
        gs_text_entry entry;
        GS_TRY(gs_index_text_entry(index, *block, &entry, st));
        if (entry.begin != GS_TEXT_BEGINS_GROUP)
            continue;
        if (entry.first_doc > *doc)
            return gs_index_damaged(index, GS_INDEX_TEXTS, "a document is not there", st);
        *doc = entry.first_doc;
        break;
    }
    return GS_OK;
}

gs_code gs_stored_merge(gs_text_writer *to, const gs_index *from,
                        const gs_tombstones *deleted, const volatile int *cancel,
                        gs_status *st)
{
    stored_merge m = {.to = to, .from = from, .deleted = deleted, .cancel = cancel};
    uint64_t block = gs_index_text_blocks(from),
             doc = gs_index_header_of(from)->documents;
    if (deleted->lines == NULL)
        GS_TRY(find_group(from, &block, &doc, st));
    GS_TRY_OR_FAIL(gs_text_reader_new(&m.texts, from, 2, st));
    GS_TRY_OR_FAIL(gs_text_pack_new(&m.pack, gs_text_writer_file(to), st));
    gs_text_pack_begin(m.pack, gs_text_writer_open_bytes(to));
    GS_TRY_OR_FAIL(pack_documents(&m, doc, st));
    m.docs = doc;
    for (; block < gs_index_text_blocks(from); block++)
        GS_TRY_OR_FAIL(copy_block(&m, block, st));
    if (m.docs != gs_index_header_of(from)->documents)
        (void)gs_index_damaged(from, GS_INDEX_TEXTS, "its texts end early", st);
fail:
    gs_text_pack_free(m.pack);
    gs_text_reader_free(m.texts);
    return st->code;
}
