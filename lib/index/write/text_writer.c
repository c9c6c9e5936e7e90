/* SPDX-License-Identifier: MIT */
#include "lib/index/write/text_writer.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

enum { BUFFER_BYTES = 64 << 10 };

/* Of a block in the packs' file. */
typedef struct place {
    uint64_t offset;
    uint64_t bytes;
} place;

gs_code gs_text_writer_open(gs_text_writer *w, const char *folder, gs_status *st)
{
    GS_TRY(gs_scatter_file_open(&w->file, folder, st));
    GS_TRY(gs_append_file_open(&w->places, folder, BUFFER_BYTES, st));
    GS_TRY(gs_append_file_open(&w->table, folder, BUFFER_BYTES, st));
    GS_TRY(gs_mem_new(&w->open, GS_TEXT_BLOCK_BYTES, "texts", st));
    return gs_text_press_new(&w->press, st);
}

void gs_text_writer_release(gs_text_writer *w)
{
    gs_scatter_file_close(&w->file);
    gs_append_file_close(&w->places);
    gs_append_file_close(&w->table);
    gs_text_press_free(w->press);
    gs_mem_free(w->open);
    *w = (gs_text_writer){0};
}

/* A block is complete, and lies in the packs' file. */
static gs_code add_block(gs_text_writer *w, const gs_text_item *block, gs_status *st)
{
    const gs_text_entry entry = {.offset = w->stored_bytes,
                                 .first_doc = w->doc_count,
                                 .bytes = block->bytes,
                                 .begin = block->docs > 0 ? block->begin : block->bytes};
    const place at = {block->offset, block->stored_bytes};
    GS_TRY(gs_append_file_put(&w->places, &at, sizeof at, st));
    GS_TRY(gs_append_file_put(&w->table, &entry, sizeof entry, st));
    w->stored_bytes += block->stored_bytes;
    w->doc_count += block->docs;
    w->block_count++;
    return GS_OK;
}

static gs_code end_open(gs_text_writer *w, gs_status *st)
{
    gs_text_span stored;
    gs_text_item block = {
        .bytes = (uint32_t)w->open_bytes, .docs = w->open_docs, .begin = w->open_begin};
    if (w->open_bytes == 0)
        return GS_OK;
    GS_TRY(gs_text_press_run(w->press, w->open, w->open_bytes, &stored, st));
    GS_TRY(gs_scatter_file_put(&w->file, stored.data, stored.bytes, &block.offset, st));
    block.stored_bytes = (uint32_t)stored.bytes;
    w->open_bytes = 0;
    w->open_docs = 0;
    return add_block(w, &block, st);
}

/* Bytes of the stream go to the open block. */
static gs_code take_part(gs_text_writer *w, const gs_text_item *part, gs_status *st)
{
    gs_assert(part->bytes <= GS_TEXT_BLOCK_BYTES - w->open_bytes);
    GS_TRY(gs_scatter_file_get(&w->file, w->open + w->open_bytes, part->bytes,
                               part->offset, st));
    if (w->open_docs == 0)
        w->open_begin = part->begin;
    w->open_docs += part->docs;
    w->open_bytes += part->bytes;
    return GS_OK;
}

gs_code gs_text_writer_take(gs_text_writer *w, const gs_text_item *items, size_t count,
                            gs_status *st)
{
    for (size_t i = 0; i < count; i++) {
        gs_assert(items[i].goes_on ? w->open_bytes > 0 && !items[i].is_whole : true);
        if (!items[i].goes_on)
            GS_TRY(end_open(w, st));
        GS_TRY(items[i].is_whole ? add_block(w, &items[i], st)
                                 : take_part(w, &items[i], st));
    }
    return GS_OK;
}

gs_code gs_text_writer_block(gs_text_writer *w, const gs_foreign_text *block,
                             gs_status *st)
{
    gs_text_item item = {.stored_bytes = (uint32_t)block->stored.bytes,
                         .bytes = block->bytes,
                         .docs = block->docs,
                         .begin = block->begin};
    GS_TRY(end_open(w, st));
    GS_TRY(gs_scatter_file_put(&w->file, block->stored.data, block->stored.bytes,
                               &item.offset, st));
    return add_block(w, &item, st);
}

gs_code gs_text_writer_last_block(gs_text_writer *w, const gs_foreign_text *block,
                                  gs_status *st)
{
    gs_assert(block->stored.bytes == block->bytes && block->bytes <= GS_TEXT_BLOCK_BYTES);
    GS_TRY(end_open(w, st));
    memcpy(w->open, block->stored.data, block->bytes);
    w->open_bytes = block->bytes;
    w->open_docs = block->docs;
    w->open_begin = block->begin;
    return GS_OK;
}

/* The blocks in their order; the open one's memory is free for them. */
static gs_code copy_blocks(gs_text_writer *w, gs_file_writer *file, gs_status *st)
{
    GS_TRY(gs_append_file_rewind(&w->places, st));
    for (uint64_t i = 0; i < w->block_count; i++) {
        const uint8_t *data;
        place at;
        GS_TRY(gs_append_file_take(&w->places, &data, sizeof at, st));
        memcpy(&at, data, sizeof at);
        while (at.bytes > 0) {
            const size_t n =
                at.bytes < GS_TEXT_BLOCK_BYTES ? (size_t)at.bytes : GS_TEXT_BLOCK_BYTES;
            GS_TRY(gs_scatter_file_get(&w->file, w->open, n, at.offset, st));
            GS_TRY(gs_file_writer_put(file, w->open, n, st));
            at.offset += n;
            at.bytes -= n;
        }
    }
    return GS_OK;
}

gs_code gs_text_writer_finish(gs_text_writer *w, gs_file_writer *file, gs_status *st)
{
    gs_index_head head = {.magic = GS_INDEX_TEXTS_MAGIC, .offsets = sizeof head};
    GS_TRY(end_open(w, st));
    const gs_text_entry end = {.offset = w->stored_bytes, .first_doc = w->doc_count};
    GS_TRY(gs_append_file_put(&w->table, &end, sizeof end, st));
    GS_TRY(gs_file_writer_put(file, &(const gs_index_head){0}, sizeof head, st));
    GS_TRY(copy_blocks(w, file, st));
    gs_scatter_file_close(&w->file); /* gives its disk space back */
    GS_TRY(gs_file_writer_align(file, sizeof(uint64_t), st));
    head.count = w->doc_count;
    head.blocks = w->block_count;
    head.table = gs_file_writer_bytes(file);
    GS_TRY(gs_append_file_rewind(&w->table, st));
    GS_TRY(gs_file_writer_put_all(file, &w->table, st));
    head.end = gs_file_writer_bytes(file);
    return gs_file_writer_set_head(file, &head, sizeof head, st);
}
