/* SPDX-License-Identifier: MIT */
/*
 * ascii_scan: what 64 bytes of text are, and words of them in lower case.
 */
#ifndef GS_LIB_INDEX_TEXT_ASCII_SCAN_H
#define GS_LIB_INDEX_TEXT_ASCII_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/base/ascii_word.h"

#ifdef __SSE2__
#include <emmintrin.h>
#endif

/* A bit for each byte, the lowest for the first. */
typedef struct gs_ascii_masks {
    uint64_t word; /* an ASCII letter or digit */
    uint64_t high; /* not ASCII */
} gs_ascii_masks;

#ifdef __SSE2__
static inline __m128i gs_ascii_load(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

/* All ones where first <= byte <= first + span. */
static inline __m128i gs_ascii_in_range(__m128i bytes, char first, char span)
{
    const __m128i from_first = _mm_sub_epi8(bytes, _mm_set1_epi8(first));
    return _mm_cmpeq_epi8(_mm_min_epu8(from_first, _mm_set1_epi8(span)), from_first);
}
#endif

/* All 64 bytes must be readable. */
static inline gs_ascii_masks gs_ascii_classify(const uint8_t *p)
{
    gs_ascii_masks masks = {0, 0};
#ifdef __SSE2__
    for (unsigned i = 0; i < 64; i += 16) {
        const __m128i bytes = gs_ascii_load(p + i);
        const __m128i lower = _mm_or_si128(bytes, _mm_set1_epi8(0x20));
        const __m128i word = _mm_or_si128(gs_ascii_in_range(lower, 'a', 25),
                                          gs_ascii_in_range(bytes, '0', 9));
        masks.word |= (uint64_t)(uint32_t)_mm_movemask_epi8(word) << i;
        masks.high |= (uint64_t)(uint32_t)_mm_movemask_epi8(bytes) << i;
    }
#else
    for (unsigned i = 0; i < 64; i++) {
        masks.word |= (uint64_t)gs_ascii_is_word(p[i]) << i;
        masks.high |= (uint64_t)(p[i] >> 7) << i;
    }
#endif
    return masks;
}

/* Copies a word, in lower case if `folds`, and pads it with zeros to a multiple of 16
 * bytes. Reads up to 15 bytes beyond it. */
static inline void gs_ascii_copy_word(uint8_t *to, const uint8_t *word, size_t bytes,
                                      bool folds)
{
#ifdef __SSE2__
    static const uint8_t keep[32] = {
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    };
    const __m128i case_bit = _mm_set1_epi8(folds ? 0x20 : 0);
    for (;;) {
        __m128i text = gs_ascii_load(word);
        const __m128i is_upper = gs_ascii_in_range(text, 'A', 25);
        text = _mm_or_si128(text, _mm_and_si128(is_upper, case_bit));
        if (bytes <= 16) {
            text = _mm_and_si128(text, gs_ascii_load(keep + 16 - bytes));
            _mm_storeu_si128((__m128i *)(void *)to, text);
            return;
        }
        _mm_storeu_si128((__m128i *)(void *)to, text);
        word += 16;
        to += 16;
        bytes -= 16;
    }
#else
    const size_t padded = (bytes + 15) / 16 * 16;
    for (size_t i = 0; i < bytes; i++)
        to[i] = folds ? gs_ascii_fold(word[i]) : word[i];
    memset(to + bytes, 0, padded - bytes);
#endif
}

#endif
