/* SPDX-License-Identifier: MIT */
/*
 * list_steps: what one thread of a kernel does with a term: where its posting list is,
 * and what the first postings of that are, as C that the host runs too: the GPU of tests
 * (tests/fake_gpu) is made of it.
 *
 * The files are those of lib/index/format, which the cores read faster; tests hold one
 * against the other. Nothing is believed: what does not lie in a file, or makes no sense,
 * is refused, and the cores, who say what is wrong, do the term. Likewise what does not
 * fit 32 bits.
 */
#ifndef GS_GPU_LISTS_LIST_STEPS_H
#define GS_GPU_LISTS_LIST_STEPS_H

#include "gpu/lists/list_postings.h"

/* --- the dictionary ----------------------------------------------------------------- */

/* What stands in the array of prefixes for such a term. */
GS_LIST_BOTH uint64_t gs_list_prefix(const uint8_t *term, uint32_t bytes)
{
    uint64_t prefix = 0;
    for (uint32_t i = 0; i < 8; i++)
        prefix = prefix << 8 | (i < bytes ? term[i] : 0);
    return prefix;
}

/* Where a block begins, or, of the one behind the last, where that ends. */
GS_LIST_BOTH uint64_t gs_list_place(const gs_list_view *v, uint64_t block)
{
    const uint8_t *const group =
        v->terms + v->places + block / GS_LIST_PLACES * GS_LIST_PLACES_BYTES;
    const uint8_t *const behind = group + 8 + block % GS_LIST_PLACES * 4;
    return gs_list_word(group) + (uint32_t)gs_list_word(behind);
}

/* A block of the dictionary that is gone through. */
typedef struct gs_list_block {
    gs_list_reader r;
    uint64_t at, positions, only_doc; /* of its next term */
} gs_list_block;

GS_LIST_BOTH bool gs_list_enter(const gs_list_view *v, uint64_t block, gs_list_block *b)
{
    const uint64_t from = gs_list_place(v, block), to = gs_list_place(v, block + 1);
    if (from > to || to > v->terms_bytes)
        return false;
    b->r.p = v->terms + from;
    b->r.end = v->terms + to;
    b->positions = b->only_doc = 0;
    return gs_list_varint(&b->r, &b->at) &&
           (!v->has_positions || gs_list_varint(&b->r, &b->positions));
}

/* How many bytes the next term shares with the one before, and how many are its own. */
GS_LIST_BOTH bool gs_list_lengths(gs_list_reader *r, uint64_t *shared, uint64_t *suffix)
{
    uint64_t more = 0;
    if (r->p >= r->end)
        return false;
    const unsigned both = *r->p++;
    *shared = both >> GS_LIST_LENGTH_BITS;
    *suffix = both & GS_LIST_LENGTH_MORE;
    if (*shared == GS_LIST_LENGTH_MORE) {
        if (!gs_list_varint(r, &more) || more > GS_LIST_TERM_MAX)
            return false;
        *shared += more;
    }
    if (*suffix == GS_LIST_LENGTH_MORE) {
        if (!gs_list_varint(r, &more) || more > GS_LIST_TERM_MAX)
            return false;
        *suffix += more;
    }
    (*suffix)++;
    return *suffix <= gs_list_left(r) && *shared + *suffix <= GS_LIST_TERM_MAX;
}

/* What the dictionary says of the term whose bytes were read; *is_narrow: it fits. */
GS_LIST_BOTH bool gs_list_read_info(const gs_list_view *v, gs_list_block *b,
                                    gs_list_info *info, bool *is_narrow)
{
    uint64_t counts, more = 0, doc, positions_bytes = 0;
    info->bytes = info->skip_bytes = 0;
    info->only_doc = 0;
    if (!gs_list_varint(&b->r, &counts) ||
        ((counts & 1) == 0 && !gs_list_varint(&b->r, &more)))
        return false;
    const uint64_t df = (counts >> 1) + 1;
    if (more > UINT64_MAX - df - 1)
        return false;
    info->cf = df + ((counts & 1) == 0 ? more + 1 : 0);
    if (df == 1) {
        if (!gs_list_varint(&b->r, &doc))
            return false;
        b->only_doc += doc >> 1 ^ (0 - (doc & 1));
        info->only_doc = (uint32_t)b->only_doc;
    } else if (!gs_list_varint(&b->r, &info->bytes)) {
        return false;
    }
    if (df >= GS_LIST_BLOCK && !gs_list_varint(&b->r, &info->skip_bytes))
        return false;
    if (v->has_positions && !gs_list_varint(&b->r, &positions_bytes))
        return false;
    info->at = b->at;
    if (info->bytes > v->postings_end || info->skip_bytes > v->postings_end ||
        b->at > v->postings_end ||
        info->bytes + info->skip_bytes > v->postings_end - b->at ||
        positions_bytes > v->positions_end ||
        (positions_bytes > 0 && b->positions > v->positions_end - positions_bytes))
        return false;
    b->at += info->bytes + info->skip_bytes;
    b->positions += positions_bytes;
    *is_narrow = df <= v->document_count && df < GS_LIST_REFUSED &&
                 (df > 1 || (b->only_doc < v->document_count && info->cf <= UINT32_MAX));
    info->df = (uint32_t)df;
    return true;
}

