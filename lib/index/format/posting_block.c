/* SPDX-License-Identifier: MIT */
#include "lib/index/format/posting_block.h"

#include <endian.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "lib/base/block_steps.h"

enum { WORD_BITS = 64, WORD_BYTES = 8 };

/* Bits of all but the last docID. */
static uint64_t bit_bytes(uint64_t first, uint64_t last)
{
    return (last - first + 7) / 8;
}

static uint8_t *put_bits(uint8_t *to, uint64_t first, const uint64_t *docs)
{
    const size_t bytes = (size_t)bit_bytes(first, docs[GS_INDEX_BLOCK - 1]);
    *to++ = GS_STEP_HEAD_IS_BITS;
    memset(to, 0, bytes);
    for (size_t i = 0; i < GS_INDEX_BLOCK - 1; i++) {
        const uint64_t bit = docs[i] - first;
        to[bit / 8] |= (uint8_t)(1U << (bit % 8));
    }
    return to + bytes;
}

uint8_t *gs_block_put(uint8_t *to, uint64_t first, const uint64_t *docs,
                      const uint64_t *numbers, const uint64_t *tfs_less_one)
{
    const uint64_t bits = bit_bytes(first, docs[GS_INDEX_BLOCK - 1]);
    gs_number_plan plan;
    gs_number_plan_make(&plan, numbers, GS_INDEX_BLOCK);
    if (1 + bits < plan.width.bytes)
        to = put_bits(to, first, docs);
    else
        to = gs_numbers_put_planned(to, numbers, GS_INDEX_BLOCK, &plan);
    return gs_numbers_put(to, tfs_less_one, GS_INDEX_BLOCK);
}

#ifdef __x86_64__

/* Sums of eight at a time: those of neighbours, of pairs, of fours. */
__attribute__((target("avx512f"))) static void settle_avx512(uint64_t first,
                                                             uint64_t *docs)
{
    const __m512i zero = _mm512_setzero_si512(), one = _mm512_set1_epi64(1);
    const __m512i last = _mm512_set1_epi64(7);
    __m512i before = _mm512_set1_epi64((long long)(first - 1));
    for (size_t i = 0; i < GS_INDEX_BLOCK; i += 8) {
        __m512i x = _mm512_add_epi64(_mm512_loadu_si512(docs + i), one);
        x = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero, 7));
        x = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero, 6));
        x = _mm512_add_epi64(x, _mm512_alignr_epi64(x, zero, 4));
        const __m512i sum = _mm512_add_epi64(x, before);
        before = _mm512_add_epi64(before, _mm512_permutexvar_epi64(last, x));
        _mm512_storeu_si512(docs + i, sum);
    }
}

/* Sums of eight at a time, likewise. */
__attribute__((target("avx2"))) static void
settle_avx2(uint64_t first, const uint32_t *numbers, uint64_t *docs)
{
    const __m256i one = _mm256_set1_epi32(1), last = _mm256_set1_epi32(7);
    const __m256i least = _mm256_set1_epi64x((long long)(first - 1));
    __m256i before = _mm256_setzero_si256();
    for (size_t i = 0; i < GS_INDEX_BLOCK; i += 8) {
        const __m256i eight =
            _mm256_loadu_si256((const __m256i *)(const void *)(numbers + i));
        __m256i x = _mm256_add_epi32(eight, one);
        x = _mm256_add_epi32(x, _mm256_slli_si256(x, 4));
        x = _mm256_add_epi32(x, _mm256_slli_si256(x, 8));
        const __m256i low = _mm256_permute2x128_si256(x, x, 0x08); /* as the high half */
        x = _mm256_add_epi32(x, _mm256_shuffle_epi32(low, 0xff));
        const __m256i sum = _mm256_add_epi32(x, before);
        before = _mm256_add_epi32(before, _mm256_permutevar8x32_epi32(x, last));
        _mm256_storeu_si256(
            (__m256i *)(void *)(docs + i),
            _mm256_add_epi64(least, _mm256_cvtepu32_epi64(_mm256_castsi256_si128(sum))));
        _mm256_storeu_si256(
            (__m256i *)(void *)(docs + i + 4),
            _mm256_add_epi64(least,
                             _mm256_cvtepu32_epi64(_mm256_extracti128_si256(sum, 1))));
    }
}

#endif

/* Numbers to docIDs, two at a time: a sum waits for the one before only half as often. A
 * number has at most 41 bits and a block 128 of them: no overflow here. */
static void settle_plain(uint64_t first, uint64_t *docs)
{
    for (size_t i = 0; i < GS_INDEX_BLOCK; i += 2) {
        const uint64_t one = docs[i], both = one + docs[i + 1] + 1;
        docs[i] = first + one;
        docs[i + 1] = first + both;
        first += both + 1;
    }
}

