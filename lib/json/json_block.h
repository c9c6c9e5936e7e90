/* SPDX-License-Identifier: MIT */
/*
 * json_block: 64 bytes of a string at once, in the ways that processors have.
 *
 *     bytes         s a y   \ " y e s \ "   \ \ n " ,
 *     backslashes   0 0 0 0 1 0 0 0 0 1 0 0 1 1 0 0 0      a bit for each byte, the
 *     escaped       0 0 0 0 0 1 0 0 0 0 1 0 0 1 0 0 0      lowest for the first
 *
 * Included by json_string alone, which has a loop for each way: what is here becomes a
 * part of it.
 */
#ifndef GS_LIB_JSON_JSON_BLOCK_H
#define GS_LIB_JSON_JSON_BLOCK_H

#include <stdint.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

enum { GS_JSON_BLOCK = 64 };

/* What the bytes of a block are. */
typedef struct gs_json_masks {
    uint64_t quotes, backslashes, controls, high;
} gs_json_masks;

/* The bytes behind a backslash that is not itself behind one: in a row of backslashes
 * every other byte, counted from its first, and the one behind a row of an odd length.
 * *carry: is the first byte one, and then that of the next block? */
static inline uint64_t gs_json_escaped(uint64_t backslashes, uint64_t *carry)
{
    const uint64_t odd = UINT64_C(0xaaaaaaaaaaaaaaaa);
    backslashes &= ~*carry;
    const uint64_t behind = backslashes << 1 | *carry;
    const uint64_t odd_starts = backslashes & odd & ~behind;
    uint64_t rows_from_even;
    *carry = __builtin_add_overflow(odd_starts, backslashes, &rows_from_even);
    return (~odd ^ rows_from_even << 1) & behind;
}

#ifdef __x86_64__

static inline gs_json_masks gs_json_masks_plain(const uint8_t *p)
{
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
    const __m128i last_control = _mm_set1_epi8(0x1f);
    gs_json_masks m = {0, 0, 0, 0};
    for (unsigned i = 0; i < GS_JSON_BLOCK; i += 16) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        const __m128i is_control = _mm_cmpeq_epi8(_mm_min_epu8(x, last_control), x);
        m.quotes |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, quote)) << i;
        m.backslashes |=
            (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, backslash)) << i;
        m.controls |= (uint64_t)(unsigned)_mm_movemask_epi8(is_control) << i;
        m.high |= (uint64_t)(unsigned)_mm_movemask_epi8(x) << i;
    }
    return m;
}

/* The bytes that make a short escape behind a backslash. */
static inline uint64_t gs_json_short_escapes_plain(const uint8_t *p)
{
    static const char letters[] = {'"', '\\', '/', 'b', 'f', 'n', 'r', 't'};
    uint64_t found = 0;
    for (unsigned i = 0; i < GS_JSON_BLOCK; i += 16) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i is = _mm_setzero_si128();
        for (unsigned k = 0; k < sizeof letters; k++)
            is = _mm_or_si128(is, _mm_cmpeq_epi8(x, _mm_set1_epi8(letters[k])));
        found |= (uint64_t)(unsigned)_mm_movemask_epi8(is) << i;
    }
    return found;
}

/* --- AVX2 -------------------------------------------------------------------------- */

#define GS_JSON_FOR_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))

GS_JSON_FOR_AVX2 static inline uint64_t gs_json_bits_avx2(__m256i first, __m256i second)
{
    return (uint64_t)(unsigned)_mm256_movemask_epi8(first) |
           (uint64_t)(unsigned)_mm256_movemask_epi8(second) << 32;
}

GS_JSON_FOR_AVX2 static inline gs_json_masks gs_json_masks_avx2(const uint8_t *p)
{
    const __m256i quote = _mm256_set1_epi8('"'), backslash = _mm256_set1_epi8('\\');
    const __m256i last_control = _mm256_set1_epi8(0x1f);
    const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)p);
    const __m256i y = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
    return (gs_json_masks){
        gs_json_bits_avx2(_mm256_cmpeq_epi8(x, quote), _mm256_cmpeq_epi8(y, quote)),
        gs_json_bits_avx2(_mm256_cmpeq_epi8(x, backslash),
                          _mm256_cmpeq_epi8(y, backslash)),
        gs_json_bits_avx2(_mm256_cmpeq_epi8(_mm256_min_epu8(x, last_control), x),
                          _mm256_cmpeq_epi8(_mm256_min_epu8(y, last_control), y)),
        gs_json_bits_avx2(x, y)};
}

