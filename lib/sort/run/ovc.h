/* SPDX-License-Identifier: MIT */
/*
 * ovc: offset-value codes, which turn most string compares of a merge into one compare
 * of two integers.
 *
 * A string is read as a sequence of symbols, six bytes each, with how many of the six are
 * there (0 to 6) as the lowest bits, so that "a" and "a\0" differ:
 *
 *      "abcdefgh"  ->  (abcdef,6) (gh....,2)
 *
 * The code of a string relative to another that is not greater says at which symbol they
 * first differ and what stands there:
 *
 *       63          51 50                          3 2     0
 *      +--------------+-----------------------------+-------+
 *      | 8190 - index | six bytes at 6 * index      | count |        0: they are equal
 *      +--------------+-----------------------------+-------+
 *
 * Of two strings with codes relative to the same base, the one with the smaller code is
 * smaller, and the code of the larger one relative to the smaller stays as it is. Only
 * equal codes need the strings, from the next symbol on. Beyond CAP symbols everything
 * counts as one symbol, of which the code holds the beginning.
 *
 * Backwards orders complement the symbol.
 */
#ifndef GS_LIB_SORT_RUN_OVC_H
#define GS_LIB_SORT_RUN_OVC_H

#include <stdbool.h>

#include "lib/sort/record/records.h"

enum {
    GS_OVC_SYMBOL_BYTES = 6,
    GS_OVC_INDEX_CAP = 8189, /* the largest code stays below GS_OVC_EXHAUSTED */
    GS_OVC_SYMBOL_BITS = 51,
};

#define GS_OVC_SYMBOL_MASK ((UINT64_C(1) << GS_OVC_SYMBOL_BITS) - 1)
#define GS_OVC_EQUAL       UINT64_C(0)
#define GS_OVC_EXHAUSTED   UINT64_MAX /* greater than any code */

/* The symbol at `index`. May read seven bytes beyond the string. */
static inline uint64_t gs_ovc_symbol(const uint8_t *string, size_t bytes, size_t index)
{
    const size_t at = index * GS_OVC_SYMBOL_BYTES;
    const size_t left = bytes > at ? bytes - at : 0;
    const uint64_t word = gs_string_word(string, bytes, at) >> 16;
    return word << 3 | (left < GS_OVC_SYMBOL_BYTES ? left : GS_OVC_SYMBOL_BYTES);
}

/* The code of a string that first differs from its base at symbol `index`, below the cap,
 * of which `own` is all that follows from there. */
static inline uint64_t gs_ovc_code_at(const uint8_t *own, size_t own_bytes, size_t index,
                                      bool is_backwards)
{
    const uint64_t symbol = gs_ovc_symbol(own, own_bytes, 0);
    return (uint64_t)(GS_OVC_INDEX_CAP + 1 - index) << GS_OVC_SYMBOL_BITS |
           (is_backwards ? ~symbol & GS_OVC_SYMBOL_MASK : symbol);
}

/* The code of a string that first differs from its base at symbol `index`. */
static inline uint64_t gs_ovc_code(const uint8_t *string, size_t bytes, size_t index,
                                   bool is_backwards)
{
    const size_t capped = index < GS_OVC_INDEX_CAP ? index : GS_OVC_INDEX_CAP;
    const uint64_t symbol = gs_ovc_symbol(string, bytes, capped);
    return (uint64_t)(GS_OVC_INDEX_CAP + 1 - capped) << GS_OVC_SYMBOL_BITS |
           (is_backwards ? ~symbol & GS_OVC_SYMBOL_MASK : symbol);
}

static inline size_t gs_ovc_index(uint64_t code)
{
    return GS_OVC_INDEX_CAP + 1 - (size_t)(code >> GS_OVC_SYMBOL_BITS);
}

/* The first symbol in which two strings differ, given that they agree before symbol
 * `from`; *order is the sign of their comparison (0: equal, the result means nothing). */
static inline size_t gs_ovc_first_difference(const uint8_t *a, size_t a_bytes,
                                             const uint8_t *b, size_t b_bytes,
                                             size_t from, int *order)
{
    const size_t common = a_bytes < b_bytes ? a_bytes : b_bytes;
    size_t at = from * GS_OVC_SYMBOL_BYTES;
    while (at + 8 <= common) {
        uint64_t x, y;
        memcpy(&x, a + at, sizeof x);
        memcpy(&y, b + at, sizeof y);
        if (x != y) {
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
            at += (size_t)__builtin_ctzll(x ^ y) / 8;
#else
            at += (size_t)__builtin_clzll(x ^ y) / 8;
#endif
            *order = a[at] < b[at] ? -1 : 1;
            return at / GS_OVC_SYMBOL_BYTES;
        }
        at += 8;
    }
    for (; at < common; at++) {
        if (a[at] != b[at]) {
            *order = a[at] < b[at] ? -1 : 1;
            return at / GS_OVC_SYMBOL_BYTES;
        }
    }
    *order = (a_bytes > b_bytes) - (a_bytes < b_bytes);
    return common / GS_OVC_SYMBOL_BYTES;
}

#endif
