/* SPDX-License-Identifier: MIT */
#include "lib/index/read/posting_list.h"

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/index/format/formats.h"

_Static_assert((int)GS_PACK_SLACK <= (int)GS_INDEX_SLACK, "blocks are read in place");

static gs_code damaged(const gs_posting_list *l, const char *what, gs_status *st)
{
    return gs_index_damaged(l->index, GS_INDEX_POSTINGS, what, st);
}

gs_code gs_posting_list_start(gs_posting_list *l, const gs_index *index,
                              const gs_term_info *info, gs_status *st)
{
    const gs_index_header *const header = gs_index_header_of(index);
    l->index = index;
    l->pages = gs_index_pages(index, GS_INDEX_POSTINGS);
    l->left = info->df;
    l->count = l->at = 0;
    l->doc = l->last_doc = l->blocks_read = 0;
    l->has_doc = l->is_found = l->has_skip = false;
    l->packed_tfs = NULL;
    l->places = l->places_end = l->next_places = l->checked_places = NULL;
    GS_TRY(gs_index_place(index, GS_INDEX_POSTINGS, info->postings, info->postings_bytes,
                          &l->p, st));
    l->end = l->p + info->postings_bytes;
    GS_TRY(gs_posting_skips_start(&l->skips, index, info, st));
    if (header->has_positions) {
        GS_TRY(gs_index_place(index, GS_INDEX_POSITIONS, info->positions,
                              info->positions_bytes, &l->next_places, st));
        l->places_end = l->next_places + info->positions_bytes;
    }
    return GS_OK;
}

void gs_posting_list_release(gs_posting_list *l)
{
    gs_mem_free(l->positions);
    *l = (gs_posting_list){0};
}

/* Block or tail, up to there, at p: it may be read. */
static gs_code check_postings(const gs_posting_list *l, const uint8_t *end, gs_status *st)
{
    return gs_index_check_pages(l->index, GS_INDEX_POSTINGS, l->pages, l->p, end, st);
}

/* The entry of the block at p. */
static gs_code read_skip(gs_posting_list *l, gs_status *st)
{
    gs_posting_skip *const skip = &l->skip;
    GS_TRY(gs_posting_skips_next(&l->skips, skip, st));
    if (skip->bytes < GS_INDEX_BLOCK_HEAD || skip->bytes > (uint64_t)(l->end - l->p) ||
        (l->next_places != NULL &&
         skip->positions_bytes > (uint64_t)(l->places_end - l->next_places)))
        return damaged(l, "a skip entry makes no sense", st);
    return GS_OK;
}

/* Numbers to docIDs, two at a time: a sum waits for the one before only half as often. */
static gs_code settle_docs(gs_posting_list *l, gs_status *st)
{
    /* A number has at most 41 bits and a block 128 of them: no overflow here. */
    uint64_t next = l->has_doc ? l->last_doc + 1 : 0; /* a number of 0 means this docID */
    size_t i = 0;
    for (; i + 1 < l->count; i += 2) {
        const uint64_t first = l->docs[i], both = first + l->docs[i + 1] + 1;
        l->docs[i] = next + first;
        l->docs[i + 1] = next + both;
        next += both + 1;
    }
    if (i < l->count) {
        l->docs[i] += next;
        next = l->docs[i] + 1;
    }
    l->last_doc = next - 1;
    l->has_doc = true;
    l->left -= l->count;
    return l->last_doc < l->skips.document_count ? GS_OK
                                                 : damaged(l, "a docID is not there", st);
}

static void begin_places(gs_posting_list *l)
{
    l->places = l->checked_places = l->next_places;
    l->places_at = 0;
}

