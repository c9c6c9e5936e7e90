/* SPDX-License-Identifier: MIT */
#include "lib/index/posting_cursor.h"

#include "lib/base/mem.h"
#include "lib/index/posting_pack.h"

/* What a skip entry says of the next block. */
typedef struct gs_skip {
    uint64_t last_doc, bytes, tf_most, positions_bytes;
} gs_skip;

static gs_code damaged(const gs_posting_cursor *c, const char *what, gs_status *st)
{
    return gs_index_damaged(c->index, GS_INDEX_POSTINGS, what, st);
}

gs_code gs_posting_cursor_start(gs_posting_cursor *c, const gs_index *index,
                                const gs_term_info *info, gs_status *st)
{
    uint32_t *const positions = c->positions; /* memory that is there stays */
    const size_t capacity = c->position_capacity;
    *c = (gs_posting_cursor){.index = index,
                             .left = info->df,
                             .positions = positions,
                             .position_capacity = capacity,
                             .document_count = gs_index_header_of(index)->documents};
    GS_TRY(gs_index_bytes(index, GS_INDEX_POSTINGS, info->postings,
                          info->postings_bytes + info->skip_bytes, &c->p, st));
    c->end = c->skip = c->p + info->postings_bytes;
    c->skip_end = c->skip + info->skip_bytes;
    if (gs_index_header_of(index)->has_positions) {
        GS_TRY(gs_index_bytes(index, GS_INDEX_POSITIONS, info->positions,
                              info->positions_bytes, &c->next_places, st));
        c->places_end = c->next_places + info->positions_bytes;
    }
    return GS_OK;
}

void gs_posting_cursor_release(gs_posting_cursor *c)
{
    gs_mem_free(c->positions);
    *c = (gs_posting_cursor){0};
}

static gs_code read_skip(gs_posting_cursor *c, gs_skip *skip, gs_status *st)
{
    uint64_t delta, tf_most;
    *skip = (gs_skip){0};
    if (!gs_varint_read(&c->skip, c->skip_end, &delta) ||
        !gs_varint_read(&c->skip, c->skip_end, &skip->bytes) ||
        !gs_varint_read(&c->skip, c->skip_end, &tf_most) ||
        (c->next_places != NULL &&
         !gs_varint_read(&c->skip, c->skip_end, &skip->positions_bytes)) ||
        skip->bytes < 2 || skip->bytes > (uint64_t)(c->end - c->p) ||
        delta >= GS_INDEX_DOCS_MAX || tf_most > UINT32_MAX - 1 ||
        (c->next_places != NULL &&
         skip->positions_bytes > (uint64_t)(c->places_end - c->next_places)))
        return damaged(c, "a skip entry makes no sense", st);
    skip->last_doc = c->last_doc + delta;
    skip->tf_most = tf_most + 1;
    if (skip->last_doc >= c->document_count)
        return damaged(c, "a docID is not there", st);
    return GS_OK;
}

/* Numbers to docIDs and frequencies. */
static gs_code settle_block(gs_posting_cursor *c, gs_status *st)
{
    uint64_t doc = c->last_doc;
    size_t i = 0;
    if (!c->has_doc && c->count > 0) {
        doc = c->docs[0];
        c->tfs[0]++;
        i = 1;
    }
    /* A number has at most 41 bits and a block 128 of them: no overflow here. */
    for (; i < c->count; i++) {
        doc += c->docs[i] + 1;
        c->docs[i] = doc;
        c->tfs[i]++;
    }
    c->last_doc = doc;
    c->has_doc = true;
    c->left -= c->count;
    return doc < c->document_count ? GS_OK : damaged(c, "a docID is not there", st);
}

static gs_code read_packed(gs_posting_cursor *c, const gs_skip *skip, gs_status *st)
{
    const uint8_t *const block = c->p;
    const unsigned doc_bits = block[0], tf_bits = block[1];
    if (doc_bits > GS_PACK_BITS_MAX || tf_bits > 32 ||
        skip->bytes != 2 + gs_pack_bytes(doc_bits) + gs_pack_bytes(tf_bits))
        return damaged(c, "a block has an impossible length", st);
    gs_pack_get(block + 2, doc_bits, c->docs);
    gs_pack_get(block + 2 + gs_pack_bytes(doc_bits), tf_bits, c->tfs);
    for (size_t i = 0; tf_bits == 32 && i < GS_INDEX_BLOCK; i++) {
        if (c->tfs[i] == UINT32_MAX)
            return damaged(c, "a frequency is too large", st);
    }
    c->packed = block;
    c->p += skip->bytes;
    c->count = GS_INDEX_BLOCK;
    c->tf_most = skip->tf_most;
    if (c->next_places != NULL) {
        c->places = c->next_places;
        c->next_places += skip->positions_bytes;
    }
    GS_TRY(settle_block(c, st));
    return c->last_doc == skip->last_doc
               ? GS_OK
               : damaged(c, "a block does not end where its skip entry says", st);
}