/* How the first term of a block compares with one; false: it cannot be read. */
GS_LIST_BOTH bool gs_list_compare_first(const gs_list_view *v, uint64_t block,
                                        const uint8_t *term, uint32_t bytes, int *order)
{
    gs_list_block b;
    uint64_t shared, suffix;
    if (!gs_list_enter(v, block, &b) || !gs_list_lengths(&b.r, &shared, &suffix) ||
        shared != 0)
        return false;
    *order = (suffix > bytes) - (suffix < bytes);
    for (uint64_t i = 0; i < suffix && i < bytes; i++) {
        if (b.r.p[i] != term[i]) {
            *order = b.r.p[i] < term[i] ? -1 : 1;
            break;
        }
    }
    return true;
}

/* Behind the blocks from `at` on that begin with this prefix. */
GS_LIST_BOTH uint64_t gs_list_behind_equals(const gs_list_view *v, uint64_t at,
                                            uint64_t prefix)
{
    uint64_t reach = 1;
    if (at >= v->block_count || v->prefixes[at] != prefix)
        return at;
    while (reach < v->block_count - at && v->prefixes[at + reach] == prefix)
        reach *= 2;
    uint64_t low = reach / 2,
             high = reach < v->block_count - at ? reach : v->block_count - at;
    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (v->prefixes[at + middle] == prefix)
            low = middle;
        else
            high = middle;
    }
    return at + high;
}

/* The block that a term would be in; `rank` blocks begin with a lesser prefix. Those that
 * begin with the same one are told apart by their first terms. */
