/* SPDX-License-Identifier: MIT */
/*
 * varint: numbers in seven bits a byte, low bits first, the top bit set on all but the
 * last byte.
 */
#ifndef GS_LIB_INDEX_VARINT_H
#define GS_LIB_INDEX_VARINT_H

#include <stdint.h>

enum { GS_VARINT_BYTES_MAX = 10 };

/* Returns the end of what was written. */
static inline uint8_t *gs_varint_put(uint8_t *to, uint64_t x)
{
    while (x >= 0x80) {
        *to++ = (uint8_t)(x | 0x80);
        x >>= 7;
    }
    *to++ = (uint8_t)x;
    return to;
}

/* The bytes are known to be sound: a checksum was right, or they never left memory. */
static inline const uint8_t *gs_varint_get(const uint8_t *p, uint64_t *x)
{
    uint64_t value = *p & 0x7f;
    for (unsigned shift = 7; __builtin_expect(*p++ & 0x80, 0); shift += 7)
        value |= (uint64_t)(*p & 0x7f) << shift;
    *x = value;
    return p;
}

/* Negative and positive numbers of small size become small numbers. */
static inline uint64_t gs_zigzag(int64_t x)
{
    return (uint64_t)x << 1 ^ (uint64_t)(x >> 63);
}

static inline int64_t gs_unzigzag(uint64_t x)
{
    return (int64_t)(x >> 1) ^ -(int64_t)(x & 1);
}

#endif