/* What both halves of a byte say of it: a letter of an escape has a bit in both. */
GS_JSON_FOR_AVX2 static inline __m256i gs_json_letters_avx2(__m256i x)
{
    enum { TWO = 1, FIVE = 2, SIX = 4, SEVEN = 8 }; /* upper halves of letters */
    const __m256i by_lower = _mm256_broadcastsi128_si256(_mm_setr_epi8(
        0, 0, TWO | SIX | SEVEN, 0, SEVEN, 0, SIX, 0, 0, 0, 0, 0, FIVE, 0, SIX, TWO));
    const __m256i by_upper = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 0, TWO, 0, 0, FIVE, SIX, SEVEN, 0, 0, 0, 0, 0, 0, 0, 0));
    const __m256i upper =
        _mm256_and_si256(_mm256_srli_epi16(x, 4), _mm256_set1_epi8(0x0f));
    return _mm256_and_si256(_mm256_shuffle_epi8(by_lower, x),
                            _mm256_shuffle_epi8(by_upper, upper));
}

GS_JSON_FOR_AVX2 static inline uint64_t gs_json_short_escapes_avx2(const uint8_t *p)
{
    const __m256i none = _mm256_setzero_si256();
    const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)p);
    const __m256i y = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
    return ~gs_json_bits_avx2(_mm256_cmpeq_epi8(gs_json_letters_avx2(x), none),
                              _mm256_cmpeq_epi8(gs_json_letters_avx2(y), none));
}

/* A byte of ones for each bit. */
GS_JSON_FOR_AVX2 static inline __m256i gs_json_bytes_avx2(uint32_t bits)
{
    const __m256i each = _mm256_set1_epi64x((long long)UINT64_C(0x8040201008040201));
    const __m256i which =
        _mm256_setr_epi64x(0, 0x0101010101010101, 0x0202020202020202, 0x0303030303030303);
    const __m256i spread = _mm256_shuffle_epi8(_mm256_set1_epi32((int)bits), which);
    return _mm256_cmpeq_epi8(_mm256_and_si256(spread, each), each);
}

/* The same bytes; where `escaped` has a bit, what the letter of a short escape stands
 * for. */
GS_JSON_FOR_AVX2 static inline __m256i gs_json_meanings_avx2(__m256i x, uint32_t escaped)
{
    const __m256i of_60 = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 0, '\b', 0, 0, 0, '\f', 0, 0, 0, 0, 0, 0, 0, '\n', 0));
    const __m256i of_70 = _mm256_broadcastsi128_si256(
        _mm_setr_epi8(0, 0, '\r', 0, '\t', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    const __m256i meanings =
        _mm256_blendv_epi8(_mm256_shuffle_epi8(of_60, x), _mm256_shuffle_epi8(of_70, x),
                           _mm256_cmpgt_epi8(x, _mm256_set1_epi8(0x6f)));
    const __m256i is_changed = _mm256_and_si256(
        gs_json_bytes_avx2(escaped), _mm256_cmpgt_epi8(x, _mm256_set1_epi8(0x5f)));
    return _mm256_blendv_epi8(x, meanings, is_changed);
}

/* Writes those of eight bytes that have a bit in `kept`, and what there is behind them;
 * returns their end. */
GS_JSON_FOR_AVX2 static inline uint8_t *
gs_json_keep_eight(uint8_t *to, uint64_t bytes, uint64_t is_kept, uint32_t kept)
{
    const uint64_t out = _pext_u64(bytes, is_kept);
    memcpy(to, &out, sizeof out);
    return to + __builtin_popcount(kept & 0xff);
}

/* The same of 32 bytes. */
GS_JSON_FOR_AVX2 static inline uint8_t *gs_json_keep_avx2(uint8_t *to, __m256i x,
                                                          uint32_t kept)
{
    const __m256i is_kept = gs_json_bytes_avx2(kept);
    to = gs_json_keep_eight(to, (uint64_t)_mm256_extract_epi64(x, 0),
                            (uint64_t)_mm256_extract_epi64(is_kept, 0), kept);
    to = gs_json_keep_eight(to, (uint64_t)_mm256_extract_epi64(x, 1),
                            (uint64_t)_mm256_extract_epi64(is_kept, 1), kept >> 8);
    to = gs_json_keep_eight(to, (uint64_t)_mm256_extract_epi64(x, 2),
                            (uint64_t)_mm256_extract_epi64(is_kept, 2), kept >> 16);
    return gs_json_keep_eight(to, (uint64_t)_mm256_extract_epi64(x, 3),
                              (uint64_t)_mm256_extract_epi64(is_kept, 3), kept >> 24);
}

/* --- AVX-512 ----------------------------------------------------------------------- */

#define GS_JSON_FOR_AVX512                                                               \
    __attribute__((target("avx512f,avx512bw,avx512vbmi,avx512vbmi2,bmi,bmi2,popcnt")))

GS_JSON_FOR_AVX512 static inline gs_json_masks gs_json_masks_avx512(const uint8_t *p)
{
    const __m512i x = _mm512_loadu_si512(p);
    return (gs_json_masks){_mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8('"')),
                           _mm512_cmpeq_epi8_mask(x, _mm512_set1_epi8('\\')),
                           _mm512_cmplt_epu8_mask(x, _mm512_set1_epi8(0x20)),
                           _mm512_movepi8_mask(x)};
}

