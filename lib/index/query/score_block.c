/* SPDX-License-Identifier: MIT */
#include "lib/index/query/score_block.h"

#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "lib/base/assertion.h"

/* As many as a line of a cache has. The compiler makes of them what there is. */
typedef double numbers __attribute__((vector_size(64), aligned(8)));
enum { LANES = sizeof(numbers) / sizeof(double) };

static inline uint32_t length_of(const gs_score_rule *rule, uint64_t doc)
{
    return rule->lengths == NULL ? 1 : rule->lengths[doc];
}

/* From posting `from` on. */
static void score_each(const gs_score_rule *rule, const uint64_t *docs,
                       const uint64_t *tfs, size_t from, size_t count, gs_scores *out)
{
    for (size_t i = from; i < count; i++) {
        const uint32_t n = length_of(rule, docs[i]);
        out->parts[i] = gs_bm25_score(&rule->scoring->bm25, rule->weight, tfs[i], n);
        out->classes[i] = gs_length_class(rule->first_class, n);
    }
}

static void score_plain(const gs_score_rule *rule, const uint64_t *docs,
                        const uint64_t *tfs, size_t count, gs_scores *out)
{
    const gs_bm25 *const m = &rule->scoring->bm25;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        numbers tf, length;
        for (size_t k = 0; k < LANES; k++) {
            const uint32_t n = length_of(rule, docs[i + k]);
            tf[k] = (double)tfs[i + k];
            length[k] = (double)n;
            out->classes[i + k] = gs_length_class(rule->first_class, n);
        }
        *(numbers *)(void *)(out->parts + i) =
            rule->weight * tf / (tf + (m->constant + m->per_length * length));
    }
    score_each(rule, docs, tfs, i, count, out);
}

/* Impacts, which the compiler makes vectors of. */
static void score_impacts(const gs_score_rule *rule, const uint64_t *docs,
                          const uint64_t *tfs, size_t count, gs_scores *out)
{
    for (size_t i = 0; i < count; i++)
        out->parts[i] = rule->weight * (double)tfs[i];
    for (size_t i = 0; i < count; i++)
        out->classes[i] = gs_length_class(rule->first_class, length_of(rule, docs[i]));
}

/* Which come is hardly foreseen, so that no branch depends on it. */
static size_t pick_plain(const gs_scores *scores, size_t count, const double *least,
                         uint8_t *which)
{
    size_t picked = 0;
    for (size_t i = 0; i < count; i++) {
        which[picked] = (uint8_t)i;
        picked += scores->parts[i] > least[scores->classes[i]];
    }
    return picked;
}

#ifdef __x86_64__

#define FOR_AVX2 __attribute__((target("avx2")))
enum { QUAD = 4, GROUP = 32 };

/* Numbers below 2^52, to which 2^52 is added by a bit, and taken off again. */
FOR_AVX2 static inline __m256d doubles_of(__m256i integers)
{
    const __m256d high = _mm256_set1_pd(0x1p52);
    return _mm256_sub_pd(
        _mm256_castsi256_pd(_mm256_or_si256(integers, _mm256_castpd_si256(high))), high);
}

FOR_AVX2 static inline __m256i lengths_of(const gs_score_rule *rule, const uint64_t *docs)
{
    return _mm256_set_epi64x(length_of(rule, docs[3]), length_of(rule, docs[2]),
                             length_of(rule, docs[1]), length_of(rule, docs[0]));
}

/* Four classes, a byte each. */
FOR_AVX2 static inline int classes_of(__m256d lengths, __m128i first)
{
    const __m128i last = _mm_set1_epi32(GS_LENGTH_CLASSES - 1);
    const __m128i half_octaves =
        _mm_srai_epi32(_mm_castps_si128(_mm256_cvtpd_ps(lengths)), GS_LENGTH_CLASS_SHIFT);
    const __m128i classes = _mm_min_epi32(
        last, _mm_max_epi32(_mm_setzero_si128(), _mm_sub_epi32(half_octaves, first)));
    const __m128i pairs = _mm_packs_epi32(classes, classes);
    return _mm_cvtsi128_si32(_mm_packus_epi16(pairs, pairs));
}

