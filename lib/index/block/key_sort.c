/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * Large arrays are first cut into 256 parts by the highest eight bits that vary, and
 * their parts again, until a part and its scratch fit the second-level cache; there a
 * least-significant-digit radix sort finishes, eight bits a pass:
 *
 *      bits    63 .. all equal .. | top 8 |  ...  8 | 8 | 8  | low_bit .. not looked at
 *                                 cut first    in the cache
 */
/* clang-format on */
#include "lib/index/block/key_sort.h"

#include <stdbool.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/bits.h"

enum {
    DIGIT_BITS = 8,
    DIGIT_VALUES = 1 << DIGIT_BITS,
    CACHE_BYTES = 512 * 1024, /* a part with its scratch */
    INSERTION_MAX = 20,
};

/* --- 32 bits ---------------------------------------------------------------------- */

#define KEY            uint32_t
#define OF_WIDTH(name) name##_u32
#include "lib/index/block/key_sort_word.h"
#undef KEY
#undef OF_WIDTH

void gs_key_sort_u32(uint32_t *keys, uint32_t *scratch, size_t count, unsigned low_bit)
{
    gs_assert(low_bit < 32);
    sort_u32(keys, scratch, count, low_bit, false);
}

/* --- 64 bits ---------------------------------------------------------------------- */

#define KEY            uint64_t
#define OF_WIDTH(name) name##_u64
#include "lib/index/block/key_sort_word.h"
#undef KEY
#undef OF_WIDTH

void gs_key_sort_u64(uint64_t *keys, uint64_t *scratch, size_t count, unsigned low_bit)
{
    gs_assert(low_bit < 64);
    sort_u64(keys, scratch, count, low_bit, false);
}

/* --- 128 bits --------------------------------------------------------------------- */

static inline unsigned digit_u128(const gs_u128 *key, unsigned shift)
{
    uint64_t word;
    if (shift >= 64)
        word = key->hi >> (shift - 64);
    else if (shift == 0)
        word = key->lo;
    else
        word = key->lo >> shift | key->hi << (64 - shift);
    return (unsigned)(word & (DIGIT_VALUES - 1));
}

static inline bool is_less_u128(const gs_u128 *a, const gs_u128 *b, unsigned low)
{
    if (low >= 64)
        return a->hi >> (low - 64) < b->hi >> (low - 64);
    return a->hi != b->hi ? a->hi < b->hi : a->lo >> low < b->lo >> low;
}

static unsigned top_bit_u128(const gs_u128 *keys, size_t n, unsigned low)
{
    uint64_t any_hi = 0, any_lo = 0;
    bool has_descent = false;
    for (size_t i = 1; i < n; i++) {
        any_hi |= keys[i].hi ^ keys[0].hi;
        any_lo |= keys[i].lo ^ keys[0].lo;
        has_descent |= is_less_u128(&keys[i], &keys[i - 1], low);
    }
    const unsigned top = any_hi != 0 ? 64 + gs_bit_length(any_hi) : gs_bit_length(any_lo);
    return !has_descent || top <= low ? 0 : top;
}

#define KEY            gs_u128
#define OF_WIDTH(name) name##_u128
#include "lib/index/block/key_sort_width.h"

void gs_key_sort_u128(gs_u128 *keys, gs_u128 *scratch, size_t count, unsigned low_bit)
{
    gs_assert(low_bit < 128);
    sort_u128(keys, scratch, count, low_bit, false);
}
