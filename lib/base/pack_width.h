/* SPDX-License-Identifier: MIT */
/*
 * pack_width: in how many bits each the numbers of a block are shortest, as C that a
 * kernel can call.
 *
 * A block is a head, the low bits of every number, and, if some numbers have more bits,
 * how many do and how many more, their places and those bits
 * (lib/index/format/number_block.h). Widths are considered from the widest number's
 * downwards; of equal ones the largest stays, which has the fewest exceptions.
 */
#ifndef GS_LIB_BASE_PACK_WIDTH_H
#define GS_LIB_BASE_PACK_WIDTH_H

#include <stdbool.h>
#include <stddef.h>

#ifdef __CUDACC__
#define GS_WIDTH_BOTH static __host__ __device__ __forceinline__
#else
#define GS_WIDTH_BOTH static inline
#endif

enum {
    GS_EXCEPTION_HEAD_BYTES = 2,       /* how many, and of how many bits */
    GS_NUMBERS_HAVE_EXCEPTIONS = 0x40, /* in the head, above the bits */
    GS_NUMBERS_FEW = 8,                /* less have no head: they are varints */
};

typedef struct gs_pack_width {
    unsigned bits;                  /* of every number */
    unsigned exceptions, more_bits; /* numbers of more, and how many more */
    size_t bytes;                   /* of the block */
} gs_pack_width;

/* Whole bytes for so many numbers. */
GS_WIDTH_BOTH size_t gs_number_bytes(size_t count, unsigned bits)
{
    return (count * bits + 7) / 8;
}

/* Without exceptions. */
GS_WIDTH_BOTH gs_pack_width gs_pack_width_begin(size_t count, unsigned widest)
{
    const gs_pack_width width = {widest, 0, 0, 1 + gs_number_bytes(count, widest)};
    return width;
}

/* With so many bits, which `larger` numbers exceed. False: with less no block is as short
 * as the best so far. */
GS_WIDTH_BOTH bool gs_pack_width_consider(gs_pack_width *best, size_t count,
                                          unsigned bits, unsigned larger, unsigned widest)
{
    const size_t exceptions =
        GS_EXCEPTION_HEAD_BYTES + larger + gs_number_bytes(larger, widest - bits);
    const size_t bytes = 1 + gs_number_bytes(count, bits) + exceptions;
    if (bytes < best->bytes) {
        best->bits = bits;
        best->exceptions = larger;
        best->more_bits = widest - bits;
        best->bytes = bytes;
    }
    return 1 + exceptions < best->bytes;
}

#endif
