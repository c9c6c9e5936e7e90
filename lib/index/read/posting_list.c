/* SPDX-License-Identifier: MIT */
#include "lib/index/read/posting_list.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

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
    l->left = l->df = info->df;
    l->cf = info->cf;
    l->only_doc = info->only_doc;
    l->count = l->at = 0;
    l->doc = l->last_doc = l->blocks_read = 0;
    l->has_doc = l->is_found = l->has_skip = false;
    l->has_tfs = false;
    l->places = l->places_end = l->next_places = l->placed.p = NULL;
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
    if (skip->bytes < GS_BLOCK_BYTES_MIN || skip->bytes > (uint64_t)(l->end - l->p) ||
        (l->next_places != NULL &&
         skip->positions_bytes > (uint64_t)(l->places_end - l->next_places)))
        return damaged(l, "a skip entry makes no sense", st);
    return GS_OK;
}

/* The block, or the tail, is read. */
static gs_code settle(gs_posting_list *l, gs_status *st)
{
    l->last_doc = l->docs[l->count - 1];
    l->has_doc = true;
    l->left -= l->count;
    return l->last_doc < l->skips.document_count ? GS_OK
                                                 : damaged(l, "a docID is not there", st);
}

/* The least docID that is possible now. */
static uint64_t least_doc(const gs_posting_list *l)
{
    return l->has_doc ? l->last_doc + 1 : 0;
}

static gs_code read_packed(gs_posting_list *l, gs_status *st)
{
    const gs_posting_skip *const skip = &l->skip;
    const uint8_t *p = l->p, *const end = p + skip->bytes;
    GS_TRY(check_postings(l, end, st));
    if (!gs_block_get_docs(&p, end, least_doc(l), skip->last_doc, l->docs))
        return damaged(l, "a block does not end where its skip entry says", st);
    if (!gs_numbers_shape(&l->packed_tfs, &p, end, GS_INDEX_BLOCK) || p != end)
        return damaged(l, "a block has an impossible length", st);
    l->has_tfs = false;
    l->p = end;
    l->count = GS_INDEX_BLOCK;
    l->has_skip = true;
    if (l->next_places != NULL) {
        l->places = l->next_places;
        l->next_places += skip->positions_bytes;
        l->placed.p = NULL;
    }
    return settle(l, st);
}

static bool read_tail_postings(gs_posting_list *l)
{
    const gs_tail_frame frame = {.count = l->count,
                                 .first = least_doc(l),
                                 .below = l->skips.doc_bound,
                                 .has_more = l->df < GS_INDEX_BLOCK,
                                 .more = l->cf - l->df};
    if (l->df > 1)
        return gs_tail_get(l->p, l->end, &frame, l->docs, l->tfs);
    l->docs[0] = l->only_doc;
    l->tfs[0] = l->cf;
    return l->p == l->end && l->cf <= UINT32_MAX;
}

