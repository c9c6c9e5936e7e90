/* SPDX-License-Identifier: MIT */
/*
 * line_scan: find end-of-line bytes 64 at a time.
 *
 * gs_line_mask gives a bit for each of the 64 bytes at `p` that equals `eol`, the lowest
 * bit for the first. All 64 bytes must be readable. gs_line_iter cuts a text into lines
 * by such masks. gs_same_mask gives a bit for each that equals the one at `q`.
 */
#ifndef GS_LIB_SORT_RECORD_LINE_SCAN_H
#define GS_LIB_SORT_RECORD_LINE_SCAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#ifdef __SSE2__

static inline uint64_t gs_join_masks(__m128i a, __m128i b, __m128i c, __m128i d)
{
    const uint64_t low =
        (uint32_t)_mm_movemask_epi8(a) | (uint64_t)(uint32_t)_mm_movemask_epi8(b) << 16;
    const uint64_t high =
        (uint32_t)_mm_movemask_epi8(c) | (uint64_t)(uint32_t)_mm_movemask_epi8(d) << 16;
    return low | high << 32;
}

static inline __m128i gs_load_16(const uint8_t *p)
{
    return _mm_loadu_si128((const __m128i *)(const void *)p);
}

static inline uint64_t gs_line_mask(const uint8_t *p, uint8_t eol)
{
    const __m128i want = _mm_set1_epi8((char)eol);
    return gs_join_masks(_mm_cmpeq_epi8(gs_load_16(p), want),
                         _mm_cmpeq_epi8(gs_load_16(p + 16), want),
                         _mm_cmpeq_epi8(gs_load_16(p + 32), want),
                         _mm_cmpeq_epi8(gs_load_16(p + 48), want));
}

static inline uint64_t gs_same_mask(const uint8_t *p, const uint8_t *q)
{
    return gs_join_masks(_mm_cmpeq_epi8(gs_load_16(p), gs_load_16(q)),
                         _mm_cmpeq_epi8(gs_load_16(p + 16), gs_load_16(q + 16)),
                         _mm_cmpeq_epi8(gs_load_16(p + 32), gs_load_16(q + 32)),
                         _mm_cmpeq_epi8(gs_load_16(p + 48), gs_load_16(q + 48)));
}

#else

