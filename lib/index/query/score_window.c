/* SPDX-License-Identifier: MIT */
#include "lib/index/query/score_window.h"

#include <float.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "lib/base/assertion.h"

/* So little is added at least: what is there is not 0. */
#define PART_MIN 1e-30F

void gs_score_window_add(gs_score_window *w, gs_score_log *log, const uint64_t *docs,
                         const gs_scores *scores, size_t count)
{
    gs_assert(log->count + count <= GS_WINDOW_DOCS);
    memcpy(log->parts + log->count, scores->parts, count * sizeof *log->parts);
    for (size_t i = 0; i < count; i++) {
        const size_t place = (size_t)(docs[i] - w->base);
        const float part = (float)scores->parts[i];
        w->sums[place] += part > PART_MIN ? part : PART_MIN;
        w->classes[place] = scores->classes[i];
        const size_t row = place / GS_WINDOW_ROW;
        w->rows[row / 64] |= UINT64_C(1) << row % 64;
        log->places[log->count] = (uint16_t)place;
        log->entries[place] = (uint16_t)log->count++;
    }
}

/* Picks of a row. */
static size_t pick_plain(const gs_score_window *w, size_t from, const float *least,
                         uint16_t *which, float *sums)
{
    size_t picked = 0;
    for (size_t i = from; i < from + GS_WINDOW_ROW; i++) {
        which[picked] = (uint16_t)i;
        sums[picked] = w->sums[i];
        picked += w->sums[i] > least[w->classes[i]];
    }
    return picked;
}

#ifdef __x86_64__

/* Which of eight, a bit each, exceed what their classes have to, `low` of the first eight
 * and `high` of the others. */
__attribute__((target("avx2"))) static inline unsigned
exceed_avx2(const float *sums, const uint8_t *classes, __m256 low, __m256 high)
{
    const __m256i of =
        _mm256_cvtepu8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)classes));
    const __m256 is_high = _mm256_castsi256_ps(_mm256_slli_epi32(of, 28)); /* its sign */
    const __m256 least = _mm256_blendv_ps(_mm256_permutevar8x32_ps(low, of),
                                          _mm256_permutevar8x32_ps(high, of), is_high);
    return (unsigned)_mm256_movemask_ps(
        _mm256_cmp_ps(_mm256_loadu_ps(sums), least, _CMP_GT_OQ));
}

__attribute__((target("avx2"))) static size_t pick_avx2(const gs_score_window *w,
                                                        size_t from, const float *least,
                                                        uint16_t *which, float *sums)
{
    enum { EIGHT = GS_WINDOW_ROW / 2 };
    const __m256 low = _mm256_loadu_ps(least), high = _mm256_loadu_ps(least + EIGHT);
    unsigned found =
        exceed_avx2(w->sums + from, w->classes + from, low, high) |
        exceed_avx2(w->sums + from + EIGHT, w->classes + from + EIGHT, low, high)
            << EIGHT;
    size_t picked = 0;
    for (; found != 0; found &= found - 1) {
        const size_t i = from + (size_t)__builtin_ctz(found);
        which[picked] = (uint16_t)i;
        sums[picked++] = w->sums[i];
    }
    return picked;
}

__attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,popcnt"))) static size_t
pick_avx512(const gs_score_window *w, size_t from, const float *least, uint16_t *which,
            float *sums)
{
    const __m512i places = _mm512_add_epi32(
        _mm512_set1_epi32((int)from),
        _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
    const __m512 sum = _mm512_loadu_ps(w->sums + from);
    const __m512i classes = _mm512_cvtepu8_epi32(
        _mm_loadu_si128((const __m128i *)(const void *)(w->classes + from)));
    const __mmask16 is_in = _mm512_cmp_ps_mask(
        sum, _mm512_permutexvar_ps(classes, _mm512_loadu_ps(least)), _CMP_GT_OQ);
    const __m256i found =
        _mm512_cvtepi32_epi16(_mm512_maskz_compress_epi32(is_in, places));
    _mm256_storeu_si256((__m256i *)(void *)which, found);
    _mm512_storeu_ps(sums, _mm512_maskz_compress_ps(is_in, sum));
    return (size_t)__builtin_popcount(is_in);
}

#endif

static size_t pick_row(gs_score_way way, const gs_score_window *w, size_t from,
                       const float *least, uint16_t *which, float *sums)
{
#ifdef __x86_64__
    if (way == GS_SCORE_AVX512)
        return pick_avx512(w, from, least, which, sums);
    if (way == GS_SCORE_AVX2)
        return pick_avx2(w, from, least, which, sums);
#endif
    gs_assert(way < GS_SCORE_AVX512);
    return pick_plain(w, from, least, which, sums);
}

size_t gs_score_window_pick(gs_score_way way, gs_score_window *w, size_t terms,
                            const double *least, uint16_t *which, float *sums)
{
    /* A sum of n parts is rounded n times, each part once, and this once more. */
    const double slack = (double)FLT_EPSILON * (2 + (double)terms);
    float needed[GS_LENGTH_CLASSES];
    size_t picked = 0;
    for (unsigned i = 0; i < GS_LENGTH_CLASSES; i++)
        needed[i] = least[i] > 0 ? (float)(least[i] * (1 - slack)) : 0;
    for (size_t word = 0; word < GS_WINDOW_ROW_WORDS; word++) {
        for (uint64_t bits = w->rows[word]; bits != 0; bits &= bits - 1) {
            const size_t row = 64 * word + (size_t)__builtin_ctzll(bits);
            const size_t from = row * GS_WINDOW_ROW;
            picked += pick_row(way, w, from, needed, which + picked, sums + picked);
            memset(w->sums + from, 0, GS_WINDOW_ROW * sizeof *w->sums);
        }
        w->rows[word] = 0;
    }
    for (size_t i = 0; i < picked; i++)
        sums[i] *= (float)(1 + slack);
    return picked;
}