FOR_AVX2 static void score_avx2(const gs_score_rule *rule, const uint64_t *docs,
                                const uint64_t *tfs, size_t count, gs_scores *out)
{
    const __m256d weight = _mm256_set1_pd(rule->weight);
    const __m256d constant = _mm256_set1_pd(rule->scoring->bm25.constant);
    const __m256d per_length = _mm256_set1_pd(rule->scoring->bm25.per_length);
    const __m128i first = _mm_set1_epi32(rule->first_class);
    size_t i = 0;
    for (; i + QUAD <= count; i += QUAD) {
        const __m256d tf =
            doubles_of(_mm256_loadu_si256((const __m256i *)(const void *)(tfs + i)));
        const __m256d length = doubles_of(lengths_of(rule, docs + i));
        const __m256d norm = _mm256_add_pd(constant, _mm256_mul_pd(per_length, length));
        const int classes = classes_of(length, first);
        _mm256_storeu_pd(out->parts + i, _mm256_div_pd(_mm256_mul_pd(weight, tf),
                                                       _mm256_add_pd(tf, norm)));
        memcpy(out->classes + i, &classes, QUAD);
    }
    score_each(rule, docs, tfs, i, count, out);
}

/* Most postings have less than what is enough in any class: four are compared with that
 * at a time, and the classes of few looked at. */
FOR_AVX2 static size_t pick_avx2(const gs_scores *scores, size_t count,
                                 const double *least, uint8_t *which)
{
    double enough = least[0];
    for (unsigned i = 1; i < GS_LENGTH_CLASSES; i++)
        enough = least[i] < enough ? least[i] : enough;
    const __m256d least_of_all = _mm256_set1_pd(enough);
    size_t picked = 0;
    for (size_t from = 0; from < count; from += GROUP) {
        uint64_t promising = 0;
        for (unsigned i = 0; i < GROUP; i += QUAD) {
            const __m256d parts = _mm256_loadu_pd(scores->parts + from + i);
            const int above =
                _mm256_movemask_pd(_mm256_cmp_pd(parts, least_of_all, _CMP_GT_OQ));
            promising |= (uint64_t)(unsigned)above << i;
        }
        if (count - from < GROUP)
            promising &= (UINT64_C(1) << (count - from)) - 1;
        for (; promising != 0; promising &= promising - 1) {
            const size_t i = from + (size_t)__builtin_ctzll(promising);
            which[picked] = (uint8_t)i;
            picked += scores->parts[i] > least[scores->classes[i]];
        }
    }
    return picked;
}

#define FOR_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,popcnt")))

/* What is left of a row, a bit a lane. */
FOR_AVX512 static inline __mmask8 lanes_left(size_t left)
{
    return (__mmask8)(left < LANES ? (1U << left) - 1 : 0xffU);
}

FOR_AVX512 static void score_avx512(const gs_score_rule *rule, const uint64_t *docs,
                                    const uint64_t *tfs, size_t count, gs_scores *out)
{
    const __m512d weight = _mm512_set1_pd(rule->weight);
    const __m512d constant = _mm512_set1_pd(rule->scoring->bm25.constant);
    const __m512d per_length = _mm512_set1_pd(rule->scoring->bm25.per_length);
    const __m256i first = _mm256_set1_epi32(rule->first_class);
    const __m256i last = _mm256_set1_epi32(GS_LENGTH_CLASSES - 1);
    for (size_t i = 0; i < count; i += LANES) {
        const __mmask8 there = lanes_left(count - i);
        const __m512d tf = _mm512_cvtepu64_pd(_mm512_maskz_loadu_epi64(there, tfs + i));
        __m256i lengths = _mm256_set1_epi32(1);
        if (rule->lengths != NULL)
            lengths = _mm512_mask_i64gather_epi32(
                lengths, there, _mm512_maskz_loadu_epi64(there, docs + i), rule->lengths,
                sizeof *rule->lengths);
        const __m512d norm = _mm512_add_pd(
            constant, _mm512_mul_pd(per_length, _mm512_cvtepu32_pd(lengths)));
        _mm512_mask_storeu_pd(
            out->parts + i, there,
            _mm512_div_pd(_mm512_mul_pd(weight, tf), _mm512_add_pd(tf, norm)));
        const __m256i half_octaves = _mm256_srai_epi32(
            _mm256_castps_si256(_mm256_cvtepu32_ps(lengths)), GS_LENGTH_CLASS_SHIFT);
        const __m256i classes = _mm256_min_epi32(
            last, _mm256_max_epi32(_mm256_setzero_si256(),
                                   _mm256_sub_epi32(half_octaves, first)));
        _mm256_mask_cvtepi32_storeu_epi8(out->classes + i, there, classes);
    }
}

