/* SPDX-License-Identifier: MIT */
/*
 * record_hash: a number of 64 bits for a record, so cheap that every record can be hashed
 * twice while it is in the cache anyway: about 1 ns for a line of 31 bytes.
 *
 * A record is cut into blocks of 64 bytes, the last one filled up with zeros; the number
 * of a block depends on all of its bytes and on the blocks before it, so that sums of
 * hashes tell which bytes stand together in one record.
 *
 *   products   eight words of a block become one number, the sum of
 *              (low half of word i + low half of key i) * (high half + high half of key),
 *              which is folded into the length by a multiplication and a shift
 *              (AVX2 and plain C give the same)
 *   aes        the four parts of a block go through rounds of AES: each by itself with
 *              the length, two pairs into two parts, these two into each other; the
 *              number of a record is that of its first block and that of its last, which
 *              hangs on all before, together
 *
 * By products, records that differ have the same number but for one pair in 2^32, and by
 * aes still more rarely. It is no defence against somebody who chooses records: the keys
 * are fixed. Numbers of one kind cannot be compared with those of the other; which kind a
 * machine takes is fixed while a program runs.
 */
#ifndef GS_LIB_SORT_WITNESS_RECORD_HASH_H
#define GS_LIB_SORT_WITNESS_RECORD_HASH_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Tests of what other machines do define GS_HASH_PLAIN or GS_HASH_WITHOUT_AES. */
#if defined(__x86_64__) && !defined(GS_HASH_PLAIN)
#include <immintrin.h>
#define GS_HASH_HAS_AES 1
#define GS_HASH_AES                                                                      \
    __attribute__((target("avx2,avx512f,avx512bw,avx512vl,aes,vaes,bmi,bmi2")))
#else
#define GS_HASH_HAS_AES 0
#endif

enum { GS_HASH_BLOCK = 64, GS_HASH_WORDS = 8, GS_HASH_SHORT = 32 };

static const uint64_t gs_hash_keys[GS_HASH_WORDS] = {
    UINT64_C(0x6c9a91b5d04f2e37), UINT64_C(0xb1e3c5a7408d69f5),
    UINT64_C(0x27d4eb2f165667c5), UINT64_C(0xe95f3a0c8b71d64b),
    UINT64_C(0x8f1bbcdc5a827999), UINT64_C(0x3c6ef372a54ff53b),
    UINT64_C(0xd1310ba698dfb5ad), UINT64_C(0x5be0cd19137e2179),
};

static inline uint64_t gs_hash_begin(size_t bytes)
{
    return bytes * UINT64_C(0x9e3779b97f4a7c15);
}

static inline uint64_t gs_hash_fold(uint64_t hash, uint64_t products)
{
    hash = (hash ^ products) * UINT64_C(0xd6e8feb86659fd93);
    return hash ^ hash >> 32;
}

/* --- plain C ----------------------------------------------------------------- */

/* Products of a block, of which `bytes` are there, at most 64. */
static inline uint64_t gs_hash_products_plain(const uint8_t *block, size_t bytes)
{
    uint64_t words[GS_HASH_WORDS] = {0}, sum = 0;
    memcpy(words, block, bytes);
    for (size_t i = 0; i < GS_HASH_WORDS; i++) {
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
        words[i] = __builtin_bswap64(words[i]);
#endif
        const uint32_t low = (uint32_t)words[i] + (uint32_t)gs_hash_keys[i];
        const uint32_t high =
            (uint32_t)(words[i] >> 32) + (uint32_t)(gs_hash_keys[i] >> 32);
        sum += (uint64_t)low * high;
    }
    return sum;
}

static inline uint64_t gs_hash_record_plain(const uint8_t *record, size_t bytes)
{
    uint64_t hash = gs_hash_begin(bytes);
    for (size_t at = 0; at < bytes; at += GS_HASH_BLOCK) {
        const size_t left = bytes - at;
        hash = gs_hash_fold(
            hash, gs_hash_products_plain(record + at,
                                         left < GS_HASH_BLOCK ? left : GS_HASH_BLOCK));
    }
    return hash;
}

/* --- AVX2, the same numbers -------------------------------------------------- */

#if GS_HASH_HAS_AES
#define GS_HASH_AVX2 __attribute__((target("avx2")))

GS_HASH_AVX2 static inline __m256i gs_hash_products_32(__m256i words, size_t i)
{
    const __m256i key =
        _mm256_loadu_si256((const __m256i *)(const void *)(gs_hash_keys + 4 * i));
    const __m256i sum = _mm256_add_epi32(words, key);
    return _mm256_mul_epu32(sum, _mm256_srli_epi64(sum, 32));
}

/* Of at most 64 bytes; all 64 can be read. */
GS_HASH_AVX2 static inline uint64_t gs_hash_products_avx2(const uint8_t *block,
                                                          size_t bytes)
{
    const __m256i place =
        _mm256_setr_epi8(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18,
                         19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31);
    const __m256i count = _mm256_set1_epi8((char)bytes),
                  rest = _mm256_sub_epi8(count, _mm256_set1_epi8(32));
    const __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)block);
    const __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(block + 32));
    const __m256i sums = _mm256_add_epi64(
        gs_hash_products_32(_mm256_and_si256(a, _mm256_cmpgt_epi8(count, place)), 0),
        gs_hash_products_32(_mm256_and_si256(b, _mm256_cmpgt_epi8(rest, place)), 1));
    const __m128i halves =
        _mm_add_epi64(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
    return (uint64_t)_mm_cvtsi128_si64(
        _mm_add_epi64(halves, _mm_unpackhi_epi64(halves, halves)));
}

