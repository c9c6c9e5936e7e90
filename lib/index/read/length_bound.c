/* SPDX-License-Identifier: MIT */
#include "lib/index/read/length_bound.h"

#include <float.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { BELOW_AVERAGE = 8 }; /* classes */

/* A frequency of that code or of any above it. */
#define TF_MAX 4294967296.0F
/* Where nothing is added to a frequency, a score is the weight, as it is here. */
#define INVERSE_MAX 1e20F

/* The least length in the class; 0 in the first one. */
static double first_length(const gs_length_scale *s, int32_t in)
{
    const int32_t bits = (int32_t)((uint32_t)(s->first + in) << GS_LENGTH_CLASS_SHIFT);
    float x;
    memcpy(&x, &bits, sizeof x);
    return in == 0 ? 0 : (double)x;
}

static float inverse_of(const gs_bm25 *m, double length)
{
    const double x = m->constant + m->per_length * length;
    return x > 1 / (double)INVERSE_MAX ? (float)(1 / x) : INVERSE_MAX;
}

void gs_length_scale_make(gs_length_scale *s, const gs_scoring *scoring, double average)
{
    const gs_bm25 *const model = &scoring->bm25;
    const float x = average < 1 ? 1.0F : (float)average;
    float of_class[GS_LENGTH_CLASSES];
    memcpy(&s->first, &x, sizeof s->first);
    s->first = (s->first >> GS_LENGTH_CLASS_SHIFT) - BELOW_AVERAGE;
    s->kind = scoring->kind;
    for (unsigned code = 0; code < GS_IMPACT_CODES; code++)
        s->frequency[code] =
            code == UINT8_MAX ? TF_MAX : (float)gs_code_number((uint8_t)code);
    switch (s->kind) {
    case GS_SCORING_IMPACTS: return; /* nothing is added to them */
    case GS_SCORING_BM25: break;
    }
    for (int32_t i = 0; i < GS_LENGTH_CLASSES; i++)
        of_class[i] = inverse_of(model, first_length(s, i));
    for (unsigned code = 0; code < GS_IMPACT_CODES; code++) {
        const uint32_t length = gs_code_number((uint8_t)code);
        const unsigned own = gs_length_class(s->first, length);
        const float most = inverse_of(model, (double)length);
        for (unsigned i = 0; i < GS_LENGTH_CLASSES; i++) {
            const float least = of_class[i] < most ? of_class[i] : most;
            s->inverse[code].most[i] = i < own ? 0 : least;
        }
    }
}

/* A bound is made with four roundings and a sum of n with n more. */
float gs_length_bound_weight(double weight, size_t terms)
{
    return (float)(weight * (1 + (double)FLT_EPSILON * (8 + (double)terms)));
}

#ifdef __x86_64__

#define FOR_AVX2   __attribute__((target("avx2")))
#define FOR_AVX512 __attribute__((target("avx512f")))

_Static_assert((int)GS_LENGTH_CLASSES == 16, "a register has them all, or two do");
enum { HALF = GS_LENGTH_CLASSES / 2 };

static inline bool has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}

FOR_AVX2 static inline __m256 part_avx2(__m256 weight, __m256 best)
{
    const __m256 sum = _mm256_add_ps(best, _mm256_set1_ps(1));
    return _mm256_mul_ps(weight, _mm256_div_ps(best, sum));
}

FOR_AVX2 static void bounds_of_avx2(gs_length_bounds *out, const gs_length_scale *s,
                                    float weight, const uint8_t *impacts, unsigned count)
{
    __m256 low = _mm256_setzero_ps(), high = low;
    for (unsigned k = 0; k < count; k++) {
        const gs_impact impact = gs_impact_at(impacts, k);
        const float *const inverse = s->inverse[impact.length].most;
        const __m256 tf = _mm256_set1_ps(s->frequency[impact.tf]);
        low = _mm256_max_ps(low, _mm256_mul_ps(tf, _mm256_loadu_ps(inverse)));
        high = _mm256_max_ps(high, _mm256_mul_ps(tf, _mm256_loadu_ps(inverse + HALF)));
    }
    const __m256 all = _mm256_set1_ps(weight);
    _mm256_storeu_ps(out->most, part_avx2(all, low));
    _mm256_storeu_ps(out->most + HALF, part_avx2(all, high));
}

FOR_AVX2 static bool exceed_avx2(const gs_length_bounds *b, float limit)
{
    const __m256 least = _mm256_set1_ps(limit);
    const __m256 low = _mm256_cmp_ps(_mm256_loadu_ps(b->most), least, _CMP_GT_OQ);
    const __m256 high = _mm256_cmp_ps(_mm256_loadu_ps(b->most + HALF), least, _CMP_GT_OQ);
    return _mm256_movemask_ps(_mm256_or_ps(low, high)) != 0;
}

FOR_AVX2 static float most_avx2(const gs_length_bounds *b)
{
    const __m256 eight =
        _mm256_max_ps(_mm256_loadu_ps(b->most), _mm256_loadu_ps(b->most + HALF));
    __m128 most =
        _mm_max_ps(_mm256_castps256_ps128(eight), _mm256_extractf128_ps(eight, 1));
    most = _mm_max_ps(most, _mm_movehl_ps(most, most));
    most = _mm_max_ss(most, _mm_movehdup_ps(most));
    return _mm_cvtss_f32(_mm_max_ss(most, _mm_setzero_ps()));
}