static gs_code read_tail(gs_posting_cursor *c, gs_status *st)
{
    c->count = (size_t)c->left;
    c->tf_most = 0;
    c->packed = NULL;
    for (size_t i = 0; i < c->count; i++) {
        uint64_t number, tf = 0;
        if (!gs_varint_read(&c->p, c->end, &number) ||
            ((number & 1) == 0 && !gs_varint_read(&c->p, c->end, &tf)) ||
            number >> 1 >= GS_INDEX_DOCS_MAX || tf > UINT32_MAX - 2)
            return damaged(c, "a posting list ends early", st);
        c->docs[i] = number >> 1;
        c->tfs[i] = (number & 1) != 0 ? 0 : tf + 1;
    }
    if (c->p != c->end || c->skip != c->skip_end)
        return damaged(c, "a posting list does not end where it should", st);
    c->places = c->next_places;
    return settle_block(c, st);
}

gs_code gs_posting_cursor_block(gs_posting_cursor *c, gs_status *st)
{
    c->count = 0;
    if (c->left == 0)
        return GS_OK;
    if (c->left < GS_INDEX_BLOCK)
        return read_tail(c, st);
    gs_skip skip;
    GS_TRY(read_skip(c, &skip, st));
    return read_packed(c, &skip, st);
}

gs_code gs_posting_cursor_seek(gs_posting_cursor *c, uint64_t doc, gs_status *st)
{
    c->count = 0;
    while (c->left >= GS_INDEX_BLOCK) {
        gs_skip skip;
        GS_TRY(read_skip(c, &skip, st));
        if (skip.last_doc >= doc)
            return read_packed(c, &skip, st);
        c->p += skip.bytes;
        if (c->next_places != NULL)
            c->next_places += skip.positions_bytes;
        c->last_doc = skip.last_doc;
        c->has_doc = true;
        c->left -= GS_INDEX_BLOCK;
    }
    return c->left == 0 ? GS_OK : read_tail(c, st);
}

/* Reads so many positions; `out` may be NULL. */
static inline gs_code read_positions(gs_posting_cursor *c, uint64_t tf, uint32_t *out,
                                     gs_status *st)
{
    uint64_t position = 0;
    for (uint64_t k = 0; k < tf; k++) {
        uint64_t x;
        if (!gs_varint_read(&c->places, c->places_end, &x) || x > UINT32_MAX)
            return gs_index_damaged(c->index, GS_INDEX_POSITIONS, "positions end early",
                                    st);
        position = k == 0 ? x : position + x + 1;
        if (position > UINT32_MAX)
            return gs_index_damaged(c->index, GS_INDEX_POSITIONS,
                                    "a position is too large", st);
        if (out != NULL)
            out[k] = (uint32_t)position;
    }
    return GS_OK;
}

static gs_code find_places(const gs_posting_cursor *c, uint64_t tf, gs_status *st)
{
    if (c->places != NULL && tf <= (uint64_t)(c->places_end - c->places))
        return GS_OK;
    return gs_index_damaged(c->index, GS_INDEX_POSITIONS, "positions are missing", st);
}

gs_code gs_posting_cursor_positions(gs_posting_cursor *c, size_t i, gs_status *st)
{
    const uint64_t tf = c->tfs[i];
    GS_TRY(find_places(c, tf, st));
    if (tf > c->position_capacity) {
        void *memory = c->positions;
        GS_TRY(gs_mem_resize(&memory, (size_t)(tf + tf / 2) * sizeof *c->positions,
                             "positions", st));
        c->positions = memory;
        c->position_capacity = (size_t)(tf + tf / 2);
    }
    return read_positions(c, tf, c->positions, st);
}

gs_code gs_posting_cursor_pass_positions(gs_posting_cursor *c, size_t i, gs_status *st)
{
    GS_TRY(find_places(c, c->tfs[i], st));
    return read_positions(c, c->tfs[i], NULL, st);
}