GS_HASH_AVX2 static inline uint64_t gs_hash_record_avx2(const uint8_t *record,
                                                        size_t bytes)
{
    uint64_t hash = gs_hash_begin(bytes);
    for (; bytes > GS_HASH_BLOCK; bytes -= GS_HASH_BLOCK, record += GS_HASH_BLOCK)
        hash = gs_hash_fold(hash, gs_hash_products_avx2(record, GS_HASH_BLOCK));
    return bytes > 0 ? gs_hash_fold(hash, gs_hash_products_avx2(record, bytes)) : hash;
}

static inline int gs_hash_has_avx2(void)
{
    return __builtin_cpu_supports("avx2");
}
#else
#define GS_HASH_AVX2
#define gs_hash_record_avx2 gs_hash_record_plain
#define gs_hash_has_avx2()  0
#endif

typedef uint64_t gs_hash_fn(const uint8_t *record, size_t bytes);

/* Who makes products here, of records 64 bytes beyond which can be read. */
static inline gs_hash_fn *gs_hash_record_fn(void)
{
    return gs_hash_has_avx2() ? gs_hash_record_avx2 : gs_hash_record_plain;
}

/* --- AES --------------------------------------------------------------------- */

#if GS_HASH_HAS_AES
/* The first 64 of `bytes`, and zeros behind them; nothing else is read. */
GS_HASH_AES static inline __m512i gs_hash_load_512(const uint8_t *from, size_t bytes)
{
    /* Of the number of bits only the lowest eight count. */
    const uint64_t there = _bzhi_u64(UINT64_MAX, bytes < 64 ? (unsigned)bytes : 64);
    return _mm512_maskz_loadu_epi8(there, from);
}

/* The same of at most 32. */
GS_HASH_AES static inline __m256i gs_hash_load_256(const uint8_t *from, size_t bytes)
{
    return _mm256_maskz_loadu_epi8(_bzhi_u32(UINT32_MAX, (unsigned)bytes), from);
}

/* Sums of the four words are the number. */
GS_HASH_AES static inline __m256i gs_hash_block_aes(__m512i block, __m512i key)
{
    const __m512i parts = _mm512_aesenc_epi128(block, key);
    const __m256i pairs = _mm256_aesenc_epi128(_mm512_castsi512_si256(parts),
                                               _mm512_extracti64x4_epi64(parts, 1));
    return _mm256_aesenc_epi128(pairs, _mm256_permute2x128_si256(pairs, pairs, 1));
}

GS_HASH_AES static inline __m512i gs_hash_key_aes(size_t bytes)
{
    return _mm512_add_epi64(_mm512_loadu_si512(gs_hash_keys),
                            _mm512_set1_epi64((long long)bytes));
}

/* Of a record's first block, which is all of most. */
GS_HASH_AES static inline __m256i gs_hash_first_aes(__m512i block, size_t bytes)
{
    return gs_hash_block_aes(block, gs_hash_key_aes(bytes));
}

/* The same of a record of at most 32 bytes. Of zeros a round of AES makes the byte 0x63
 * sixteen times over, and adds the key. */
GS_HASH_AES static inline __m256i gs_hash_short_aes(__m256i block, size_t bytes)
{
    const __m256i length = _mm256_set1_epi64x((long long)bytes);
    const __m256i low_key =
                      _mm256_loadu_si256((const __m256i *)(const void *)gs_hash_keys),
                  high_key = _mm256_loadu_si256(
                      (const __m256i *)(const void *)(gs_hash_keys + GS_HASH_WORDS / 2));
    const __m256i low = _mm256_aesenc_epi128(block, _mm256_add_epi64(low_key, length));
    const __m256i high =
        _mm256_xor_si256(_mm256_add_epi64(high_key, length), _mm256_set1_epi8(0x63));
    const __m256i pairs = _mm256_aesenc_epi128(low, high);
    return _mm256_aesenc_epi128(pairs, _mm256_permute2x128_si256(pairs, pairs, 1));
}

/* What a record of more than one block has besides. */
GS_HASH_AES static inline __m256i gs_hash_rest_aes(const uint8_t *record, size_t bytes)
{
    __m512i key = gs_hash_key_aes(bytes);
    for (; bytes > GS_HASH_BLOCK; bytes -= GS_HASH_BLOCK) {
        const __m256i hash = gs_hash_block_aes(_mm512_loadu_si512(record), key);
        key = _mm512_add_epi64(key, _mm512_broadcast_i64x4(hash));
        record += GS_HASH_BLOCK;
    }
    return gs_hash_block_aes(gs_hash_load_512(record, bytes), key);
}

GS_HASH_AES static inline __m256i gs_hash_record_aes(const uint8_t *record, size_t bytes)
{
    const __m256i first = gs_hash_first_aes(gs_hash_load_512(record, bytes), bytes);
    if (__builtin_expect(bytes <= GS_HASH_BLOCK, 1))
        return first;
    return _mm256_add_epi64(first, gs_hash_rest_aes(record, bytes));
}

GS_HASH_AES static inline uint64_t gs_hash_sum_aes(__m256i sums)
{
    uint64_t words[4];
    _mm256_storeu_si256((__m256i *)(void *)words, sums);
    return words[0] + words[1] + words[2] + words[3];
}
#endif

/* Older clang has no name for VAES; machines have it with VPCLMULQDQ. */
#ifdef __clang__
#define GS_HASH_AES_FEATURE "vpclmulqdq"
#else
#define GS_HASH_AES_FEATURE "vaes"
#endif

/* Does this machine take aes? */
static inline int gs_hash_has_aes(void)
{
#if GS_HASH_HAS_AES && !defined(GS_HASH_WITHOUT_AES)
    return __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512vl") &&
           __builtin_cpu_supports(GS_HASH_AES_FEATURE) && __builtin_cpu_supports("bmi2");
#else
    return 0;
#endif
}

#endif
