/* SPDX-License-Identifier: MIT */
/*
 * varint: numbers in seven bits a byte, low bits first, the top bit set on all but the
 * last byte.
 */
#ifndef GS_LIB_INDEX_FORMAT_VARINT_H
#define GS_LIB_INDEX_FORMAT_VARINT_H

#include <endian.h>
#include <stdint.h>
#include <string.h>

enum {
    GS_VARINT_BYTES_MAX = 10,
    GS_VARINT_SHORT_BYTES = 4,
};

/* Below it are the numbers of at most GS_VARINT_SHORT_BYTES. */
#define GS_VARINT_SHORT_MAX (UINT64_C(1) << 28)

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

/* Bytes of a short number. */
static inline unsigned gs_varint_short_bytes(uint64_t x)
{
    return (70 - (unsigned)__builtin_clzll(x | 1)) / 7;
}

/* Puts a short number of that many bytes without a branch; always stores
 * GS_VARINT_SHORT_BYTES. */
static inline void gs_varint_put_short(uint8_t *to, uint64_t x, unsigned bytes)
{
    const uint64_t spread =
        (x & 0x7f) | (x & 0x3f80) << 1 | (x & 0x1fc000) << 2 | (x & 0xfe00000) << 3;
    const uint64_t more = UINT64_C(0x80808080) & ((UINT64_C(1) << 8 * (bytes - 1)) - 1);
    const uint32_t word = htole32((uint32_t)(spread | more));
    memcpy(to, &word, sizeof word);
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
