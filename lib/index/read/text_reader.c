/* SPDX-License-Identifier: MIT */
#include "lib/index/read/text_reader.h"

#include <errno.h>
#include <string.h>
#include <zstd.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/index/read/index_state.h"

/* A block that is kept, in the slot of its number. */
typedef struct kept_block {
    uint64_t number; /* UINT64_MAX: none */
    size_t bytes;
    uint8_t data[GS_TEXT_BLOCK_BYTES];
} kept_block;

/* A block takes no more, however it is packed. */
#define PACKED_MAX ZSTD_COMPRESSBOUND((size_t)GS_TEXT_BLOCK_BYTES)

struct gs_text_reader {
    const gs_index *index;
    ZSTD_DCtx *zstd;
    uint8_t *packed;   /* a stored block, which nobody changes while it is unpacked */
    kept_block **kept; /* NULL: not used yet */
    size_t kept_count;
    uint64_t block; /* where the text goes on */
    size_t at;
    uint64_t left;
    const uint8_t *held; /* the first page that was not let go */
};

static gs_code damaged(const gs_index *index, const char *what, gs_status *st)
{
    return gs_index_damaged(index, GS_INDEX_TEXTS, what, st);
}

/* --- the table --------------------------------------------------------------------- */

uint64_t gs_index_text_blocks(const gs_index *index)
{
    return index->texts.blocks;
}

static gs_code read_entry(const gs_index *index, uint64_t block, gs_text_entry *entry,
                          gs_status *st)
{
    const uint8_t *const at =
        index->files[GS_INDEX_TEXTS] + index->texts.table + block * sizeof *entry;
    gs_assert(block <= index->texts.blocks);
    GS_TRY(gs_index_check_own_pages(index, GS_INDEX_TEXTS, at, at + sizeof *entry, st));
    memcpy(entry, at, sizeof *entry);
    entry->offset = gs_index_once(entry->offset);
    entry->first_doc = gs_index_once(entry->first_doc);
    entry->bytes = (uint32_t)gs_index_once(entry->bytes);
    entry->begin = (uint32_t)gs_index_once(entry->begin);
    return GS_OK;
}

gs_code gs_index_text_entry(const gs_index *index, uint64_t block, gs_text_entry *entry,
                            gs_status *st)
{
    GS_TRY(read_entry(index, block, entry, st));
    if (entry->bytes == 0 || entry->bytes > GS_TEXT_BLOCK_BYTES ||
        (entry->begin & ~GS_TEXT_BEGINS_GROUP) > entry->bytes)
        return damaged(index, "a block has a wrong size", st);
    return GS_OK;
}

gs_code gs_index_text_stored(const gs_index *index, uint64_t block, gs_text_span *stored,
                             gs_status *st)
{
    gs_text_entry entry, next;
    const uint64_t all = index->texts.table - index->texts.offsets;
    GS_TRY(read_entry(index, block, &entry, st));
    GS_TRY(read_entry(index, block + 1, &next, st));
    if (next.offset > all || entry.offset > next.offset)
        return damaged(index, "a block is not there", st);
    stored->bytes = next.offset - entry.offset;
    return gs_index_bytes(index, GS_INDEX_TEXTS, index->texts.offsets + entry.offset,
                          stored->bytes, &stored->data, st);
}

gs_code gs_index_text_docs(const gs_index *index, uint64_t block, uint64_t *docs,
                           gs_status *st)
{
    gs_text_entry entry, next;
    GS_TRY(read_entry(index, block, &entry, st));
    GS_TRY(read_entry(index, block + 1, &next, st));
    *docs = next.first_doc - entry.first_doc;
    if (*docs > GS_TEXT_BLOCK_BYTES || next.first_doc > index->texts.count)
        return damaged(index, "its documents do not ascend", st);
    return GS_OK;
}

/* The last block whose first document is not behind this one. */
static gs_code find_block(const gs_index *index, uint64_t doc, uint64_t *block,
                          gs_status *st)
{
    uint64_t lo = 0, hi = index->texts.blocks;
    while (hi - lo > 1) {
        gs_text_entry entry;
        const uint64_t middle = lo + (hi - lo) / 2;
        GS_TRY(read_entry(index, middle, &entry, st));
        if (entry.first_doc <= doc)
            lo = middle;
        else
            hi = middle;
    }
    *block = lo;
    return GS_OK;
}

/* --- blocks ------------------------------------------------------------------------ */

gs_code gs_text_reader_new(gs_text_reader **out, const gs_index *index,
                           size_t blocks_kept, gs_status *st)
{
    *out = NULL;
    gs_text_reader *r = NULL;
    gs_assert(index->header.has_texts && blocks_kept > 0);
    GS_TRY(gs_mem_new(&r, sizeof *r, "texts", st));
    r->index = index;
    r->kept_count = blocks_kept;
    GS_TRY_OR_FAIL(gs_mem_new_array(&r->kept, blocks_kept, sizeof *r->kept, "texts", st));
    GS_TRY_OR_FAIL(gs_mem_new(&r->packed, PACKED_MAX, "texts", st));
    r->zstd = ZSTD_createDCtx();
    if (r->zstd == NULL) {
        (void)GS_FAIL(st, GS_ERR_NOMEM, ENOMEM, "zstd context");
        goto fail;
    }
    *out = r;
    return GS_OK;
fail:
    gs_text_reader_free(r);
    return st->code;
}

void gs_text_reader_free(gs_text_reader *r)
{
    if (r == NULL)
        return;
    for (size_t i = 0; r->kept != NULL && i < r->kept_count; i++)
        gs_mem_free(r->kept[i]);
    gs_mem_free(r->kept);
    gs_mem_free(r->packed);
    (void)ZSTD_freeDCtx(r->zstd);
    gs_mem_free(r);
}

