/* SPDX-License-Identifier: MIT */
#include "lib/index/query/score_block.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "lib/base/assertion.h"

/* As many as a line of a cache has. The compiler makes of them what there is. */
typedef double numbers __attribute__((vector_size(64), aligned(8)));
enum { LANES = sizeof(numbers) / sizeof(double) };

static inline double length_of(const gs_score_rule *rule, uint64_t doc)
{
    return rule->lengths == NULL ? 1.0 : (double)rule->lengths[doc];
}

static void score_plain(const gs_score_rule *rule, const uint64_t *docs,
                        const uint64_t *tfs, size_t count, double *scores)
{
    const gs_bm25 *const m = rule->model;
    size_t i = 0;
    for (; i + LANES <= count; i += LANES) {
        numbers tf, length;
        for (size_t k = 0; k < LANES; k++) {
            tf[k] = (double)tfs[i + k];
            length[k] = length_of(rule, docs[i + k]);
        }
        *(numbers *)(void *)(scores + i) =
            rule->weight * tf / (tf + (m->constant + m->per_length * length));
    }
    for (; i < count; i++) {
        const double tf = (double)tfs[i];
        scores[i] = rule->weight * tf /
                    (tf + (m->constant + m->per_length * length_of(rule, docs[i])));
    }
}

#ifdef __x86_64__

#define FOR_AVX512 __attribute__((target("avx512f,avx512dq,avx512vl")))

FOR_AVX512 static void score_avx512(const gs_score_rule *rule, const uint64_t *docs,
                                    const uint64_t *tfs, size_t count, double *scores)
{
    const __m512d weight = _mm512_set1_pd(rule->weight);
    const __m512d constant = _mm512_set1_pd(rule->model->constant);
    const __m512d per_length = _mm512_set1_pd(rule->model->per_length);
    for (size_t i = 0; i < count; i += LANES) {
        const size_t left = count - i;
        const __mmask8 there = (__mmask8)(left < LANES ? (1U << left) - 1 : 0xffU);
        const __m512d tf = _mm512_cvtepu64_pd(_mm512_maskz_loadu_epi64(there, tfs + i));
        __m256i lengths = _mm256_set1_epi32(1);
        if (rule->lengths != NULL)
            lengths = _mm512_mask_i64gather_epi32(
                lengths, there, _mm512_maskz_loadu_epi64(there, docs + i), rule->lengths,
                sizeof *rule->lengths);
        const __m512d norm = _mm512_add_pd(
            constant, _mm512_mul_pd(per_length, _mm512_cvtepu32_pd(lengths)));
        _mm512_mask_storeu_pd(
            scores + i, there,
            _mm512_div_pd(_mm512_mul_pd(weight, tf), _mm512_add_pd(tf, norm)));
    }
}

#endif

gs_score_way gs_score_best_way(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return GS_SCORE_AVX512;
#endif
    return GS_SCORE_PLAIN;
}

void gs_score_block(gs_score_way way, const gs_score_rule *rule, const uint64_t *docs,
                    const uint64_t *tfs, size_t count, double *scores)
{
#ifdef __x86_64__
    if (way == GS_SCORE_AVX512) {
        score_avx512(rule, docs, tfs, count, scores);
        return;
    }
#endif
    gs_assert(way == GS_SCORE_PLAIN);
    score_plain(rule, docs, tfs, count, scores);
}

/* Which come is hardly foreseen, so that no branch depends on it. */
size_t gs_score_pick(const double *scores, size_t count, double more, double threshold,
                     uint8_t *which)
{
    size_t picked = 0;
    gs_assert(count <= UINT8_MAX + 1);
    for (size_t i = 0; i < count; i++) {
        which[picked] = (uint8_t)i;
        picked += (scores[i] + more) * (1 + GS_BM25_SLACK) > threshold;
    }
    return picked;
}
