/* SPDX-License-Identifier: MIT */
/*
 * part_share: (a * b + c) / d of numbers whose product needs 128 bits.
 */
#ifndef GS_LIB_PART_PART_SHARE_H
#define GS_LIB_PART_PART_SHARE_H

#include <stdint.h>

__extension__ typedef unsigned __int128 gs_part_product;

/* The result fits into 64 bits where a < d. */
static inline uint64_t gs_part_share(uint64_t a, uint64_t b, uint64_t c, uint64_t d)
{
    return (uint64_t)(((gs_part_product)a * b + c) / d);
}

#endif
