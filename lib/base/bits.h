/* SPDX-License-Identifier: MIT */
/*
 * bits: how many bits a number has.
 */
#ifndef GS_LIB_BASE_BITS_H
#define GS_LIB_BASE_BITS_H

#include <stdint.h>

/* Without leading zeros: of 0, 0. */
static inline unsigned gs_bit_length(uint64_t x)
{
    return x == 0 ? 0 : 64 - (unsigned)__builtin_clzll(x);
}

#endif
