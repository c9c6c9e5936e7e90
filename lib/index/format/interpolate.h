/* SPDX-License-Identifier: MIT */
/*
 * interpolate: numbers that ascend, between two bounds, by binary interpolative coding.
 *
 * The middle number comes first, in as many bits as tell it from all others that it could
 * be, given how many must fit below and above it; then both halves, between closer
 * bounds. Where numbers lie close, their bounds leave no choice, and they take no bits.
 *
 *      7 numbers in [1, 20]        3 8 9 11 12 13 17
 *      11 is one of [4, 17]              11             14 choices
 *      8 and 13: [2, 9], [13, 19]     8        13        8 and 7 choices
 *      3 9 12 17                   3     9  12    17     7, 2, 1 and 7 choices
 *
 * One of r choices takes the floor or the ceiling of log2 r bits, those in the middle of
 * the range the floor. Bits fill bytes from the low end. Whatever the bytes are, what is
 * read ascends between the bounds.
 */
#ifndef GS_LIB_INDEX_FORMAT_INTERPOLATE_H
#define GS_LIB_INDEX_FORMAT_INTERPOLATE_H

#include <stddef.h>
#include <stdint.h>

/* Bits on their way to bytes; up to seven bytes behind the end are written to. */
typedef struct gs_bit_writer {
    uint8_t *to;
    uint64_t word; /* of which `used` bits are not written yet, less than 8 */
    unsigned used;
} gs_bit_writer;

typedef struct gs_bit_reader {
    const uint8_t *begin, *end; /* behind the end, seven bytes are readable */
    uint64_t at;                /* in bits; behind the end there are zeros */
} gs_bit_reader;

enum { GS_BITS_MAX = 56 }; /* at once */

void gs_bits_put(gs_bit_writer *w, uint64_t x, unsigned bits);
/* The last byte is filled with zeros; returns the end. */
uint8_t *gs_bits_end(gs_bit_writer *w);
uint64_t gs_bits_get(gs_bit_reader *r, unsigned bits);

/* Strictly ascending, in [low, high], which has room for them; at most 2^56 choices. */
void gs_interpolate_put(gs_bit_writer *w, const uint64_t *numbers, size_t count,
                        uint64_t low, uint64_t high);
void gs_interpolate_get(gs_bit_reader *r, uint64_t *numbers, size_t count, uint64_t low,
                        uint64_t high);

#endif