static inline bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f");
}

FOR_AVX512 static void bounds_of_avx512(gs_length_bounds *out, const gs_length_scale *s,
                                        float weight, const uint8_t *impacts,
                                        unsigned count)
{
    __m512 best = _mm512_setzero_ps();
    for (unsigned k = 0; k < count; k++) {
        const gs_impact impact = gs_impact_at(impacts, k);
        const __m512 inverse = _mm512_loadu_ps(s->inverse[impact.length].most);
        best = _mm512_max_ps(
            best, _mm512_mul_ps(_mm512_set1_ps(s->frequency[impact.tf]), inverse));
    }
    const __m512 part = _mm512_div_ps(best, _mm512_add_ps(best, _mm512_set1_ps(1)));
    _mm512_storeu_ps(out->most, _mm512_mul_ps(_mm512_set1_ps(weight), part));
}

FOR_AVX512 static bool exceed_avx512(const gs_length_bounds *b, float limit)
{
    return _mm512_cmp_ps_mask(_mm512_loadu_ps(b->most), _mm512_set1_ps(limit),
                              _CMP_GT_OQ) != 0;
}

FOR_AVX512 static float most_avx512(const gs_length_bounds *b)
{
    return _mm512_reduce_max_ps(_mm512_loadu_ps(b->most));
}

#endif

/* Of impacts the highest. */
static void bounds_of_impacts(gs_length_bounds *out, const gs_length_scale *s,
                              float weight, const uint8_t *impacts, unsigned count)
{
    float most = 0;
    for (unsigned k = 0; k < count; k++) {
        const float impact = s->frequency[gs_impact_at(impacts, k).tf];
        most = impact > most ? impact : most;
    }
    gs_length_bounds_set(out, weight * most);
}

void gs_length_bounds_of(gs_length_bounds *out, const gs_length_scale *s, float weight,
                         const uint8_t *impacts, unsigned count)
{
    switch (s->kind) {
    case GS_SCORING_IMPACTS: bounds_of_impacts(out, s, weight, impacts, count); return;
    case GS_SCORING_BM25: break;
    }
#ifdef __x86_64__
    if (has_avx512()) {
        bounds_of_avx512(out, s, weight, impacts, count);
        return;
    }
    if (has_avx2()) {
        bounds_of_avx2(out, s, weight, impacts, count);
        return;
    }
#endif
    gs_length_bounds_plain(out, s, weight, impacts, count);
}

void gs_length_bounds_plain(gs_length_bounds *out, const gs_length_scale *s, float weight,
                            const uint8_t *impacts, unsigned count)
{
    gs_length_bounds best = {{0}};
    for (unsigned k = 0; k < count; k++) {
        const gs_impact impact = gs_impact_at(impacts, k);
        const float tf = s->frequency[impact.tf];
        const float *const inverse = s->inverse[impact.length].most;
        for (unsigned i = 0; i < GS_LENGTH_CLASSES; i++) {
            const float x = tf * inverse[i];
            best.most[i] = best.most[i] > x ? best.most[i] : x;
        }
    }
    /* tf / (tf + y) is x / (x + 1) of x = tf / y, which grows with x. */
    for (unsigned i = 0; i < GS_LENGTH_CLASSES; i++)
        out->most[i] = weight * (best.most[i] / (best.most[i] + 1));
}

void gs_length_bounds_set(gs_length_bounds *out, float most)
{
    for (unsigned i = 0; i < GS_LENGTH_CLASSES; i++)
        out->most[i] = most;
}

void gs_length_bounds_join(gs_length_bounds *to, const gs_length_bounds *more)
{
    for (unsigned i = 0; i < GS_LENGTH_CLASSES; i++)
        to->most[i] = to->most[i] > more->most[i] ? to->most[i] : more->most[i];
}

void gs_length_bounds_add(gs_length_bounds *sum, const gs_length_bounds *a,
                          const gs_length_bounds *b)
{
    for (unsigned i = 0; i < GS_LENGTH_CLASSES; i++)
        sum->most[i] = a->most[i] + b->most[i];
}

bool gs_length_bounds_exceed(const gs_length_bounds *b, float limit)
{
#ifdef __x86_64__
    if (has_avx512())
        return exceed_avx512(b, limit);
    if (has_avx2())
        return exceed_avx2(b, limit);
#endif
    int any = 0;
    for (unsigned i = 0; i < GS_LENGTH_CLASSES; i++)
        any |= b->most[i] > limit;
    return any != 0;
}

float gs_length_bounds_most(const gs_length_bounds *b)
{
#ifdef __x86_64__
    if (has_avx512())
        return most_avx512(b);
    if (has_avx2())
        return most_avx2(b);
#endif
    float most = 0;
    for (unsigned i = 0; i < GS_LENGTH_CLASSES; i++)
        most = b->most[i] > most ? b->most[i] : most;
    return most;
}