static gs_code read_packed(gs_posting_list *l, gs_status *st)
{
    const gs_posting_skip *const skip = &l->skip;
    const uint8_t *const block = l->p;
    GS_TRY(check_postings(l, block + skip->bytes, st));
    const unsigned doc_bits = (unsigned)gs_index_once(block[0]);
    const unsigned tf_bits = (unsigned)gs_index_once(block[1]);
    if (doc_bits > GS_PACK_BITS_MAX || tf_bits > 32 ||
        skip->bytes !=
            GS_INDEX_BLOCK_HEAD + gs_pack_bytes(doc_bits) + gs_pack_bytes(tf_bits))
        return damaged(l, "a block has an impossible length", st);
    gs_pack_get(block + GS_INDEX_BLOCK_HEAD, doc_bits, l->docs);
    l->packed_tfs = block + GS_INDEX_BLOCK_HEAD + gs_pack_bytes(doc_bits);
    l->tf_bits = tf_bits;
    l->p += skip->bytes;
    l->count = GS_INDEX_BLOCK;
    l->has_skip = true;
    if (l->next_places != NULL) {
        begin_places(l);
        l->next_places += skip->positions_bytes;
    }
    GS_TRY(settle_docs(l, st));
    return l->last_doc == skip->last_doc
               ? GS_OK
               : damaged(l, "a block does not end where its skip entry says", st);
}

static gs_code read_tail(gs_posting_list *l, gs_status *st)
{
    l->count = (size_t)l->left;
    l->has_skip = false;
    l->packed_tfs = NULL;
    GS_TRY(check_postings(l, l->end, st));
    for (size_t i = 0; i < l->count; i++) {
        uint64_t number, tf = 0;
        if (!gs_varint_read(&l->p, l->end, &number) ||
            (!gs_gap_is_once(number) && !gs_varint_read(&l->p, l->end, &tf)) ||
            gs_gap_of(number) >= GS_INDEX_DOCS_MAX || tf > UINT32_MAX - 2)
            return damaged(l, "a posting list ends early", st);
        l->docs[i] = gs_gap_of(number);
        l->tfs[i] = gs_gap_is_once(number) ? 1 : tf + 2;
    }
    if (l->p != l->end || l->skips.p != l->skips.end)
        return damaged(l, "a posting list does not end where it should", st);
    begin_places(l);
    return settle_docs(l, st);
}

/* Not is_found then: only the postings without an entry, if any, may have such a docID.
 */
gs_code gs_posting_list_find(gs_posting_list *l, uint64_t doc, gs_status *st)
{
    while (l->left >= GS_INDEX_BLOCK) {
        if (!l->is_found)
            GS_TRY(read_skip(l, st));
        l->is_found = true;
        if (l->skip.last_doc >= doc)
            return GS_OK;
        l->p += l->skip.bytes;
        if (l->next_places != NULL)
            l->next_places += l->skip.positions_bytes;
        l->last_doc = l->skip.last_doc;
        l->has_doc = true;
        l->left -= GS_INDEX_BLOCK;
        l->is_found = false;
    }
    return GS_OK;
}

/* The next block that may have such a docID; frequencies of a full one stay packed. */
static gs_code read_from(gs_posting_list *l, uint64_t doc, gs_status *st)
{
    l->count = 0;
    GS_TRY(gs_posting_list_find(l, doc, st));
    if (l->is_found) {
        l->is_found = false;
        return read_packed(l, st);
    }
    return l->left == 0 ? GS_OK : read_tail(l, st);
}

/* --- block by block ----------------------------------------------------------------- */

gs_code gs_posting_list_block(gs_posting_list *l, gs_status *st)
{
    GS_TRY(read_from(l, 0, st));
    if (l->packed_tfs == NULL)
        return GS_OK;
    gs_pack_get(l->packed_tfs, l->tf_bits, l->tfs);
    for (size_t i = 0; i < GS_INDEX_BLOCK; i++) {
        if (++l->tfs[i] > UINT32_MAX)
            return damaged(l, "a frequency is too large", st);
    }
    l->packed_tfs = NULL;
    return GS_OK;
}

gs_stored_block gs_posting_list_stored(const gs_posting_list *l)
{
    gs_assert(l->has_skip);
    return (gs_stored_block){
        .data = l->p - l->skip.bytes,
        .bytes = (size_t)l->skip.bytes,
        .places = l->places,
        .place_bytes = l->places != NULL ? (size_t)(l->next_places - l->places) : 0,
    };
}

/* --- document by document ----------------------------------------------------------- */