static inline uint64_t gs_little_word(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* A bit for each byte that is zero. */
static inline uint64_t gs_zero_mask(uint64_t word)
{
    const uint64_t high = UINT64_C(0x8080808080808080);
    /* The high bit of every byte that is zero, exactly. */
    const uint64_t zero = ~(((word & ~high) + ~high) | word) & high;
    return (zero >> 7) * UINT64_C(0x0102040810204080) >> 56;
}

static inline uint64_t gs_line_mask(const uint8_t *p, uint8_t eol)
{
    const uint64_t eols = UINT64_C(0x0101010101010101) * eol;
    uint64_t mask = 0;
    for (unsigned i = 0; i < 8; i++)
        mask |= gs_zero_mask(gs_little_word(p + 8 * i) ^ eols) << (8 * i);
    return mask;
}

static inline uint64_t gs_same_mask(const uint8_t *p, const uint8_t *q)
{
    uint64_t mask = 0;
    for (unsigned i = 0; i < 8; i++)
        mask |= gs_zero_mask(gs_little_word(p + 8 * i) ^ gs_little_word(q + 8 * i))
                << (8 * i);
    return mask;
}

#endif

/* The same of fewer than 64 bytes, of which no more are read than 15 bytes beyond: no
 * line of the cache is fetched in vain. */
static inline uint64_t gs_short_mask(const uint8_t *p, size_t bytes, uint8_t c)
{
    const uint64_t inside = (UINT64_C(1) << bytes) - 1;
#ifdef __SSE2__
    const size_t last = (bytes - (bytes > 0)) / 16 * 16;
    const __m128i want = _mm_set1_epi8((char)c);
    const __m128i a = gs_load_16(p), b = gs_load_16(p + (16 < last ? 16 : last)),
                  d = gs_load_16(p + (32 < last ? 32 : last)), e = gs_load_16(p + last);
    return gs_join_masks(_mm_cmpeq_epi8(a, want), _mm_cmpeq_epi8(b, want),
                         _mm_cmpeq_epi8(d, want), _mm_cmpeq_epi8(e, want)) &
           inside;
#else
    return gs_line_mask(p, c) & inside;
#endif
}

/* The lines of a text that have an end, one after the other, by the masks of 64 bytes at
 * a time; up to 63 bytes behind the text are read.
 *
 *      gs_line_iter it = gs_line_iter_begin(text, bytes, eol);
 *      while (gs_line_iter_load(&it)) {
 *          while (gs_line_iter_next(&it))
 *              ... text[it.begin] to text[it.end], which is the eol
 *          ... once in 64 bytes
 *      }
 *      ... what is left, from text[it.rest] on, has no eol
 */
typedef struct gs_line_iter {
    const uint8_t *text;
    size_t bytes;
    size_t begin, end, rest;
    size_t at, next_at; /* the 64 bytes whose ends are in the mask, and those to come */
    uint64_t mask;      /* of ends that are not taken yet */
    uint8_t eol;
} gs_line_iter;

#define GS_LINE_ITER_INLINE static inline __attribute__((always_inline))

GS_LINE_ITER_INLINE gs_line_iter gs_line_iter_begin(const uint8_t *text, size_t bytes,
                                                    uint8_t eol)
{
    return (gs_line_iter){.text = text, .bytes = bytes, .eol = eol};
}

/* Looks at the next 64 bytes; false if there are none. */
GS_LINE_ITER_INLINE bool gs_line_iter_load(gs_line_iter *it)
{
    it->at = it->next_at;
    if (it->at >= it->bytes)
        return false;
    it->mask = gs_line_mask(it->text + it->at, it->eol);
    if (it->bytes - it->at < 64)
        it->mask &= UINT64_MAX >> (64 - (it->bytes - it->at));
    it->next_at = it->at + 64;
    return true;
}

/* The next line that ends in them; false if there is none. */
GS_LINE_ITER_INLINE bool gs_line_iter_next(gs_line_iter *it)
{
    if (it->mask == 0)
        return false;
    it->begin = it->rest;
    it->end = it->at + (size_t)__builtin_ctzll(it->mask);
    it->rest = it->end + 1;
    it->mask &= it->mask - 1;
    return true;
}

#ifdef __SSE2__
/* Of whole 64 bytes, at most 63 times: a byte of `sums` counts for each 16th place. */
static inline size_t gs_line_count_some(const uint8_t *p, size_t times, uint8_t eol)
{
    const __m128i want = _mm_set1_epi8((char)eol);
    __m128i sums = _mm_setzero_si128();
    for (size_t i = 0; i < 4 * times; i++) {
        const __m128i bytes =
            _mm_loadu_si128((const __m128i *)(const void *)(p + 16 * i));
        sums = _mm_sub_epi8(sums, _mm_cmpeq_epi8(bytes, want));
    }
    const __m128i halves = _mm_sad_epu8(sums, _mm_setzero_si128());
    return (size_t)_mm_cvtsi128_si32(halves) + (size_t)_mm_extract_epi16(halves, 4);
}
#else
static inline size_t gs_line_count_some(const uint8_t *p, size_t times, uint8_t eol)
{
    size_t count = 0;
    for (size_t i = 0; i < times; i++)
        count += (size_t)__builtin_popcountll(gs_line_mask(p + 64 * i, eol));
    return count;
}
#endif

/* Where the first `eol` is, or `bytes`. The C library may look twice at the same place,
 * so of text that somebody writes to meanwhile it may give anything: it is no more than a
 * hint. */
static inline size_t gs_line_find(const uint8_t *p, size_t bytes, uint8_t eol)
{
    const size_t at = (uintptr_t)memchr(p, eol, bytes) - (uintptr_t)p;
    return at < bytes ? at : bytes;
}

/* How many bytes there are up to the last `eol` and with it; 0 if there is none. Of no
 * bytes `p` may be NULL. Not by memrchr: that of glibc 2.39 to 2.41 for AVX-512 finds an
 * earlier one in texts a few bytes longer than a multiple of 4 GiB. */
static inline size_t gs_line_find_last(const uint8_t *p, size_t bytes, uint8_t eol)
{
    size_t left = bytes;
    for (; left >= 64; left -= 64) {
        const uint64_t mask = gs_line_mask(p + left - 64, eol);
        if (mask != 0)
            return left - (size_t)__builtin_clzll(mask);
    }
    while (left > 0 && p[left - 1] != eol)
        left--;
    return left;
}

/* How many bytes at the beginning of a text are the mark that some programs write there
 * (U+FEFF in UTF-8). */
static inline size_t gs_line_mark_bytes(const uint8_t *text, size_t bytes)
{
    return bytes >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
}

/* How many of `bytes` bytes equal `eol`. Reads up to 63 bytes beyond. */
static inline size_t gs_line_count(const uint8_t *p, size_t bytes, uint8_t eol)
{
    size_t count = 0, at = 0;
    while (bytes - at >= 64) {
        const size_t left = (bytes - at) / 64, times = left < 63 ? left : 63;
        count += gs_line_count_some(p + at, times, eol);
        at += 64 * times;
    }
    if (at < bytes) {
        const uint64_t mask =
            gs_line_mask(p + at, eol) & (UINT64_MAX >> (64 - (bytes - at)));
        count += (size_t)__builtin_popcountll(mask);
    }
    return count;
}

#endif
