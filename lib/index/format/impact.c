/* SPDX-License-Identifier: MIT */
#include "lib/index/format/impact.h"

#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "lib/base/assertion.h"

static void of_plain(gs_impacts *out, const uint64_t *tfs_less_one,
                     const uint8_t *lengths, size_t count)
{
    gs_impact_maker maker;
    gs_impact_maker_begin(&maker);
    for (size_t i = 0; i < count; i++)
        gs_impact_maker_take(&maker, tfs_less_one[i], lengths[i]);
    gs_impact_maker_end(&maker);
    *out = maker.impacts;
}

#ifdef __x86_64__

enum { LANES = 8, BYTES = 64 };

#define FOR_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl")))

/* The least of those bytes. */
FOR_AVX512 static unsigned least_of(__m512i bytes, __mmask64 which)
{
    const __m512i all =
        _mm512_mask_blend_epi8(which, _mm512_set1_epi8((char)UINT8_MAX), bytes);
    const __m256i half =
        _mm256_min_epu8(_mm512_castsi512_si256(all), _mm512_extracti64x4_epi64(all, 1));
    __m128i least =
        _mm_min_epu8(_mm256_castsi256_si128(half), _mm256_extracti128_si256(half, 1));
    least = _mm_min_epu8(least, _mm_srli_epi16(least, 8)); /* the high bytes are 0 */
    return (unsigned)_mm_cvtsi128_si32(_mm_minpos_epu16(least)) & UINT8_MAX;
}

/* Frequencies of 64 postings, a byte each: those that are not small are its greatest. */
FOR_AVX512 static __m512i narrow(const uint64_t *tfs_less_one)
{
    uint8_t bytes[BYTES];
    for (size_t i = 0; i < BYTES; i += LANES)
        _mm_storel_epi64((__m128i *)(void *)(bytes + i),
                         _mm512_cvtusepi64_epi8(_mm512_loadu_si512(tfs_less_one + i)));
    return _mm512_loadu_si512(bytes);
}

/* 64 postings of each frequency at a time, as long as any has a shorter document than
 * those of more. */
FOR_AVX512 static void of_avx512(gs_impacts *out, const uint64_t *tfs_less_one,
                                 const uint8_t *lengths)
{
    const __m512i tfs[2] = {narrow(tfs_less_one), narrow(tfs_less_one + BYTES)};
    const __m512i all[2] = {_mm512_loadu_si512(lengths),
                            _mm512_loadu_si512(lengths + BYTES)};
    __mmask64 left[2]; /* shorter than any so far */
    for (unsigned k = 0; k < 2; k++) {
        left[k] = UINT64_MAX;
        const __m512i small = _mm512_set1_epi8(GS_IMPACT_SMALL);
        for (uint64_t large = _mm512_cmpge_epu8_mask(tfs[k], small); large != 0;
             large &= large - 1) {
            const size_t i = BYTES * k + (size_t)__builtin_ctzll(large);
            gs_impacts_add(out,
                           (gs_impact){gs_code_above(tfs_less_one[i] + 1), lengths[i]});
        }
    }
    unsigned least = out->count > 0 ? out->pairs[0].length : UINT8_MAX + 1;
    for (unsigned tf = GS_IMPACT_SMALL; tf-- > 0 && least > 0;) {
        const __m512i same = _mm512_set1_epi8((char)tf);
        for (unsigned k = 0; k < 2 && least <= UINT8_MAX; k++)
            left[k] = _mm512_cmplt_epu8_mask(all[k], _mm512_set1_epi8((char)least));
        const __mmask64 in[2] = {_mm512_mask_cmpeq_epi8_mask(left[0], tfs[0], same),
                                 _mm512_mask_cmpeq_epi8_mask(left[1], tfs[1], same)};
        if ((in[0] | in[1]) == 0)
            continue;
        const unsigned low = least_of(all[0], in[0]), high = least_of(all[1], in[1]);
        least = low < high ? low : high;
        gs_impacts_add_before(out, (gs_impact){(uint8_t)(tf + 1), (uint8_t)least});
    }
}

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
}

#endif

void gs_impacts_of(gs_impacts *out, const uint64_t *tfs_less_one, const uint8_t *lengths,
                   size_t count)
{
    gs_impacts_of_by(GS_PACK_AVX512, out, tfs_less_one, lengths, count);
}

void gs_impacts_of_by(gs_pack_way way, gs_impacts *out, const uint64_t *tfs_less_one,
                      const uint8_t *lengths, size_t count)
{
    out->count = 0;
#ifdef __x86_64__
    if (way == GS_PACK_AVX512 && count == GS_PACK_COUNT && has_avx512()) {
        of_avx512(out, tfs_less_one, lengths);
        return;
    }
#endif
    (void)way;
    of_plain(out, tfs_less_one, lengths, count);
}

void gs_impacts_join(gs_impacts *to, const gs_impacts *more)
{
    for (unsigned i = 0; i < more->count; i++)
        gs_impacts_add(to, more->pairs[i]);
}

bool gs_impacts_cover(const gs_impacts *impacts, uint64_t tf, uint8_t length)
{
    for (unsigned i = 0; i < impacts->count; i++) {
        if (impacts->pairs[i].tf >= gs_code_above(tf) &&
            impacts->pairs[i].length <= length)
            return true;
    }
    return false;
}

uint8_t *gs_impacts_put(uint8_t *to, const gs_impacts *impacts)
{
    for (unsigned i = 0; i < impacts->count; i++) {
        *to++ = impacts->pairs[i].tf;
        *to++ = impacts->pairs[i].length;
    }
    return to;
}