FOR_AVX512 static size_t pick_avx512(const gs_scores *scores, size_t count,
                                     const double *least, uint8_t *which)
{
    const __m512d low = _mm512_loadu_pd(least), high = _mm512_loadu_pd(least + LANES);
    const __m512i lanes = _mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7);
    size_t picked = 0;
    for (size_t i = 0; i < count; i += LANES) {
        uint64_t eight;
        memcpy(&eight, scores->classes + i, sizeof eight);
        const __m512i classes = _mm512_cvtepu8_epi64(_mm_cvtsi64_si128((long long)eight));
        const __mmask8 is_in = _mm512_mask_cmp_pd_mask(
            lanes_left(count - i), _mm512_loadu_pd(scores->parts + i),
            _mm512_permutex2var_pd(low, classes, high), _CMP_GT_OQ);
        const __m512i places = _mm512_add_epi64(lanes, _mm512_set1_epi64((long long)i));
        const size_t more = (size_t)__builtin_popcount(is_in);
        _mm512_mask_cvtepi64_storeu_epi8(which + picked, lanes_left(more),
                                         _mm512_maskz_compress_epi64(is_in, places));
        picked += more;
    }
    return picked;
}

#endif

gs_score_way gs_score_best_way(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
        return GS_SCORE_AVX512;
    if (__builtin_cpu_supports("avx2"))
        return GS_SCORE_AVX2;
#endif
    return GS_SCORE_PLAIN;
}

void gs_score_block(gs_score_way way, const gs_score_rule *rule, const uint64_t *docs,
                    const uint64_t *tfs, size_t count, gs_scores *out)
{
    gs_assert(count <= GS_SCORES_MAX);
    switch (rule->scoring->kind) {
    case GS_SCORING_IMPACTS: score_impacts(rule, docs, tfs, count, out); return;
    case GS_SCORING_BM25: break;
    }
#ifdef __x86_64__
    if (way == GS_SCORE_AVX512) {
        score_avx512(rule, docs, tfs, count, out);
        return;
    }
    if (way == GS_SCORE_AVX2) {
        score_avx2(rule, docs, tfs, count, out);
        return;
    }
#endif
    gs_assert(way == GS_SCORE_PLAIN);
    score_plain(rule, docs, tfs, count, out);
}

size_t gs_score_pick(gs_score_way way, const gs_scores *scores, size_t count,
                     const gs_length_bounds *more, double threshold, uint8_t *which)
{
    double least[GS_LENGTH_CLASSES];
    gs_assert(count <= GS_SCORES_MAX);
    for (unsigned i = 0; i < GS_LENGTH_CLASSES; i++)
        least[i] = threshold * (1 - GS_BM25_SLACK) - (double)more->most[i];
#ifdef __x86_64__
    if (way == GS_SCORE_AVX512)
        return pick_avx512(scores, count, least, which);
    if (way == GS_SCORE_AVX2)
        return pick_avx2(scores, count, least, which);
#endif
    gs_assert(way < GS_SCORE_AVX512);
    return pick_plain(scores, count, least, which);
}
