/* SPDX-License-Identifier: MIT */
/*
 * byte_find: the first of two bytes.
 */
#ifndef GS_LIB_INDEX_TEXT_BYTE_FIND_H
#define GS_LIB_INDEX_TEXT_BYTE_FIND_H

#include <stddef.h>
#include <stdint.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* Where `a` or `b` first stands, or `end`. */
static inline const uint8_t *gs_find_either(const uint8_t *p, const uint8_t *end,
                                            uint8_t a, uint8_t b)
{
#ifdef __SSE2__
    const __m128i all_a = _mm_set1_epi8((char)a), all_b = _mm_set1_epi8((char)b);
    for (; end - p >= 16; p += 16) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
        const __m128i is =
            _mm_or_si128(_mm_cmpeq_epi8(bytes, all_a), _mm_cmpeq_epi8(bytes, all_b));
        const unsigned mask = (unsigned)_mm_movemask_epi8(is);
        if (mask != 0)
            return p + __builtin_ctz(mask);
    }
#endif
    while (p < end && *p != a && *p != b)
        p++;
    return p;
}

#endif
