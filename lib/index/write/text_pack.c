/* SPDX-License-Identifier: MIT */
#include "lib/index/write/text_pack.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/index/write/text_press.h"

struct gs_text_pack {
    gs_scatter_file *file;
    gs_text_press *press;
    size_t before;        /* of the block at hand, in batches before */
    size_t bytes;         /* of it here: these */
    uint32_t docs, begin; /* of its item */
    uint64_t text_left;   /* of the document */
    gs_text_item *items;
    size_t count, capacity;
    uint8_t block[GS_TEXT_BLOCK_BYTES];
};

gs_code gs_text_pack_new(gs_text_pack **out, gs_scatter_file *file, gs_status *st)
{
    *out = NULL;
    gs_text_pack *p = NULL;
    GS_TRY(gs_mem_new_apart(&p, sizeof *p, "texts", st));
    p->file = file;
    if (gs_text_press_new(&p->press, st) != GS_OK)
        gs_text_pack_free(p);
    else
        *out = p;
    return st->code;
}

void gs_text_pack_free(gs_text_pack *p)
{
    if (p == NULL)
        return;
    gs_text_press_free(p->press);
    gs_mem_free(p->items);
    gs_mem_free(p);
}

void gs_text_pack_begin(gs_text_pack *p, size_t before)
{
    gs_assert(before <= GS_TEXT_BLOCK_BYTES);
    p->before = before;
    p->bytes = p->count = 0;
    p->docs = 0;
    p->text_left = 0;
}

/* What is at hand becomes an item. */
static gs_code put_item(gs_text_pack *p, bool is_whole, gs_status *st)
{
    gs_text_span stored = {p->block, p->bytes};
    GS_TRY(gs_mem_grow(&p->items, &p->capacity, p->count + 1, "texts", st));
    if (is_whole)
        GS_TRY(gs_text_press_run(p->press, p->block, p->bytes, &stored, st));
    gs_text_item *const item = &p->items[p->count];
    *item = (gs_text_item){.stored_bytes = (uint32_t)stored.bytes,
                           .bytes = (uint32_t)p->bytes,
                           .docs = p->docs,
                           .begin = p->begin,
                           .is_whole = is_whole,
                           .goes_on = p->before > 0};
    GS_TRY(gs_scatter_file_put(p->file, stored.data, stored.bytes, &item->offset, st));
    p->count++;
    return GS_OK;
}

/* Another block begins. */
static gs_code end_block(gs_text_pack *p, gs_status *st)
{
    if (p->bytes > 0)
        GS_TRY(put_item(p, p->before == 0, st));
    p->before = p->bytes = 0;
    p->docs = 0;
    return GS_OK;
}

static gs_code put(gs_text_pack *p, const uint8_t *data, size_t bytes, gs_status *st)
{
    while (bytes > 0) {
        if (p->before + p->bytes == GS_TEXT_BLOCK_BYTES)
            GS_TRY(end_block(p, st));
        size_t n = GS_TEXT_BLOCK_BYTES - p->before - p->bytes;
        n = n < bytes ? n : bytes;
        memcpy(p->block + p->bytes, data, n);
        p->bytes += n;
        data += n;
        bytes -= n;
    }
    return GS_OK;
}

gs_code gs_text_pack_document(gs_text_pack *p, const void *name, size_t name_bytes,
                              uint64_t text_bytes, gs_status *st)
{
    uint8_t head[GS_VARINT_BYTES_MAX];
    const bool begins_group = gs_text_begins_group(name, name_bytes, text_bytes);
    gs_assert(p->text_left == 0);
    if (begins_group || !gs_text_fits_behind(p->before + p->bytes))
        GS_TRY(end_block(p, st));
    if (p->docs++ == 0)
        p->begin =
            (uint32_t)(p->before + p->bytes) | (begins_group ? GS_TEXT_BEGINS_GROUP : 0);
    p->text_left = text_bytes;
    return put(p, head, (size_t)(gs_varint_put(head, text_bytes) - head), st);
}

gs_code gs_text_pack_text(gs_text_pack *p, const void *text, size_t bytes, gs_status *st)
{
    gs_assert(bytes <= p->text_left);
    p->text_left -= bytes;
    return put(p, text, bytes, st);
}

gs_code gs_text_pack_end(gs_text_pack *p, const gs_text_item **items, size_t *count,
                         gs_status *st)
{
    gs_assert(p->text_left == 0);
    if (p->bytes > 0)
        GS_TRY(put_item(p, false, st));
    *items = p->items;
    *count = p->count;
    return GS_OK;
}
