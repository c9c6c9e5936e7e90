/* SPDX-License-Identifier: MIT */
/*
 * distinct_sketch: about how many different values came, by their hashes, in 16 KiB.
 *
 * A register keeps the longest run of leading zeros of the hashes that fell to it
 * (HyperLogLog). Sketches of parts make that of the whole, in any order. The estimate's
 * standard error is GS_DISTINCT_ERROR of the number; it is from Ertl's formula, which
 * holds from 0 to 2^64 without tables.
 */
#ifndef GS_LIB_STREAM_DISTINCT_SKETCH_H
#define GS_LIB_STREAM_DISTINCT_SKETCH_H

#include <stdint.h>

enum { GS_DISTINCT_BITS = 14, GS_DISTINCT_REGISTERS = 1 << GS_DISTINCT_BITS };

#define GS_DISTINCT_ERROR 0.0081 /* 1.04 / sqrt(registers) */

/* Zeroed: none came. */
typedef struct gs_distinct_sketch {
    uint8_t registers[GS_DISTINCT_REGISTERS];
} gs_distinct_sketch;

static inline void gs_distinct_add(gs_distinct_sketch *s, uint64_t hash)
{
    const uint64_t low = hash << GS_DISTINCT_BITS;
    const unsigned zeros =
        low == 0 ? 64 - GS_DISTINCT_BITS : (unsigned)__builtin_clzll(low);
    uint8_t *const r = &s->registers[hash >> (64 - GS_DISTINCT_BITS)];
    if (zeros + 1 > *r)
        *r = (uint8_t)(zeros + 1);
}

void gs_distinct_merge(gs_distinct_sketch *to, const gs_distinct_sketch *from);
uint64_t gs_distinct_estimate(const gs_distinct_sketch *s);

#endif