static gs_code read_tail(gs_posting_list *l, gs_status *st)
{
    l->count = (size_t)l->left;
    l->has_skip = false;
    l->has_tfs = true;
    GS_TRY(check_postings(l, l->end, st));
    if (!read_tail_postings(l) || l->skips.p != l->skips.end)
        return damaged(l, "a posting list does not end where it should", st);
    l->p = l->end;
    for (size_t i = l->count; i < GS_INDEX_BLOCK; i++)
        l->docs[i] = GS_NO_DOC;
    if (l->next_places != NULL) {
        l->places = l->next_places;
        l->next_places = l->places_end;
        l->placed.p = NULL;
    }
    return settle(l, st);
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

#ifdef __x86_64__

/* Frequencies of 32 bits, each less one; the compiler makes vectors of it. */
__attribute__((target("avx2"))) static void widen_tfs_avx2(const uint32_t *less_one,
                                                           uint64_t *tfs)
{
    for (size_t i = 0; i < GS_INDEX_BLOCK; i++)
        tfs[i] = (uint64_t)less_one[i] + 1;
}

#endif

/* Reads frequencies that GS_PACK_AVX2, if that is the best way, reads to 32 bits each:
 * none can be too large then. False: there are none, or one is out of place. */
static bool read_narrow_tfs(gs_posting_list *l)
{
#ifdef __x86_64__
    uint32_t less_one[GS_NUMBERS_MAX];
    if (gs_pack_best_way() != GS_PACK_AVX2 || !gs_numbers_are_narrow(&l->packed_tfs) ||
        !gs_numbers_read_narrow(&l->packed_tfs, less_one))
        return false;
    widen_tfs_avx2(less_one, l->tfs);
    l->has_tfs = true;
#endif
    return l->has_tfs;
}

gs_code gs_posting_list_block(gs_posting_list *l, gs_status *st)
{
    GS_TRY(read_from(l, 0, st));
    if (l->count == 0 || l->has_tfs || read_narrow_tfs(l))
        return GS_OK;
    if (!gs_numbers_read(&l->packed_tfs, GS_INDEX_BLOCK, l->tfs))
        return damaged(l, "a frequency is out of place", st);
    for (size_t i = 0; i < GS_INDEX_BLOCK; i++) {
        if (++l->tfs[i] > UINT32_MAX)
            return damaged(l, "a frequency is too large", st);
    }
    l->has_tfs = true;
    return GS_OK;
}

/* What is no frequency is none of what a checksum was right of: then any will do. */
void gs_posting_list_unpack(gs_posting_list *l)
{
    if (read_narrow_tfs(l))
        return;
    (void)gs_numbers_read(&l->packed_tfs, GS_INDEX_BLOCK, l->tfs);
    for (size_t i = 0; i < GS_INDEX_BLOCK; i++)
        l->tfs[i] = (l->tfs[i] & UINT32_MAX) + 1;
    l->has_tfs = true;
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

/* --- all documents ------------------------------------------------------------------ */

/* What says of a block where it ends says what its last document is, too. */
static gs_code mark_packed(gs_posting_list *l, uint64_t *bits, gs_status *st)
{
    const uint8_t *p = l->p, *const end = p + l->skip.bytes;
    GS_TRY(check_postings(l, end, st));
    if (l->skip.last_doc >= l->skips.document_count)
        return damaged(l, "a docID is not there", st);
    if (!gs_block_mark_docs(&p, end, least_doc(l), l->skip.last_doc, bits))
        return damaged(l, "a block does not end where its skip entry says", st);
    l->p = end;
    l->last_doc = l->skip.last_doc;
    l->has_doc = true;
    l->left -= GS_INDEX_BLOCK;
    l->blocks_read++;
    return GS_OK;
}

gs_code gs_posting_list_mark(gs_posting_list *l, uint64_t *bits, gs_status *st)
{
    while (l->left >= GS_INDEX_BLOCK) {
        GS_TRY(read_skip(l, st));
        GS_TRY(mark_packed(l, bits, st));
    }
    if (l->left == 0)
        return GS_OK;
    GS_TRY(read_tail(l, st));
    l->blocks_read++;
    for (size_t i = 0; i < l->count; i++)
        bits[l->docs[i] / 64] |= UINT64_C(1) << l->docs[i] % 64;
    return GS_OK;
}

/* --- several documents -------------------------------------------------------------- */

#ifdef __x86_64__

enum { LANES = 8, STEP = GS_INDEX_BLOCK / LANES };

/* Every sixteenth document tells in which sixteen a place is; eight are compared at a
 * time. */
__attribute__((target("avx512f,popcnt"))) static void
places_avx512(const gs_posting_list *l, const uint64_t *docs, size_t count,
              uint8_t *places)
{
    const __m512i every =
        _mm512_setr_epi64(STEP - 1, 2 * STEP - 1, 3 * STEP - 1, 4 * STEP - 1,
                          5 * STEP - 1, 6 * STEP - 1, 7 * STEP - 1, 8 * STEP - 1);
    const __m512i lasts = _mm512_i64gather_epi64(every, l->docs, sizeof *l->docs);
    for (size_t i = 0; i < count; i++) {
        const __m512i doc = _mm512_set1_epi64((long long)docs[i]);
        const unsigned step =
            (unsigned)__builtin_popcount(_mm512_cmplt_epu64_mask(lasts, doc));
        const uint64_t *const from = l->docs + STEP * step;
        const __mmask8 low = _mm512_cmplt_epu64_mask(_mm512_loadu_si512(from), doc);
        const __mmask8 high =
            _mm512_cmplt_epu64_mask(_mm512_loadu_si512(from + LANES), doc);
        places[i] = (uint8_t)(STEP * step + (unsigned)__builtin_popcount(
                                                (unsigned)low | (unsigned)high << LANES));
    }
}

__attribute__((target("avx512f,avx512bw,avx512vl"))) static uint64_t
found_avx512(const gs_posting_list *l, const uint64_t *docs, size_t count,
             const uint8_t *places)
{
    uint64_t found = 0;
    for (size_t i = 0; i < count; i += LANES) {
        const size_t left = count - i;
        const __mmask8 there = (__mmask8)(left < LANES ? (1U << left) - 1 : 0xffU);
        const __m512i at = _mm512_cvtepu8_epi64(_mm_maskz_loadu_epi8(there, places + i));
        const __m512i held = _mm512_mask_i64gather_epi64(_mm512_setzero_si512(), there,
                                                         at, l->docs, sizeof *l->docs);
        const __mmask8 same = _mm512_mask_cmpeq_epu64_mask(
            there, held, _mm512_maskz_loadu_epi64(there, docs + i));
        found |= (uint64_t)same << i;
    }
    return found;
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512vl");
}

#endif

void gs_posting_list_places(gs_posting_list *l, const uint64_t *docs, size_t count,
                            uint8_t *places)
{
    gs_dassert(count > 0 && gs_posting_list_holds(l, docs[count - 1]));
#ifdef __x86_64__
    if (has_avx512())
        places_avx512(l, docs, count, places);
    else
#endif
        for (size_t i = 0; i < count; i++)
            places[i] = (uint8_t)gs_posting_list_place(l, docs[i]);
    l->at = places[count - 1];
    l->doc = l->docs[l->at];
}

uint64_t gs_posting_list_found(const gs_posting_list *l, const uint64_t *docs,
                               size_t count, const uint8_t *places)
{
    uint64_t found = 0;
    gs_assert(count <= GS_FOUND_MAX);
#ifdef __x86_64__
    if (has_avx512())
        return found_avx512(l, docs, count, places);
#endif
    for (size_t i = 0; i < count; i++)
        found |= (uint64_t)(l->docs[places[i]] == docs[i]) << i;
    return found;
}

/* --- positions ---------------------------------------------------------------------- */

static __attribute__((noinline)) gs_code damaged_places(const gs_posting_list *l,
                                                        const char *what, gs_status *st)
{
    return gs_index_damaged(l->index, GS_INDEX_POSITIONS, what, st);
}

/* The first of the block that are asked for. */
static gs_code begin_places(gs_posting_list *l, gs_status *st)
{
    gs_posting_places *const places = &l->placed;
    if (l->places == NULL)
        return damaged_places(l, "positions are missing", st);
    GS_TRY(gs_index_compare_pages(l->index, GS_INDEX_POSITIONS, l->places, l->next_places,
                                  st));
    places->all = 0;
    for (size_t i = 0; i < l->count; i++)
        places->all += gs_posting_list_tf(l, i);
    /* So many of them have a byte at least. */
    if (places->all / GS_NUMBERS_MAX > (uint64_t)(l->next_places - l->places))
        return damaged_places(l, "positions are missing", st);
    places->p = l->places;
    places->passed = places->before = 0;
    places->at = places->held = 0;
    return GS_OK;
}

/* Goes on to where number `at` is held. */
static gs_code hold_number(gs_posting_list *l, uint64_t at, gs_status *st)
{
    gs_posting_places *const places = &l->placed;
    while (places->passed <= at) {
        const uint64_t left = places->all - places->passed;
        const size_t n = left < GS_NUMBERS_MAX ? (size_t)left : GS_NUMBERS_MAX;
        const bool is_wanted = at - places->passed < n;
        places->held = is_wanted ? n : 0;
        if (!(is_wanted ? gs_numbers_get(&places->p, l->next_places, n, places->numbers)
                        : gs_numbers_pass(&places->p, l->next_places, n)))
            return damaged_places(l, "positions end early", st);
        places->passed += n;
    }
    return GS_OK;
}

static gs_code read_positions(gs_posting_list *l, uint64_t tf, gs_status *st)
{
    gs_posting_places *const places = &l->placed;
    uint64_t next = 0; /* a number of 0 means this position */
    for (uint64_t k = 0; k < tf;) {
        const uint64_t at = places->before + k;
        if (at >= places->passed)
            GS_TRY(hold_number(l, at, st));
        const uint64_t *const from =
            places->numbers + places->held - (size_t)(places->passed - at);
        const uint64_t held = places->passed - at, n = held < tf - k ? held : tf - k;
        for (uint64_t i = 0; i < n; i++, k++) {
            const uint64_t position = next + from[i];
            if (position > UINT32_MAX)
                return damaged_places(l, "a position is too large", st);
            l->positions[k] = (uint32_t)position;
            next = position + 1;
        }
    }
    return GS_OK;
}

gs_code gs_posting_list_positions(gs_posting_list *l, size_t i, gs_status *st)
{
    gs_posting_places *const places = &l->placed;
    if (places->p == NULL)
        GS_TRY(begin_places(l, st));
    gs_assert(places->at <= i + 1);
    if (places->at == i + 1)
        return GS_OK; /* they are there */
    for (; places->at < i; places->at++)
        places->before += l->tfs[places->at];
    const uint64_t tf = l->tfs[i];
    GS_TRY(
        gs_mem_grow(&l->positions, &l->position_capacity, (size_t)tf, "positions", st));
    GS_TRY(read_positions(l, tf, st));
    l->position_count = (size_t)tf;
    places->before += tf;
    places->at = i + 1;
    return GS_OK;
}

gs_code gs_posting_list_end_places(const gs_posting_list *l, gs_status *st)
{
    return l->placed.p == l->next_places
               ? GS_OK
               : damaged_places(l, "a block has too many positions", st);
}