/* Numbers as the shape tells of them become docIDs. */
static bool get_numbers(gs_pack_way way, const gs_number_shape *shape, uint64_t first,
                        uint64_t *docs)
{
#ifdef __x86_64__
    if (way == GS_PACK_AVX2 && gs_numbers_are_narrow(shape)) {
        uint32_t numbers[GS_NUMBERS_MAX];
        if (!gs_numbers_read_narrow(shape, numbers))
            return false;
        settle_avx2(first, numbers, docs);
        return true;
    }
#endif
    if (!gs_numbers_read(shape, GS_INDEX_BLOCK, docs))
        return false;
#ifdef __x86_64__
    if (way == GS_PACK_AVX512) {
        settle_avx512(first, docs);
        return true;
    }
#endif
    (void)way;
    settle_plain(first, docs);
    return true;
}

/* 64 of the bits that stand for documents, of which there are `span`; they are read once,
 * whoever else writes to them. */
static inline uint64_t word_of(const uint8_t *bits, uint64_t at, uint64_t span)
{
    uint64_t word;
    memcpy(&word, bits + at / 8, WORD_BYTES);
    word = le64toh(word);
    if (span - at < WORD_BITS)
        word &= (UINT64_C(1) << (span - at)) - 1;
    __asm__("" : "+r"(word));
    return word;
}

#ifdef __x86_64__

/* The numbers of the bits of a word, a byte each, are put side by side, and eight of them
 * become documents at a time, however many count: there is room behind the block. */
__attribute__((target("avx512f,avx512bw,avx512vbmi,avx512vbmi2,popcnt"))) static bool
take_bits_avx512(const uint8_t *bits, uint64_t first, uint64_t span, uint64_t *docs)
{
    uint8_t numbers[WORD_BITS];
    for (unsigned i = 0; i < WORD_BITS; i++)
        numbers[i] = (uint8_t)i;
    const __m512i all = _mm512_loadu_si512(numbers);
    size_t n = 0;
    for (uint64_t at = 0; at < span; at += WORD_BITS) {
        const uint64_t word = word_of(bits, at, span);
        const size_t count = (size_t)__builtin_popcountll(word);
        const __m512i base = _mm512_set1_epi64((long long)(first + at));
        if (n + count >= GS_INDEX_BLOCK)
            return false;
        _mm512_storeu_si512(numbers, _mm512_maskz_compress_epi8(word, all));
        for (size_t i = 0; i < count; i += WORD_BYTES) {
            const __m128i *const eight = (const __m128i *)(const void *)(numbers + i);
            _mm512_storeu_si512(
                docs + n + i,
                _mm512_add_epi64(base, _mm512_cvtepu8_epi64(_mm_loadl_epi64(eight))));
        }
        n += count;
    }
    return n == GS_INDEX_BLOCK - 1;
}

/* The numbers of the bits of a byte, a byte each: those of its low half, of which there
 * are `count`, and behind them four more than those of its high half. */
#define OF_BYTE(low, count, high)                                                        \
    ((uint64_t)(low) | ((uint64_t)(high) + 0x04040404U) << 8 * (count))
#define OF_BYTES(high)                                                                   \
    OF_BYTE(0, 0, high), OF_BYTE(0, 1, high), OF_BYTE(1, 1, high),                       \
        OF_BYTE(0x0100, 2, high), OF_BYTE(2, 1, high), OF_BYTE(0x0200, 2, high),         \
        OF_BYTE(0x0201, 2, high), OF_BYTE(0x020100, 3, high), OF_BYTE(3, 1, high),       \
        OF_BYTE(0x0300, 2, high), OF_BYTE(0x0301, 2, high), OF_BYTE(0x030100, 3, high),  \
        OF_BYTE(0x0302, 2, high), OF_BYTE(0x030200, 3, high),                            \
        OF_BYTE(0x030201, 3, high), OF_BYTE(0x03020100, 4, high)

static const uint64_t bit_numbers[UINT8_MAX + 1] = {
    OF_BYTES(0),      OF_BYTES(0),        OF_BYTES(1),        OF_BYTES(0x0100),
    OF_BYTES(2),      OF_BYTES(0x0200),   OF_BYTES(0x0201),   OF_BYTES(0x020100),
    OF_BYTES(3),      OF_BYTES(0x0300),   OF_BYTES(0x0301),   OF_BYTES(0x030100),
    OF_BYTES(0x0302), OF_BYTES(0x030200), OF_BYTES(0x030201), OF_BYTES(0x03020100),
};

/* Puts documents of four numbers from there on. */
__attribute__((target("avx2"))) static inline void
put_four_avx2(uint64_t *docs, __m256i base, const uint8_t *numbers)
{
    uint32_t four;
    memcpy(&four, numbers, sizeof four);
    _mm256_storeu_si256(
        (__m256i *)(void *)docs,
        _mm256_add_epi64(base, _mm256_cvtepu8_epi64(_mm_cvtsi32_si128((int)four))));
}

/* Eight bits become documents at a time, however many count: there is room behind the
 * block. No branch depends on a bit. */