GS_LIST_BOTH bool gs_list_block_of(const gs_list_view *v, uint64_t rank, uint64_t prefix,
                                   const uint8_t *term, uint32_t bytes, uint64_t *block)
{
    uint64_t low = rank, high = gs_list_behind_equals(v, rank, prefix);
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        int order;
        if (!gs_list_compare_first(v, middle, term, bytes, &order))
            return false;
        if (order <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    *block = low > 0 ? low - 1 : 0;
    return true;
}

/* Of a term that shares `shared` bytes with the one before, which was less than the one
 * that is sought and has its first *common bytes: is it less (-1), the same, or greater?
 */
GS_LIST_BOTH int gs_list_compare_next(const uint8_t *own, uint64_t shared,
                                      uint64_t suffix, const uint8_t *term,
                                      uint32_t bytes, uint64_t *common)
{
    if (shared != *common)
        return shared > *common ? -1 : 1;
    for (uint64_t i = 0; i < suffix; i++, (*common)++) {
        if (*common == bytes || own[i] > term[*common])
            return 1;
        if (own[i] < term[*common])
            return -1;
    }
    return *common == bytes ? 0 : -1;
}

/* What the dictionary says of a term. */
GS_LIST_BOTH void gs_list_find(const gs_list_view *v, uint64_t rank, const uint8_t *term,
                               uint32_t bytes, gs_list_info *info)
{
    gs_list_block b;
    uint64_t block = 0, common = 0, before = 0;
    bool is_narrow = false;
    info->df = 0;
    if (v->block_count == 0)
        return;
    info->df = GS_LIST_REFUSED;
    if (rank > v->block_count ||
        !gs_list_block_of(v, rank, gs_list_prefix(term, bytes), term, bytes, &block) ||
        !gs_list_enter(v, block, &b))
        return;
    const uint64_t left = v->term_count - block * GS_LIST_TERMS;
    for (uint64_t i = 0; i < left && i < GS_LIST_TERMS; i++) {
        uint64_t shared, suffix;
        if (!gs_list_lengths(&b.r, &shared, &suffix) || shared > before) {
            info->df = GS_LIST_REFUSED;
            return;
        }
        const int order =
            gs_list_compare_next(b.r.p, shared, suffix, term, bytes, &common);
        b.r.p += suffix;
        before = shared + suffix;
        if (order > 0)
            break;
        if (!gs_list_read_info(v, &b, info, &is_narrow) || (order == 0 && !is_narrow))
            info->df = GS_LIST_REFUSED;
        if (order == 0 || info->df == GS_LIST_REFUSED)
            return;
    }
    info->df = 0;
}

/* How many postings of it are wanted. */
GS_LIST_BOTH uint32_t gs_list_wanted(const gs_list_view *v, const gs_list_info *info)
{
    if (info->df == GS_LIST_REFUSED)
        return 0;
    return info->df < v->head ? info->df : v->head;
}

/* How many bytes of a list, and of its skip entries, those may take that are wanted. */
GS_LIST_BOTH void gs_list_needed(const gs_list_view *v, const gs_list_info *info,
                                 uint64_t *bytes, uint64_t *skip_bytes)
{
    const uint32_t wanted = gs_list_wanted(v, info);
    const uint64_t full = info->df / GS_LIST_BLOCK;
    const uint64_t blocks = (wanted + (uint64_t)GS_LIST_BLOCK - 1) / GS_LIST_BLOCK;
    *bytes = info->bytes;
    *skip_bytes = info->skip_bytes;
    if (blocks > full) /* the tail, too */
        return;
    const uint64_t most = blocks * GS_LIST_BLOCK_BYTES_MAX;
    const uint64_t skip_most =
        1 + (uint64_t)GS_IMPACT_BYTES * GS_IMPACTS_MAX + blocks * GS_LIST_SKIP_BYTES_MAX;
    *bytes = most < *bytes ? most : *bytes;
    *skip_bytes = skip_most < *skip_bytes ? skip_most : *skip_bytes;
}

/* Bytes of the postings at `at`, where they are held; NULL: they are not. */
GS_LIST_BOTH const uint8_t *gs_list_held(const gs_list_view *v, uint64_t at,
                                         uint64_t bytes)
{
    if (v->slots == NULL)
        return v->postings + at;
    const uint64_t first = at / GS_LIST_CHUNK_BYTES;
    const uint64_t last = (at + bytes - (bytes > 0)) / GS_LIST_CHUNK_BYTES;
    const uint64_t slot = v->slots[first];
    if (slot == GS_LIST_NO_SLOT || v->slots[last] != slot + (last - first))
        return NULL;
    return v->postings + slot * GS_LIST_CHUNK_BYTES + at % GS_LIST_CHUNK_BYTES;
}

/* --- a list ------------------------------------------------------------------------- */

/* The entry of the next block: what of it is told, from the last document of the one
 * before on. */
GS_LIST_BOTH bool gs_list_skip(const gs_list_view *v, gs_list_reader *skips,
                               uint64_t *last, uint64_t *bytes)
{
    uint64_t delta, sizes, places;
    if (!gs_list_varint(skips, &delta) || !gs_list_varint(skips, &sizes) ||
        (v->has_positions && !gs_list_varint(skips, &places)))
        return false;
    const uint64_t pairs = gs_list_low(sizes, GS_LIST_SKIP_COUNT_BITS);
    if (pairs == 0 || pairs > GS_IMPACTS_MAX ||
        pairs * GS_IMPACT_BYTES > gs_list_left(skips) || delta >= v->document_count ||
        *last + delta >= v->document_count)
        return false;
    skips->p += pairs * GS_IMPACT_BYTES;
    *last += delta;
    *bytes = sizes >> GS_LIST_SKIP_COUNT_BITS;
    return true;
}

/* The skip entries of a list, so many bytes; false: they are not held, or make no sense.
 */
GS_LIST_BOTH bool gs_list_skips(const gs_list_view *v, const gs_list_info *info,
                                uint64_t bytes, gs_list_reader *skips)
{
    skips->p = gs_list_held(v, info->at + info->bytes, bytes);
    if (skips->p == NULL || bytes == 0)
        return false;
    skips->end = skips->p + bytes;
    const unsigned pairs = *skips->p++;
    if (pairs == 0 || pairs > GS_IMPACTS_MAX ||
        pairs * (uint64_t)GS_IMPACT_BYTES > gs_list_left(skips))
        return false;
    skips->p += pairs * GS_IMPACT_BYTES;
    return true;
}

/* The first gs_list_wanted postings of a term that has some. */
GS_LIST_BOTH bool gs_list_read(const gs_list_view *v, const gs_list_info *info,
                               uint32_t *docs, uint32_t *tfs)
{
    const uint32_t wanted = gs_list_wanted(v, info);
    gs_list_reader skips = {NULL, NULL}, r;
    uint64_t last = 0, least = 0, left = info->df;
    uint32_t done = 0;
    if (info->df == 1) {
        docs[0] = info->only_doc;
        tfs[0] = (uint32_t)info->cf;
        return true;
    }
    uint64_t list_bytes, skip_bytes;
    gs_list_needed(v, info, &list_bytes, &skip_bytes);
    r.p = gs_list_held(v, info->at, list_bytes);
    if (r.p == NULL ||
        (info->df >= GS_LIST_BLOCK && !gs_list_skips(v, info, skip_bytes, &skips)))
        return false;
    r.end = r.p + list_bytes;
    for (; done < wanted && left >= GS_LIST_BLOCK; left -= GS_LIST_BLOCK) {
        uint64_t bytes;
        if (!gs_list_skip(v, &skips, &last, &bytes) || bytes > gs_list_left(&r))
            return false;
        gs_list_reader block = {r.p, r.p + bytes};
        const uint32_t count =
            wanted - done < GS_LIST_BLOCK ? wanted - done : (uint32_t)GS_LIST_BLOCK;
        if (!gs_list_block_postings(&block, least, last, count, docs + done, tfs + done))
            return false;
        r.p += bytes;
        least = last + 1;
        done += count;
    }
    if (done == wanted)
        return true;
    const gs_list_frame frame = {(uint32_t)left, least, v->doc_bound,
                                 info->df < GS_LIST_BLOCK, info->cf - info->df};
    return gs_list_tail(&r, &frame, wanted - done, docs + done, tfs + done) &&
           docs[wanted - 1] < v->document_count;
}

#endif
