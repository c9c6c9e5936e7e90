/* SPDX-License-Identifier: MIT */
#include "lib/index/reorder/text_reorder.h"

#include "lib/base/cancel.h"

/* Of documents that were read together, the items are given on together. */
enum { TOGETHER_BYTES = 1 << 20 };

typedef struct text_reorder {
    const gs_text_reorder_options *options;
    gs_text_reader *texts;
    gs_text_pack *pack;
    gs_document_name name;
} text_reorder;

static gs_code pack_text(text_reorder *r, uint64_t doc, uint64_t *bytes, gs_status *st)
{
    gs_text_span piece;
    GS_TRY(gs_index_document_name(r->options->index, doc, &r->name, st));
    GS_TRY(gs_text_reader_begin(r->texts, doc, bytes, st));
    GS_TRY(gs_text_pack_document(r->pack, r->name.text, r->name.bytes, *bytes, st));
    for (;;) {
        GS_TRY(gs_text_reader_next(r->texts, &piece, st));
        if (piece.bytes == 0)
            return GS_OK;
        GS_TRY(gs_text_pack_text(r->pack, piece.data, piece.bytes, st));
    }
}

static gs_code give(text_reorder *r, gs_text_writer *to, gs_status *st)
{
    const gs_text_item *items;
    size_t count;
    GS_TRY(gs_text_pack_end(r->pack, &items, &count, st));
    GS_TRY(gs_text_writer_take(to, items, count, st));
    gs_text_pack_begin(r->pack, gs_text_writer_open_bytes(to));
    return gs_cancel_check(r->options->cancel, st);
}

static gs_code pack_all(text_reorder *r, gs_text_writer *to, gs_status *st)
{
    const gs_text_reorder_options *const o = r->options;
    uint64_t together = 0, bytes;
    gs_text_pack_begin(r->pack, gs_text_writer_open_bytes(to));
    for (uint32_t i = 0; i < o->doc_count; i++) {
        GS_TRY(pack_text(r, o->order[i], &bytes, st));
        together += bytes;
        if (together < TOGETHER_BYTES && i + 1 < o->doc_count)
            continue;
        GS_TRY(give(r, to, st));
        together = 0;
    }
    return GS_OK;
}

gs_code gs_text_reorder(gs_text_writer *to, const gs_text_reorder_options *options,
                        gs_status *st)
{
    text_reorder r = {.options = options};
    const uint64_t there = gs_index_text_blocks(options->index) + 1;
    const size_t fitting = options->memory_bytes / GS_TEXT_BLOCK_BYTES + 1;
    if (gs_text_reader_new(&r.texts, options->index,
                           fitting < there ? fitting : (size_t)there, st) == GS_OK &&
        gs_text_pack_new(&r.pack, gs_text_writer_file(to), st) == GS_OK)
        GS_NOTED(pack_all(&r, to, st));
    gs_document_name_release(&r.name);
    gs_text_pack_free(r.pack);
    gs_text_reader_free(r.texts);
    return st->code;
}
