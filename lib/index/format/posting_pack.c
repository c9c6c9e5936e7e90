/* SPDX-License-Identifier: MIT */
/*
 * Eight numbers of b bits have b bytes, so every eighth begins with a byte, and the same
 * shuffle of bytes, shift and mask serve all sixteen groups of eight:
 *
 *      b = 5    bytes    0        1        2        3        4
 *               numbers  00000111 11222223 33334444 45555566 66677777   (low bits left)
 *      number i lies in the 8 bytes from (i * b) / 8 on, (i * b) % 8 bits up
 *
 * AVX-512 takes a group at a time: one shuffle brings each number's bytes into a lane of
 * its own. AVX2 shuffles within 16 bytes only, so each half of a vector is loaded from
 * where its two numbers begin.
 */
#include "lib/index/format/posting_pack.h"

#include <endian.h>
#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "lib/base/assertion.h"

enum { GROUP = 8 }; /* numbers that end with a byte */

uint8_t *gs_pack_put_some(uint8_t *to, const uint64_t *numbers, size_t count,
                          unsigned bits)
{
    gs_assert(bits <= GS_PACK_BITS_MAX);
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    uint64_t word = 0, stored;
    unsigned used = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t number = numbers[i] & mask;
        word |= number << used;
        used += bits;
        if (used < 64)
            continue;
        used -= 64;
        stored = htole64(word);
        memcpy(to, &stored, sizeof stored);
        to += sizeof stored;
        word = number >> (bits - used); /* what did not fit; 0 if all did */
    }
    stored = htole64(word);
    memcpy(to, &stored, (used + 7) / 8);
    return to + (used + 7) / 8;
}

static void get_plain(const uint8_t *from, unsigned bits, uint64_t *numbers)
{
    const uint64_t mask = (UINT64_C(1) << bits) - 1;
    for (size_t i = 0; i < GS_PACK_COUNT; i++) {
        const size_t at = i * bits;
        uint64_t word;
        memcpy(&word, from + at / 8, sizeof word);
        numbers[i] = le64toh(word) >> (at % 8) & mask;
    }
}

#ifdef __x86_64__

#define FOR_AVX2   __attribute__((target("avx2")))
#define FOR_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vbmi")))

/* Where numbers `index` of a group begin, in bits. */
FOR_AVX2 static inline __m256i avx2_places(__m256i index, unsigned bits)
{
    return _mm256_mul_epu32(index, _mm256_set1_epi64x((long long)bits));
}

/* The shuffle that brings the eight bytes from each lane's number on into the lane. */
FOR_AVX2 static inline __m256i avx2_shuffle(__m256i first_byte)
{
    const __m256i all_bytes =
        _mm256_mul_epu32(first_byte, _mm256_set1_epi64x(0x01010101));
    return _mm256_add_epi64(_mm256_or_si256(all_bytes, _mm256_slli_epi64(all_bytes, 32)),
                            _mm256_set1_epi64x(0x0706050403020100));
}

FOR_AVX2 static inline __m256i avx2_load(const uint8_t *low, const uint8_t *high)
{
    const __m128i *const low_half = (const __m128i *)(const void *)low;
    const __m128i *const high_half = (const __m128i *)(const void *)high;
    return _mm256_inserti128_si256(_mm256_castsi128_si256(_mm_loadu_si128(low_half)),
                                   _mm_loadu_si128(high_half), 1);
}

FOR_AVX2 static void get_avx2(const uint8_t *from, unsigned bits, uint64_t *numbers)
{
    const __m256i mask = _mm256_set1_epi64x((long long)((UINT64_C(1) << bits) - 1));
    const __m256i seven = _mm256_set1_epi64x(7);
    const __m256i places[2] = {avx2_places(_mm256_setr_epi64x(0, 1, 2, 3), bits),
                               avx2_places(_mm256_setr_epi64x(4, 5, 6, 7), bits)};
    const __m256i halves[2] = {avx2_places(_mm256_setr_epi64x(0, 0, 2, 2), bits),
                               avx2_places(_mm256_setr_epi64x(4, 4, 6, 6), bits)};
    __m256i shuffle[2], shift[2];
    for (unsigned v = 0; v < 2; v++) {
        shuffle[v] = avx2_shuffle(_mm256_sub_epi64(_mm256_srli_epi64(places[v], 3),
                                                   _mm256_srli_epi64(halves[v], 3)));
        shift[v] = _mm256_and_si256(places[v], seven);
    }
    const size_t second = bits * 2 / 8, third = bits * 4 / 8, fourth = bits * 6 / 8;
    for (size_t i = 0; i < GS_PACK_COUNT; i += GROUP, from += bits) {
        const __m256i low =
            _mm256_shuffle_epi8(avx2_load(from, from + second), shuffle[0]);
        const __m256i high =
            _mm256_shuffle_epi8(avx2_load(from + third, from + fourth), shuffle[1]);
        _mm256_storeu_si256((__m256i *)(void *)(numbers + i),
                            _mm256_and_si256(_mm256_srlv_epi64(low, shift[0]), mask));
        _mm256_storeu_si256((__m256i *)(void *)(numbers + i + 4),
                            _mm256_and_si256(_mm256_srlv_epi64(high, shift[1]), mask));
    }
}

