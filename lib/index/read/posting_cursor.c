/* SPDX-License-Identifier: MIT */
#include "lib/index/read/posting_cursor.h"

#include "lib/base/mem.h"
#include "lib/index/format/formats.h"

_Static_assert((int)GS_PACK_SLACK <= (int)GS_INDEX_SLACK, "blocks are read in place");

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
                             .pages = gs_index_pages(index, GS_INDEX_POSTINGS),
                             .document_count = gs_index_header_of(index)->documents};
    GS_TRY(gs_index_place(index, GS_INDEX_POSTINGS, info->postings, info->postings_bytes,
                          &c->p, st));
    c->end = c->p + info->postings_bytes;
    GS_TRY(gs_posting_skips_start(&c->skips, index, info, st));
    if (gs_index_header_of(index)->has_positions) {
        GS_TRY(gs_index_place(index, GS_INDEX_POSITIONS, info->positions,
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

/* Block or tail, up to there, at p: it may be read. */
static gs_code check_postings(const gs_posting_cursor *c, const uint8_t *end,
                              gs_status *st)
{
    return gs_index_check_pages(c->index, GS_INDEX_POSTINGS, c->pages, c->p, end, st);
}

/* The entry of the block at p. */
static gs_code read_skip(gs_posting_cursor *c, gs_status *st)
{
    gs_posting_skip *const skip = &c->skip;
    GS_TRY(gs_posting_skips_next(&c->skips, skip, st));
    if (skip->bytes < 2 || skip->bytes > (uint64_t)(c->end - c->p) ||
        (c->next_places != NULL &&
         skip->positions_bytes > (uint64_t)(c->places_end - c->next_places)))
        return damaged(c, "a skip entry makes no sense", st);
    return GS_OK;
}

/* Numbers to docIDs. */
static gs_code settle_docs(gs_posting_cursor *c, gs_status *st)
{
    /* A number has at most 41 bits and a block 128 of them: no overflow here. */
    const uint64_t first = c->has_doc ? c->last_doc + 1 : 0;
    uint64_t sum = first;
    for (size_t i = 0; i < c->count; i++) {
        sum += c->docs[i];
        c->docs[i] = sum + i;
    }
    c->last_doc = c->docs[c->count - 1];
    c->has_doc = true;
    c->left -= c->count;
    return c->last_doc < c->document_count ? GS_OK
                                           : damaged(c, "a docID is not there", st);
}

static gs_code read_packed(gs_posting_cursor *c, gs_status *st)
{
    const gs_posting_skip *const skip = &c->skip;
    const uint8_t *const block = c->p;
    GS_TRY(check_postings(c, block + skip->bytes, st));
    const unsigned doc_bits = (unsigned)gs_index_once(block[0]);
    const unsigned tf_bits = (unsigned)gs_index_once(block[1]);
    if (doc_bits > GS_PACK_BITS_MAX || tf_bits > 32 ||
        skip->bytes != 2 + gs_pack_bytes(doc_bits) + gs_pack_bytes(tf_bits))
        return damaged(c, "a block has an impossible length", st);
    gs_pack_get(block + 2, doc_bits, c->docs);
    c->packed_tfs = block + 2 + gs_pack_bytes(doc_bits);
    c->tf_bits = tf_bits;
    c->p += skip->bytes;
    c->count = GS_INDEX_BLOCK;
    c->has_skip = true;
    if (c->next_places != NULL) {
        c->places = c->checked_places = c->next_places;
        c->next_places += skip->positions_bytes;
    }
    GS_TRY(settle_docs(c, st));
    return c->last_doc == skip->last_doc
               ? GS_OK
               : damaged(c, "a block does not end where its skip entry says", st);
}

static gs_code read_tail(gs_posting_cursor *c, gs_status *st)
{
    c->count = (size_t)c->left;
    c->has_skip = false;
    c->packed_tfs = NULL;
    GS_TRY(check_postings(c, c->end, st));
    for (size_t i = 0; i < c->count; i++) {
        uint64_t number, tf = 0;
        if (!gs_varint_read(&c->p, c->end, &number) ||
            ((number & 1) == 0 && !gs_varint_read(&c->p, c->end, &tf)) ||
            number >> 1 >= GS_INDEX_DOCS_MAX || tf > UINT32_MAX - 2)
            return damaged(c, "a posting list ends early", st);
        c->docs[i] = number >> 1;
        c->tfs[i] = (number & 1) != 0 ? 1 : tf + 2;
    }
    if (c->p != c->end || c->skips.p != c->skips.end)
        return damaged(c, "a posting list does not end where it should", st);
    c->places = c->checked_places = c->next_places;
    return settle_docs(c, st);
}

gs_code gs_posting_cursor_find(gs_posting_cursor *c, uint64_t doc, gs_status *st)
{
    while (c->left >= GS_INDEX_BLOCK) {
        if (!c->is_found)
            GS_TRY(read_skip(c, st));
        c->is_found = true;
        if (c->skip.last_doc >= doc)
            return GS_OK;
        c->p += c->skip.bytes;
        if (c->next_places != NULL)
            c->next_places += c->skip.positions_bytes;
        c->last_doc = c->skip.last_doc;
        c->has_doc = true;
        c->left -= GS_INDEX_BLOCK;
        c->is_found = false;
    }
    return GS_OK;
}

gs_code gs_posting_cursor_seek(gs_posting_cursor *c, uint64_t doc, gs_status *st)
{
    c->count = 0;
    GS_TRY(gs_posting_cursor_find(c, doc, st));
    if (c->is_found) {
        c->is_found = false;
        return read_packed(c, st);
    }
    return c->left == 0 ? GS_OK : read_tail(c, st);
}

gs_code gs_posting_cursor_block(gs_posting_cursor *c, gs_status *st)
{
    GS_TRY(gs_posting_cursor_seek(c, 0, st));
    if (c->packed_tfs == NULL)
        return GS_OK;
    gs_pack_get(c->packed_tfs, c->tf_bits, c->tfs);
    for (size_t i = 0; i < GS_INDEX_BLOCK; i++) {
        if (++c->tfs[i] > UINT32_MAX)
            return damaged(c, "a frequency is too large", st);
    }
    c->packed_tfs = NULL;
    return GS_OK;
}

/* Reads so many positions; `out` may be NULL. */
static inline gs_code read_positions(gs_posting_cursor *c, uint64_t tf, uint32_t *out,
                                     gs_status *st)
{
    uint64_t position = 0;
    const uint8_t *p = c->places;
    for (uint64_t k = 0; k < tf; k++) {
        uint64_t x;
        if (!gs_varint_read(&p, c->checked_places, &x) || x > UINT32_MAX)
            return gs_index_damaged(c->index, GS_INDEX_POSITIONS, "positions end early",
                                    st);
        position = k == 0 ? x : position + x + 1;
        if (position > UINT32_MAX)
            return gs_index_damaged(c->index, GS_INDEX_POSITIONS,
                                    "a position is too large", st);
        if (out != NULL)
            out[k] = (uint32_t)position;
    }
    c->places = p;
    return GS_OK;
}

/* Compares the pages of what the block, or the tail, has from here on. */
static __attribute__((noinline)) gs_code check_places(gs_posting_cursor *c, uint64_t tf,
                                                      gs_status *st)
{
    const bool is_block = c->has_skip && c->places < c->next_places;
    if (c->places == NULL || tf > (uint64_t)(c->places_end - c->places))
        return gs_index_damaged(c->index, GS_INDEX_POSITIONS, "positions are missing",
                                st);
    c->checked_places = is_block ? c->next_places : c->places_end;
    return gs_index_compare_pages(c->index, GS_INDEX_POSITIONS, c->places,
                                  c->checked_places, st);
}

/* A position has a byte at least. */
static inline gs_code find_places(gs_posting_cursor *c, uint64_t tf, gs_status *st)
{
    return tf <= (uint64_t)(c->checked_places - c->places) ? GS_OK
                                                           : check_places(c, tf, st);
}

static __attribute__((noinline)) gs_code hold_positions(gs_posting_cursor *c, uint64_t tf,
                                                        gs_status *st)
{
    return gs_mem_grow(&c->positions, &c->position_capacity, (size_t)tf, "positions", st);
}

gs_code gs_posting_cursor_positions(gs_posting_cursor *c, size_t i, gs_status *st)
{
    const uint64_t tf = gs_posting_cursor_tf(c, i);
    GS_TRY(find_places(c, tf, st));
    if (tf > c->position_capacity)
        GS_TRY(hold_positions(c, tf, st));
    c->position_count = (size_t)tf;
    return read_positions(c, tf, c->positions, st);
}

gs_code gs_posting_cursor_pass_positions(gs_posting_cursor *c, size_t i, gs_status *st)
{
    const uint64_t tf = gs_posting_cursor_tf(c, i);
    GS_TRY(find_places(c, tf, st));
    return read_positions(c, tf, NULL, st);
}
