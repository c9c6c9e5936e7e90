/* SPDX-License-Identifier: MIT */
/*
 * key_digits: decimal digits eight at a time, and the encoding (key_number.h) of numbers
 * that are no more than that.
 */
#ifndef GS_LIB_SORT_KEY_KEY_DIGITS_H
#define GS_LIB_SORT_KEY_KEY_DIGITS_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "lib/encode/key_text.h"

enum { GS_NUMBER_HEAD_ZERO = 0x80, GS_NUMBER_HEAD_POSITIVE };

/* Eight bytes at `p`, the first one lowest, less '0' each. */
static inline uint64_t gs_digits_load(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word ^ UINT64_C(0x3030303030303030);
}

/* How many of them, from the first on, are digits. */
static inline unsigned gs_digits_count(uint64_t digits)
{
    const uint64_t others =
        ((digits + UINT64_C(0x7676767676767676)) | digits) & UINT64_C(0x8080808080808080);
    return others ? (unsigned)__builtin_ctzll(others) / 8 : 8;
}

/* The number that the first `count` (1 to 8) make: neighbours join to pairs, pairs to
 * fours, fours to one. */
static inline uint64_t gs_digits_join(uint64_t digits, unsigned count)
{
    digits <<= 64 - 8 * count;
    digits = digits * (10 * 256 + 1) >> 8 & UINT64_C(0x00ff00ff00ff00ff);
    digits = digits * (100 * 65536 + 1) >> 16 & UINT64_C(0x0000ffff0000ffff);
    return digits * (UINT64_C(10000) << 32 | 1) >> 32;
}

/* All eight bytes of `value`, the highest first. */
static inline uint8_t *gs_digits_put_u64(uint8_t *to, uint64_t value)
{
    for (unsigned i = 0; i < 8; i++)
        *to++ = (uint8_t)(value >> (56 - 8 * i));
    return to;
}

/* A string that sorts the other way round. */
static inline void gs_digits_complement(uint8_t *from, const uint8_t *end)
{
    for (; from < end; from++)
        *from = (uint8_t) ~*from;
}

/* The significant bytes of `value`, by one store of eight. */
static inline uint8_t *gs_digits_put_value(uint8_t *to, uint64_t value)
{
    const unsigned bytes = value ? (71 - (unsigned)__builtin_clzll(value)) / 8 : 0;
    *to++ = (uint8_t)(GS_NUMBER_HEAD_POSITIVE + bytes);
    uint64_t high = value ? value << (64 - 8 * bytes) : 0;
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    high = __builtin_bswap64(high);
#endif
    memcpy(to, &high, sizeof high);
    return to + bytes;
}

/* As gs_number_encode_decimal, of one to eight digits of which only one that is alone is
 * a zero first, with blanks before them and anything behind that is no part of a number;
 * NULL of anything else. Returns the end. */
static inline uint8_t *gs_digits_encode(const uint8_t *text, const uint8_t *end,
                                        uint8_t *to)
{
    text = gs_text_skip_blanks(text, end);
    const size_t left = (size_t)(end - text);
    const uint64_t digits = gs_digits_load(text); /* within what may be read */
    const size_t found = gs_digits_count(digits), count = left < found ? left : found;
    const uint8_t next = count < left ? text[count] : ' ';
    if (count == 0 || next == '.' || gs_text_is_digit(next))
        return NULL;
    if (*text == '0') {
        *to = GS_NUMBER_HEAD_ZERO;
        return count == 1 ? to + 1 : NULL;
    }
    to = gs_digits_put_value(to, gs_digits_join(digits, (unsigned)count));
    *to++ = 0; /* no fraction */
    return to;
}

#endif