gs_code gs_posting_list_move(gs_posting_list *l, uint64_t doc, gs_status *st)
{
    l->at = 0;
    l->doc = GS_NO_DOC;
    if (l->left == 0) { /* also the next time */
        l->count = 0;
        return GS_OK;
    }
    GS_TRY(read_from(l, doc, st));
    l->blocks_read += l->count > 0;
    /* The last postings have no entry that tells where they end. */
    if (l->count > 0 && l->docs[l->count - 1] >= doc)
        l->doc = l->docs[0];
    else
        l->count = 0;
    return GS_OK;
}

/* --- positions ---------------------------------------------------------------------- */

/* Reads so many positions; `out` may be NULL. */
static inline gs_code read_positions(gs_posting_list *l, uint64_t tf, uint32_t *out,
                                     gs_status *st)
{
    uint64_t position = 0;
    const uint8_t *p = l->places;
    for (uint64_t k = 0; k < tf; k++) {
        uint64_t x;
        if (!gs_varint_read(&p, l->checked_places, &x) || x > UINT32_MAX)
            return gs_index_damaged(l->index, GS_INDEX_POSITIONS, "positions end early",
                                    st);
        position = k == 0 ? x : position + x + 1;
        if (position > UINT32_MAX)
            return gs_index_damaged(l->index, GS_INDEX_POSITIONS,
                                    "a position is too large", st);
        if (out != NULL)
            out[k] = (uint32_t)position;
    }
    l->places = p;
    return GS_OK;
}

/* Compares the pages of what the block, or the tail, has from here on. */
static __attribute__((noinline)) gs_code check_places(gs_posting_list *l, uint64_t tf,
                                                      gs_status *st)
{
    const bool is_block = l->has_skip && l->places < l->next_places;
    if (l->places == NULL || tf > (uint64_t)(l->places_end - l->places))
        return gs_index_damaged(l->index, GS_INDEX_POSITIONS, "positions are missing",
                                st);
    l->checked_places = is_block ? l->next_places : l->places_end;
    return gs_index_compare_pages(l->index, GS_INDEX_POSITIONS, l->places,
                                  l->checked_places, st);
}

/* A position has a byte at least. */
static inline gs_code find_places(gs_posting_list *l, uint64_t tf, gs_status *st)
{
    return tf <= (uint64_t)(l->checked_places - l->places) ? GS_OK
                                                           : check_places(l, tf, st);
}

static __attribute__((noinline)) gs_code hold_positions(gs_posting_list *l, uint64_t tf,
                                                        gs_status *st)
{
    return gs_mem_grow(&l->positions, &l->position_capacity, (size_t)tf, "positions", st);
}

/* Passes those of the posting that they are at. */
static inline gs_code pass_places(gs_posting_list *l, gs_status *st)
{
    const uint64_t tf = gs_posting_list_tf(l, l->places_at);
    GS_TRY(find_places(l, tf, st));
    GS_TRY(read_positions(l, tf, NULL, st));
    l->places_at++;
    return GS_OK;
}

gs_code gs_posting_list_positions(gs_posting_list *l, size_t i, gs_status *st)
{
    gs_assert(l->places_at <= i + 1);
    if (l->places_at == i + 1)
        return GS_OK; /* they are there */
    while (l->places_at < i)
        GS_TRY(pass_places(l, st));
    const uint64_t tf = gs_posting_list_tf(l, i);
    GS_TRY(find_places(l, tf, st));
    if (tf > l->position_capacity)
        GS_TRY(hold_positions(l, tf, st));
    l->position_count = (size_t)tf;
    l->places_at = i + 1;
    return read_positions(l, tf, l->positions, st);
}

gs_code gs_posting_list_measure_places(gs_posting_list *l, const uint8_t **places,
                                       size_t *place_bytes, gs_status *st)
{
    *places = l->places;
    while (l->places_at < l->count) {
        const uint8_t *const begin = l->places;
        const size_t i = l->places_at;
        GS_TRY(pass_places(l, st));
        place_bytes[i] = (size_t)(l->places - begin);
    }
    return gs_posting_list_end_places(l, st);
}

gs_code gs_posting_list_end_places(const gs_posting_list *l, gs_status *st)
{
    return l->places == (l->has_skip ? l->next_places : l->places_end)
               ? GS_OK
               : gs_index_damaged(l->index, GS_INDEX_POSITIONS,
                                  "a block has too many positions", st);
}
