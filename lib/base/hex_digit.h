/* SPDX-License-Identifier: MIT */
/*
 * hex_digit: what a hexadecimal digit of ASCII, in either case, stands for.
 */
#ifndef GS_LIB_BASE_HEX_DIGIT_H
#define GS_LIB_BASE_HEX_DIGIT_H

#include <stdint.h>

/* -1: it is none. */
static inline int gs_hex_digit(uint8_t c)
{
    const uint8_t lower = c | 0x20;
    if (c >= '0' && c <= '9')
        return c - '0';
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}

#endif