__attribute__((target("avx2,popcnt"))) static bool
take_bits_avx2(const uint8_t *bits, uint64_t first, uint64_t span, uint64_t *docs)
{
    enum { EIGHT = 8 };
    size_t n = 0;
    for (uint64_t at = 0; at < span; at += WORD_BITS) {
        uint64_t word = word_of(bits, at, span);
        __m256i base = _mm256_set1_epi64x((long long)(first + at));
        if (n + (size_t)__builtin_popcountll(word) >= GS_INDEX_BLOCK)
            return false;
        for (unsigned i = 0; i < WORD_BYTES; i++, word >>= EIGHT) {
            const unsigned some = word & UINT8_MAX;
            const uint8_t *const numbers = (const uint8_t *)&bit_numbers[some];
            put_four_avx2(docs + n, base, numbers);
            put_four_avx2(docs + n + 4, base, numbers + 4);
            base = _mm256_add_epi64(base, _mm256_set1_epi64x(EIGHT));
            n += (size_t)__builtin_popcount(some);
        }
    }
    return n == GS_INDEX_BLOCK - 1;
}

#endif

static bool take_bits_plain(const uint8_t *bits, uint64_t first, uint64_t span,
                            uint64_t *docs)
{
    size_t n = 0;
    for (uint64_t at = 0; at < span; at += WORD_BITS) {
        for (uint64_t word = word_of(bits, at, span); word != 0; word &= word - 1) {
            if (n == GS_INDEX_BLOCK - 1)
                return false;
            docs[n++] = first + at + (uint64_t)__builtin_ctzll(word);
        }
    }
    return n == GS_INDEX_BLOCK - 1;
}

static bool take_bits(gs_pack_way way, const uint8_t *bits, uint64_t first, uint64_t span,
                      uint64_t *docs)
{
#ifdef __x86_64__
    if (way == GS_PACK_AVX512)
        return take_bits_avx512(bits, first, span, docs);
    if (way == GS_PACK_AVX2)
        return take_bits_avx2(bits, first, span, docs);
#endif
    (void)way;
    return take_bits_plain(bits, first, span, docs);
}

static bool get_bits(gs_pack_way way, const uint8_t **p, const uint8_t *end,
                     uint64_t first, uint64_t last, uint64_t *docs)
{
    const uint64_t bytes = bit_bytes(first, last);
    const uint8_t *const bits = *p;
    if (bytes > (uint64_t)(end - bits))
        return false;
    *p += bytes;
    const bool are_all = take_bits(way, bits, first, last - first, docs);
    docs[GS_INDEX_BLOCK - 1] = last;
    return are_all;
}

/* Do bits follow? Then *p is where they begin. */
static inline bool skip_bits_head(const uint8_t **p)
{
    unsigned head = **p;
    __asm__("" : "+r"(head));
    *p += head == GS_STEP_HEAD_IS_BITS;
    return head == GS_STEP_HEAD_IS_BITS;
}

bool gs_block_get_docs_by(gs_pack_way way, const uint8_t **p, const uint8_t *end,
                          uint64_t first, uint64_t last, uint64_t *docs)
{
    gs_number_shape shape;
    if (*p >= end || last < first)
        return false;
    if (skip_bits_head(p))
        return get_bits(way, p, end, first, last, docs);
    return gs_numbers_shape(&shape, p, end, GS_INDEX_BLOCK) &&
           get_numbers(way, &shape, first, docs) && docs[GS_INDEX_BLOCK - 1] == last;
}

bool gs_block_get_docs(const uint8_t **p, const uint8_t *end, uint64_t first,
                       uint64_t last, uint64_t *docs)
{
    return gs_block_get_docs_by(gs_pack_best_way(), p, end, first, last, docs);
}

/* --- marks -------------------------------------------------------------------------- */

static void set_bit(uint64_t *bits, uint64_t doc)
{
    bits[doc / WORD_BITS] |= UINT64_C(1) << doc % WORD_BITS;
}

/* Bits to bits, 64 at a time. */
static bool mark_bits(const uint8_t **p, const uint8_t *end, uint64_t first,
                      uint64_t last, uint64_t *bits)
{
    const uint64_t span = last - first, bytes = bit_bytes(first, last);
    const uint8_t *const from = *p;
    const unsigned shift = first % WORD_BITS;
    uint64_t *to = bits + first / WORD_BITS;
    unsigned count = 0;
    if (bytes > (uint64_t)(end - from))
        return false;
    *p += bytes;
    for (uint64_t at = 0; at < span; at += WORD_BITS, to++) {
        const uint64_t word = word_of(from, at, span);
        count += (unsigned)__builtin_popcountll(word);
        to[0] |= word << shift;
        to[1] |= shift > 0 ? word >> (WORD_BITS - shift) : 0;
    }
    set_bit(bits, last);
    return count == GS_INDEX_BLOCK - 1;
}

bool gs_block_mark_docs(const uint8_t **p, const uint8_t *end, uint64_t first,
                        uint64_t last, uint64_t *bits)
{
    uint64_t docs[GS_BLOCK_DOCS_ROOM];
    if (*p >= end || last < first)
        return false;
    if (skip_bits_head(p))
        return mark_bits(p, end, first, last, bits);
    if (!gs_block_get_docs(p, end, first, last, docs))
        return false;
    for (size_t i = 0; i < GS_INDEX_BLOCK; i++)
        set_bit(bits, docs[i]);
    return true;
}