/* Eight numbers at a time: four in each half, from the byte on where they begin. */
FOR_AVX2 static void get_narrow_avx2(const uint8_t *from, unsigned bits,
                                     uint32_t *numbers)
{
    const size_t second = bits * 4 / 8;
    const __m256i places = _mm256_mullo_epi32(_mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7),
                                              _mm256_set1_epi32((int)bits));
    const __m256i half =
        _mm256_inserti128_si256(_mm256_setzero_si256(), _mm_set1_epi32((int)second), 1);
    const __m256i first_byte = _mm256_sub_epi32(_mm256_srli_epi32(places, 3), half);
    const __m256i shuffle =
        _mm256_add_epi32(_mm256_mullo_epi32(first_byte, _mm256_set1_epi32(0x01010101)),
                         _mm256_set1_epi32(0x03020100));
    const __m256i shift = _mm256_and_si256(places, _mm256_set1_epi32(7));
    const __m256i mask = _mm256_set1_epi32((int)((1U << bits) - 1));
    for (size_t i = 0; i < GS_PACK_COUNT; i += GROUP, from += bits) {
        const __m256i eight =
            _mm256_shuffle_epi8(avx2_load(from, from + second), shuffle);
        _mm256_storeu_si256((__m256i *)(void *)(numbers + i),
                            _mm256_and_si256(_mm256_srlv_epi32(eight, shift), mask));
    }
}

FOR_AVX512 static void get_avx512(const uint8_t *from, unsigned bits, uint64_t *numbers)
{
    const __m512i mask = _mm512_set1_epi64((long long)((UINT64_C(1) << bits) - 1));
    const __m512i places = _mm512_mul_epu32(_mm512_setr_epi64(0, 1, 2, 3, 4, 5, 6, 7),
                                            _mm512_set1_epi64((long long)bits));
    const __m512i first_byte =
        _mm512_mul_epu32(_mm512_srli_epi64(places, 3), _mm512_set1_epi64(0x01010101));
    const __m512i shuffle =
        _mm512_add_epi64(_mm512_or_si512(first_byte, _mm512_slli_epi64(first_byte, 32)),
                         _mm512_set1_epi64(0x0706050403020100));
    const __m512i shift = _mm512_and_si512(places, _mm512_set1_epi64(7));
    const __mmask64 there = (UINT64_C(1) << bits) - 1; /* the bytes of a group */
    for (size_t i = 0; i < GS_PACK_COUNT; i += GROUP, from += bits) {
        const __m512i bytes =
            _mm512_permutexvar_epi8(shuffle, _mm512_maskz_loadu_epi8(there, from));
        _mm512_storeu_si512(numbers + i,
                            _mm512_and_si512(_mm512_srlv_epi64(bytes, shift), mask));
    }
}

#endif

bool gs_pack_has_way(gs_pack_way way)
{
#ifdef __x86_64__
    if (way == GS_PACK_AVX512)
        return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512dq") &&
               __builtin_cpu_supports("avx512vbmi") &&
               __builtin_cpu_supports("avx512vbmi2");
    if (way == GS_PACK_AVX2)
        return __builtin_cpu_supports("avx2");
#endif
    return way == GS_PACK_PLAIN;
}

void gs_pack_get_by(gs_pack_way way, const uint8_t *from, unsigned bits,
                    uint64_t *numbers)
{
    gs_assert(bits <= GS_PACK_BITS_MAX);
#ifdef __x86_64__
    if (way == GS_PACK_AVX512) {
        get_avx512(from, bits, numbers);
        return;
    }
    if (way == GS_PACK_AVX2) {
        get_avx2(from, bits, numbers);
        return;
    }
#endif
    gs_assert(way == GS_PACK_PLAIN);
    get_plain(from, bits, numbers);
}

void gs_pack_get_narrow(const uint8_t *from, unsigned bits, uint32_t *numbers)
{
    gs_assert(bits <= GS_PACK_NARROW_BITS_MAX);
#ifdef __x86_64__
    get_narrow_avx2(from, bits, numbers);
#else
    (void)from;
    (void)numbers;
    gs_assert(gs_pack_has_way(GS_PACK_AVX2));
#endif
}

gs_pack_way gs_pack_best_way(void)
{
    gs_pack_way way = GS_PACK_WAY_COUNT - 1;
    while (!gs_pack_has_way(way))
        way--;
    return way;
}

void gs_pack_get(const uint8_t *from, unsigned bits, uint64_t *numbers)
{
    gs_pack_get_by(gs_pack_best_way(), from, bits, numbers);
}
