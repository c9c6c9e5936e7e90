/* SPDX-License-Identifier: MIT */
#include "lib/sort/record/line_ends.h"

#include "lib/base/assertion.h"
#include "lib/sort/record/line_scan.h"

static size_t ends_by_mask(const uint8_t *text, size_t bytes, uint8_t eol, uint32_t *ends,
                           size_t most)
{
    size_t count = 0;
    gs_line_iter it = gs_line_iter_begin(text, bytes, eol);
    while (count <= most && gs_line_iter_load(&it)) {
        while (gs_line_iter_next(&it))
            ends[count++] = (uint32_t)it.end;
    }
    return count;
}

/* Tests of what other machines do define GS_LINE_ENDS_PLAIN. */
#if defined(__x86_64__) && !defined(GS_LINE_ENDS_PLAIN)
#include <immintrin.h>

#define BY_COMPRESS __attribute__((target("avx512f,avx512bw,avx512vbmi2,bmi2,popcnt")))

static int can_compress(void)
{
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vbmi2") &&
           __builtin_cpu_supports("bmi2") && __builtin_cpu_supports("popcnt");
}

BY_COMPRESS static inline void store_ends(uint32_t *to, __m128i places, size_t at)
{
    _mm512_storeu_si512(
        to, _mm512_add_epi32(_mm512_cvtepu8_epi32(places), _mm512_set1_epi32((int)at)));
}

/* The places of ends are moved together, with no branch on how many there are but whether
 * they are more than 16. */
BY_COMPRESS static size_t ends_by_compress(const uint8_t *text, size_t bytes, uint8_t eol,
                                           uint32_t *ends, size_t most)
{
    uint8_t numbers[64];
    size_t count = 0;
    for (uint8_t i = 0; i < sizeof numbers; i++)
        numbers[i] = i;
    const __m512i each = _mm512_loadu_si512(numbers), want = _mm512_set1_epi8((char)eol);
    for (size_t at = 0; at < bytes && count <= most; at += 64) {
        const size_t left = bytes - at;
        const uint64_t inside = _bzhi_u64(UINT64_MAX, left < 64 ? (unsigned)left : 64);
        const __m512i some = _mm512_maskz_loadu_epi8(inside, text + at);
        const uint64_t mask = _mm512_mask_cmpeq_epi8_mask(inside, some, want);
        const size_t found = (size_t)_mm_popcnt_u64(mask);
        const __m512i places = _mm512_maskz_compress_epi8(mask, each);
        uint32_t *const to = ends + count;
        store_ends(to, _mm512_castsi512_si128(places), at);
        if (__builtin_expect(found > 16, 0)) {
            store_ends(to + 16, _mm512_extracti32x4_epi32(places, 1), at);
            store_ends(to + 32, _mm512_extracti32x4_epi32(places, 2), at);
            store_ends(to + 48, _mm512_extracti32x4_epi32(places, 3), at);
        }
        count += found;
    }
    return count;
}
#else
#define can_compress()   0
#define ends_by_compress ends_by_mask
#endif

size_t gs_line_ends(const uint8_t *text, size_t bytes, uint8_t eol, uint32_t *ends,
                    size_t room)
{
    gs_assert(bytes <= UINT32_MAX && room >= GS_LINE_ENDS_LEAST);
    const size_t most = room - GS_LINE_ENDS_LEAST; /* before 64 bytes are looked at */
    return can_compress() ? ends_by_compress(text, bytes, eol, ends, most)
                          : ends_by_mask(text, bytes, eol, ends, most);
}
