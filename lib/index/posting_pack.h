/* SPDX-License-Identifier: MIT */
/*
 * posting_pack: blocks of 128 numbers in as few bits each as the largest needs.
 *
 * Numbers stand one after the other, low bits first, so a block of b bits a number has
 * 16 * b bytes and every number can be read by one load of eight bytes, a shift and a
 * mask; widths up to 40 bits, as docIDs have, need no second kind of code. No branch
 * depends on the data, and the compiler turns the loops into vector code.
 */
#ifndef GS_LIB_INDEX_POSTING_PACK_H
#define GS_LIB_INDEX_POSTING_PACK_H

#include <stddef.h>
#include <stdint.h>

enum { GS_PACK_COUNT = 128, GS_PACK_BITS_MAX = 40 };

static inline size_t gs_pack_bytes(unsigned bits)
{
    return (size_t)bits * GS_PACK_COUNT / 8;
}

/* The bits that the largest of the numbers needs; 0 if all are 0. */
unsigned gs_pack_width(const uint64_t *numbers);
/* Writes gs_pack_bytes(bits) bytes; returns the end of them. */
uint8_t *gs_pack_put(uint8_t *to, const uint64_t *numbers, unsigned bits);
/* Reads them; up to eight bytes beyond may be read. */
void gs_pack_get(const uint8_t *from, unsigned bits, uint64_t *numbers);

#endif