GS_JSON_FOR_AVX512 static inline uint64_t gs_json_short_escapes_avx512(const uint8_t *p)
{
    /* Of bytes 0x20 to 0x5f and 0x60 to 0x7f, by their low six bits. */
    static const uint64_t below_60 = UINT64_C(1) << ('"' & 63) |
                                     UINT64_C(1) << ('/' & 63) |
                                     UINT64_C(1) << ('\\' & 63);
    static const uint64_t from_60 =
        UINT64_C(1) << ('b' & 63) | UINT64_C(1) << ('f' & 63) |
        UINT64_C(1) << ('n' & 63) | UINT64_C(1) << ('r' & 63) | UINT64_C(1) << ('t' & 63);
    const __m512i x = _mm512_loadu_si512(p), ones = _mm512_set1_epi8(-1);
    const __mmask64 is_low = _mm512_cmplt_epu8_mask(x, _mm512_set1_epi8(0x60));
    const __mmask64 is_letter = _mm512_cmplt_epu8_mask(x, _mm512_set1_epi8('u'));
    const __m512i low = _mm512_permutexvar_epi8(x, _mm512_maskz_mov_epi8(below_60, ones));
    const __m512i high = _mm512_permutexvar_epi8(x, _mm512_maskz_mov_epi8(from_60, ones));
    const uint64_t controls = _mm512_cmplt_epu8_mask(x, _mm512_set1_epi8(0x20));
    return ((_mm512_movepi8_mask(low) & is_low) |
            (_mm512_movepi8_mask(high) & ~is_low & is_letter)) &
           ~controls;
}

/* The same bytes; where `escaped` has a bit, what the letter of a short escape stands
 * for. */
GS_JSON_FOR_AVX512 static inline __m512i gs_json_meanings_avx512(__m512i x,
                                                                 uint64_t escaped)
{
    const __m512i of_60 = _mm512_broadcast_i32x4(
        _mm_setr_epi8(0, 0, '\b', 0, 0, 0, '\f', 0, 0, 0, 0, 0, 0, 0, '\n', 0));
    const __m512i of_70 = _mm512_broadcast_i32x4(
        _mm_setr_epi8(0, 0, '\r', 0, '\t', 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0));
    const __mmask64 is_changed =
        escaped & _mm512_cmpgt_epi8_mask(x, _mm512_set1_epi8(0x5f));
    const __mmask64 is_of_70 = _mm512_cmpgt_epi8_mask(x, _mm512_set1_epi8(0x6f));
    const __m512i y = _mm512_mask_shuffle_epi8(x, is_changed & ~is_of_70, of_60, x);
    return _mm512_mask_shuffle_epi8(y, is_changed & is_of_70, of_70, x);
}

#endif
#endif
