/* SPDX-License-Identifier: MIT */
#include "lib/index/query/rank_batch.h"

#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "lib/base/mem.h"
#include "lib/index/query/rank.h"

/* Of a block: to unpack all its frequencies is cheaper than one by one. */
enum { MANY_HITS = 12 };

/* Postings of documents of the batch. */
typedef struct hits {
    size_t count;
    uint8_t at[GS_RANK_BATCH]; /* places of the batch */
    uint64_t docs[GS_RANK_BATCH], tfs[GS_RANK_BATCH];
} hits;

gs_code gs_rank_batch_open(gs_rank_batch *b, gs_search_plan *plan, gs_top_docs *top,
                           gs_status *st)
{
    GS_TRY(gs_mem_grow(&plan->batch_parts, &plan->batch_parts_capacity,
                       plan->slot_count * GS_RANK_BATCH, "scores", st));
    b->plan = plan;
    b->top = top;
    b->count = 0;
    b->parts = plan->batch_parts;
    return GS_OK;
}

void gs_rank_batch_need(const gs_rank_batch *b, const gs_length_bounds *more,
                        double *least)
{
    const double threshold = gs_top_docs_threshold(b->top) * (1 - GS_BM25_SLACK);
    for (unsigned i = 0; i < GS_LENGTH_CLASSES; i++)
        least[i] = threshold - (double)more->most[i];
}

static inline void keep(gs_rank_batch *b, size_t to, size_t from)
{
    b->docs[to] = b->docs[from];
    b->sums[to] = b->sums[from];
    b->classes[to] = b->classes[from];
    b->ids[to] = b->ids[from];
}

static size_t drop_plain(gs_rank_batch *b, const double *least)
{
    size_t left = 0;
    for (size_t i = 0; i < b->count; i++) {
        const bool is_in = b->sums[i] > least[b->classes[i]];
        keep(b, left, i);
        left += is_in;
    }
    return left;
}

#ifdef __x86_64__

enum { LANES = 8 };

#define FOR_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,popcnt")))

/* Eight bytes, a lane each. */
FOR_AVX512 static inline __m512i bytes_at(const uint8_t *from)
{
    return _mm512_cvtepu8_epi64(_mm_loadl_epi64((const __m128i *)(const void *)from));
}

FOR_AVX512 static inline void put_bytes(uint8_t *to, __m512i lanes)
{
    _mm_storel_epi64((__m128i *)(void *)to, _mm512_cvtepi64_epi8(lanes));
}

/* Eight at a time; what is written behind those that are left has been read. */
FOR_AVX512 static size_t drop_avx512(gs_rank_batch *b, const double *least)
{
    const __m512d low = _mm512_loadu_pd(least), high = _mm512_loadu_pd(least + LANES);
    size_t left = 0;
    for (size_t i = 0; i < b->count; i += LANES) {
        const size_t more = b->count - i;
        const __m512d sums = _mm512_loadu_pd(b->sums + i);
        const __m512i classes = bytes_at(b->classes + i), ids = bytes_at(b->ids + i);
        const __mmask8 in = _mm512_mask_cmp_pd_mask(
            (__mmask8)(more < LANES ? (1U << more) - 1 : 0xffU), sums,
            _mm512_permutex2var_pd(low, classes, high), _CMP_GT_OQ);
        const __m512i docs = _mm512_loadu_si512(b->docs + i);
        _mm512_storeu_pd(b->sums + left, _mm512_maskz_compress_pd(in, sums));
        _mm512_storeu_si512(b->docs + left, _mm512_maskz_compress_epi64(in, docs));
        put_bytes(b->classes + left, _mm512_maskz_compress_epi64(in, classes));
        put_bytes(b->ids + left, _mm512_maskz_compress_epi64(in, ids));
        left += (size_t)__builtin_popcount(in);
    }
    return left;
}

#endif

/* Drops documents that are hopeless by what is known of the whole window. */
static void drop_hopeless(gs_rank_batch *b, const gs_search_slot *slot,
                          const gs_length_bounds *rest)
{
    gs_length_bounds more;
    double least[GS_LENGTH_CLASSES];
    gs_length_bounds_add(&more, rest, &slot->window);
    gs_rank_batch_need(b, &more, least);
#ifdef __x86_64__
    if (b->plan->score_way == GS_SCORE_AVX512) {
        b->count = drop_avx512(b, least);
        return;
    }
#endif
    b->count = drop_plain(b, least);
}

/* Goes to the block that the document is in, or would be. False: it is hopeless by what
 * that block could add, which is left unread. */
static gs_code go_to(const gs_rank_batch *b, gs_search_slot *slot, size_t at,
                     const double *least, bool *out, gs_status *st)
{
    gs_posting_list *const reader = &b->plan->readers[slot->reader];
    const gs_length_bounds *most;
    const unsigned of = b->classes[at];
    *out = true;
    if (gs_posting_list_holds(reader, b->docs[at]))
        return GS_OK;
    GS_TRY(gs_search_plan_probe(b->plan, slot, b->docs[at], &most, st));
    *out = most == NULL || b->sums[at] + (double)most->most[of] > least[of];
    return *out ? gs_posting_list_seek(reader, b->docs[at], st) : GS_OK;
}

