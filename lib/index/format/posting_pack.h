/* SPDX-License-Identifier: MIT */
/*
 * posting_pack: blocks of 128 numbers in as few bits each as the largest needs.
 *
 * Numbers stand one after the other, low bits first, so a block of b bits a number has
 * 16 * b bytes and every number can be read by one load of eight bytes, a shift and a
 * mask; widths up to 40 bits, as docIDs have, need no second kind of code. Nothing
 * depends on the data. Reading is vector code where the processor has AVX-512 (with
 * VBMI and VBMI2) or AVX2, chosen as the program runs; the bytes are the same everywhere.
 *
 * Why not StreamVByte, which is read about as fast: bytes a posting (docID and
 * frequency), and thousands of millions of numbers a second on one core of an AMD EPYC
 * (Zen 5), measured by `make codec-bench` on full blocks of 1 GB of Zipf documents, of
 * which there are 139 million postings, and of the texts of corpus/:
 *
 *                                          bytes: Zipf   texts     written   read
 *      packed, AVX-512                           1.250   1.300       1.55   14.1
 *      packed, AVX2                                                         10.4
 *      packed, no vector code                                                2.0
 *      StreamVByte of 0, 1, 2, 4 bytes           1.764   1.494       0.27    9.5
 *      StreamVByte of 1 to 4 bytes               2.802   2.622       0.33    8.6
 *
 * The library's writing is what Debian builds, without vector code; its reading here has
 * SSSE3. How few bits a block has, and that some numbers may have more, is decided in
 * lib/index/format/number_block.h; the tail of a list is in another code
 * (lib/index/format/posting_tail.h).
 */
#ifndef GS_LIB_INDEX_FORMAT_POSTING_PACK_H
#define GS_LIB_INDEX_FORMAT_POSTING_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GS_PACK_COUNT = 128,
    GS_PACK_BITS_MAX = 40,
    GS_PACK_NARROW_BITS_MAX = 24,
    GS_PACK_SLACK = 16, /* bytes that are read beyond the end */
};

/* Ways to read, better ones last. */
typedef enum gs_pack_way {
    GS_PACK_PLAIN,
    GS_PACK_AVX2,
    GS_PACK_AVX512,
    GS_PACK_WAY_COUNT,
} gs_pack_way;

static inline size_t gs_pack_bytes(unsigned bits)
{
    return (size_t)bits * GS_PACK_COUNT / 8;
}

/* Writes the low bits of any count of them, the last byte filled with zeros, so that
 * GS_PACK_COUNT have gs_pack_bytes(bits) bytes; returns the end. */
uint8_t *gs_pack_put_some(uint8_t *to, const uint64_t *numbers, size_t count,
                          unsigned bits);
/* Reads them in the best way there is; up to GS_PACK_SLACK bytes beyond are read. */
void gs_pack_get(const uint8_t *from, unsigned bits, uint64_t *numbers);

/* Reads numbers of at most GS_PACK_NARROW_BITS_MAX bits to 32 bits each, which
 * GS_PACK_AVX2 does in half the time. Only a processor that has that way can do it. */
void gs_pack_get_narrow(const uint8_t *from, unsigned bits, uint32_t *numbers);

/* Has this processor what it takes? */
bool gs_pack_has_way(gs_pack_way way);
gs_pack_way gs_pack_best_way(void);
/* For tests and measurements: the same in a way that it has. */
void gs_pack_get_by(gs_pack_way way, const uint8_t *from, unsigned bits,
                    uint64_t *numbers);

#endif
