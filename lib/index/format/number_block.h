/* SPDX-License-Identifier: MIT */
/*
 * number_block: up to 128 numbers in few bits, a few large ones among them set right
 * afterwards.
 *
 *      +------+--------------------------+-------+------+---------+--------------+
 *      | head | low bits of every number | count | bits | places  | high bits    |
 *      +------+--------------------------+-------+------+---------+--------------+
 *        u8     b bits each                u8      u8     u8 each   `bits` each
 *                                        \______ only if the head says so _______/
 *
 * The head has b in its low six bits and whether exceptions follow in the one above. b is
 * the width that makes all of it shortest; a number of more bits is an exception, whose
 * place in the block is told, and what is missing of it. Numbers lie one after the other,
 * low bits first (lib/index/format/posting_pack.h). Less than GS_NUMBERS_FEW numbers are
 * varints, without a head. The bytes follow from the numbers alone.
 */
#ifndef GS_LIB_INDEX_FORMAT_NUMBER_BLOCK_H
#define GS_LIB_INDEX_FORMAT_NUMBER_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/index/format/number_plan.h"

enum {
    GS_NUMBERS_MAX = GS_PACK_COUNT,
    /* Never longer than without exceptions. */
    GS_NUMBERS_BYTES_MAX = 1 + GS_PACK_BITS_MAX * GS_PACK_COUNT / 8,
};

/* What a head says, and where it all lies. */
typedef struct gs_number_shape {
    unsigned bits;                      /* of every number */
    unsigned exceptions, more_bits;     /* of those */
    const uint8_t *low, *places, *high; /* what is packed; what is missing, and where */
} gs_number_shape;

/* How many bytes `put` writes. */
size_t gs_numbers_bytes(const uint64_t *numbers, size_t count);
/* Numbers of at most GS_PACK_BITS_MAX bits; up to GS_PACK_SLACK bytes behind the end are
 * written, too. Returns the end. */
uint8_t *gs_numbers_put(uint8_t *to, const uint64_t *numbers, size_t count);
/* The same of at least GS_NUMBERS_FEW whose plan is made. */
uint8_t *gs_numbers_put_planned(uint8_t *to, const uint64_t *numbers, size_t count,
                                const gs_number_plan *plan);

/* Looks at the head of at least GS_NUMBERS_FEW numbers and goes behind them; false if
 * they do not end before `end`. */
bool gs_numbers_shape(gs_number_shape *out, const uint8_t **p, const uint8_t *end,
                      size_t count);
/* Reads what the shape tells of. False if a place is none, which is read as another. */
bool gs_numbers_read(const gs_number_shape *shape, size_t count, uint64_t *numbers);
/* Are they of so few bits that GS_PACK_AVX2 reads 128 of them to 32 bits each? */
static inline bool gs_numbers_are_narrow(const gs_number_shape *shape)
{
    return shape->bits + shape->more_bits <= GS_PACK_NARROW_BITS_MAX;
}
/* Reads 128 of them, as above; for a processor that has GS_PACK_AVX2. */
bool gs_numbers_read_narrow(const gs_number_shape *shape, uint32_t *numbers);
/* Number i of them. What is out of place is none of it. */
uint64_t gs_numbers_read_one(const gs_number_shape *shape, size_t i);
/* Goes behind any number of numbers. */
bool gs_numbers_pass(const uint8_t **p, const uint8_t *end, size_t count);
/* Reads them, up to GS_PACK_SLACK bytes behind their end, too; false if they are no
 * numbers. `numbers` has room for GS_NUMBERS_MAX. */
bool gs_numbers_get(const uint8_t **p, const uint8_t *end, size_t count,
                    uint64_t *numbers);

#endif