gs_code gs_text_reader_block(gs_text_reader *r, uint64_t block, gs_text_span *bytes,
                             gs_status *st)
{
    gs_text_entry entry;
    gs_text_span stored;
    kept_block **const slot = &r->kept[block % r->kept_count];
    if (*slot == NULL) {
        GS_TRY(gs_mem_new(slot, sizeof **slot, "texts", st));
        (*slot)->number = UINT64_MAX;
    }
    kept_block *const kept = *slot;
    if (kept->number != block) {
        GS_TRY(gs_index_text_entry(r->index, block, &entry, st));
        GS_TRY(gs_index_text_stored(r->index, block, &stored, st));
        kept->number = UINT64_MAX;
        if (stored.bytes > PACKED_MAX)
            return damaged(r->index, "a block cannot be unpacked", st);
        memcpy(r->packed, stored.data, stored.bytes);
        const size_t n = ZSTD_decompressDCtx(r->zstd, kept->data, sizeof kept->data,
                                             r->packed, stored.bytes);
        if (ZSTD_isError(n) || n != entry.bytes)
            return damaged(r->index, "a block cannot be unpacked", st);
        kept->bytes = n;
        kept->number = block;
        gs_index_pass(&r->held, stored.data + stored.bytes);
    }
    *bytes = (gs_text_span){kept->data, kept->bytes};
    return GS_OK;
}

/* --- texts ------------------------------------------------------------------------- */

/* Goes over the length of a document that stands there. */
static gs_code read_length(const gs_index *index, gs_text_span block, size_t *at,
                           uint64_t *bytes, gs_status *st)
{
    const uint8_t *p = block.data + *at;
    if (*at >= block.bytes || !gs_varint_read(&p, block.data + block.bytes, bytes))
        return damaged(index, "a document is not there", st);
    *at = (size_t)(p - block.data);
    return GS_OK;
}

gs_code gs_text_reader_begin(gs_text_reader *r, uint64_t doc, uint64_t *bytes,
                             gs_status *st)
{
    gs_text_entry entry;
    gs_text_span block;
    if (doc >= r->index->texts.count || r->index->texts.blocks == 0)
        return damaged(r->index, "a document is not there", st);
    GS_TRY(find_block(r->index, doc, &r->block, st));
    GS_TRY(gs_index_text_entry(r->index, r->block, &entry, st));
    GS_TRY(gs_text_reader_block(r, r->block, &block, st));
    r->at = entry.begin & ~GS_TEXT_BEGINS_GROUP;
    r->left = 0;
    for (uint64_t i = entry.first_doc;; i++) {
        if (i > doc || r->left > block.bytes - r->at)
            return damaged(r->index, "a document is not there", st);
        r->at += (size_t)r->left;
        GS_TRY(read_length(r->index, block, &r->at, &r->left, st));
        if (i == doc)
            break;
    }
    *bytes = r->left;
    return GS_OK;
}

gs_code gs_text_reader_next(gs_text_reader *r, gs_text_span *piece, gs_status *st)
{
    gs_text_span block;
    *piece = (gs_text_span){NULL, 0};
    if (r->left == 0)
        return GS_OK;
    GS_TRY(gs_text_reader_block(r, r->block, &block, st));
    if (r->at == block.bytes) {
        r->at = 0;
        if (++r->block >= r->index->texts.blocks)
            return damaged(r->index, "a text goes on behind its end", st);
        GS_TRY(gs_text_reader_block(r, r->block, &block, st));
    }
    piece->data = block.data + r->at;
    piece->bytes = block.bytes - r->at;
    if (piece->bytes > r->left)
        piece->bytes = (size_t)r->left;
    r->at += piece->bytes;
    r->left -= piece->bytes;
    return GS_OK;
}

/* --- all of them ------------------------------------------------------------------- */

/* The documents of a block, of which the last may go on; *left is what is still to come
 * of one, *doc the next. */
static gs_code verify_block(gs_text_reader *r, uint64_t number, uint64_t *doc,
                            uint64_t *left, gs_status *st)
{
    gs_text_entry entry;
    gs_text_span block;
    GS_TRY(gs_index_text_entry(r->index, number, &entry, st));
    GS_TRY(gs_text_reader_block(r, number, &block, st));
    size_t at = *left < block.bytes ? (size_t)*left : block.bytes;
    *left -= at;
    const uint32_t begin = entry.begin & ~GS_TEXT_BEGINS_GROUP;
    if (entry.first_doc != *doc || begin != at ||
        (begin != entry.begin && (begin != 0 || *left > 0)))
        return damaged(r->index, "a block does not begin as its entry says", st);
    while (at < block.bytes) {
        GS_TRY(read_length(r->index, block, &at, left, st));
        const size_t here = *left < block.bytes - at ? (size_t)*left : block.bytes - at;
        at += here;
        *left -= here;
        (*doc)++;
    }
    return GS_OK;
}

gs_code gs_text_reader_verify(gs_text_reader *r, const volatile int *cancel,
                              gs_status *st)
{
    gs_text_entry end;
    uint64_t doc = 0, left = 0;
    for (uint64_t i = 0; i < r->index->texts.blocks; i++) {
        GS_TRY(gs_cancel_check(cancel, st));
        GS_TRY(verify_block(r, i, &doc, &left, st));
    }
    GS_TRY(read_entry(r->index, r->index->texts.blocks, &end, st));
    if (doc != r->index->texts.count || end.first_doc != doc || left > 0)
        return damaged(r->index, "its texts end early", st);
    return GS_OK;
}