/* How many documents, from one that the block holds on, it holds. */
static size_t count_held(const gs_rank_batch *b, const gs_posting_list *reader,
                         size_t from)
{
    const uint64_t last = reader->docs[reader->count - 1];
    size_t to = from + 1;
    while (to < b->count && b->docs[to] <= last)
        to++;
    return to - from;
}

/* Documents of the batch from one place on to another one, which is not behind it. */
static void keep_all(gs_rank_batch *b, size_t to, size_t from, size_t count)
{
    if (to == from)
        return;
    memmove(b->docs + to, b->docs + from, count * sizeof *b->docs);
    memmove(b->sums + to, b->sums + from, count * sizeof *b->sums);
    memmove(b->classes + to, b->classes + from, count * sizeof *b->classes);
    memmove(b->ids + to, b->ids + from, count * sizeof *b->ids);
}

/* Looks for documents that the reader's block holds, or would. */
static void find_in_block(gs_rank_batch *b, gs_posting_list *reader, size_t from,
                          size_t count, bool must, size_t *left, hits *h)
{
    uint8_t places[GS_RANK_BATCH];
    const size_t before = h->count;
    gs_posting_list_places(reader, b->docs + from, count, places);
    for (size_t first = 0; first < count; first += GS_FOUND_MAX) {
        const size_t n = count - first < GS_FOUND_MAX ? count - first : GS_FOUND_MAX;
        uint64_t found =
            gs_posting_list_found(reader, b->docs + from + first, n, places + first);
        for (; found != 0; found &= found - 1) {
            const size_t i = first + (size_t)__builtin_ctzll(found);
            const size_t to = must ? *left + h->count - before : *left + i;
            h->at[h->count] = (uint8_t)to;
            h->docs[h->count] = b->docs[from + i];
            h->tfs[h->count++] = places[i];
            if (must)
                keep(b, to, from + i);
        }
    }
    if (!must)
        keep_all(b, *left, from, count);
    *left += must ? h->count - before : count;
    if (h->count == before)
        return;
    if (h->count - before >= MANY_HITS)
        (void)gs_posting_list_tfs(reader);
    for (size_t i = before; i < h->count; i++)
        h->tfs[i] = gs_posting_list_one_tf(reader, (size_t)h->tfs[i]);
}

static gs_code find(gs_rank_batch *b, gs_search_slot *slot, const gs_length_bounds *rest,
                    bool must, hits *h, gs_status *st)
{
    gs_posting_list *const reader = &b->plan->readers[slot->reader];
    double least[GS_LENGTH_CLASSES];
    size_t left = 0, held;
    h->count = 0;
    gs_rank_batch_need(b, rest, least);
    for (size_t i = 0; i < b->count; i += held) {
        bool is_wanted;
        held = 1;
        GS_TRY(go_to(b, slot, i, least, &is_wanted, st));
        if (!is_wanted)
            continue;
        if (gs_posting_list_holds(reader, b->docs[i])) {
            held = count_held(b, reader, i);
            find_in_block(b, reader, i, held, must, &left, h);
        } else if (!must) {
            keep(b, left++, i);
        }
    }
    b->count = left;
    return GS_OK;
}

gs_code gs_rank_batch_look_up(gs_rank_batch *b, size_t slot, const gs_length_bounds *rest,
                              bool must, gs_status *st)
{
    gs_search_slot *const s = &b->plan->slots[slot];
    hits h;
    gs_scores scores;
    drop_hopeless(b, s, rest);
    if (b->count == 0)
        return GS_OK;
    GS_TRY(find(b, s, rest, must, &h, st));
    gs_search_plan_score(b->plan, s, h.docs, h.tfs, h.count, &scores);
    for (size_t i = 0; !must && i < b->count; i++)
        *gs_rank_batch_part(b, slot, i) = 0;
    for (size_t i = 0; i < h.count; i++) {
        b->sums[h.at[i]] += scores.parts[i];
        *gs_rank_batch_part(b, slot, h.at[i]) = scores.parts[i];
    }
    return GS_OK;
}

gs_code gs_rank_batch_take(gs_rank_batch *b, size_t at, gs_status *st)
{
    double score = 0;
    for (size_t slot = 0; slot < b->plan->slot_count; slot++)
        score += *gs_rank_batch_part(b, slot, at);
    return gs_top_docs_add(b->top, b->docs[at], score, st);
}

gs_code gs_rank_batch_finish(gs_rank_batch *b, gs_status *st)
{
    for (size_t i = 0; i < b->count; i++) {
        if (!gs_rank_is_hopeless(b->top, b->sums[i]))
            GS_TRY(gs_rank_batch_take(b, i, st));
    }
    return GS_OK;
}
