/* SPDX-License-Identifier: MIT */
/*
 * posting_tail: the postings of a list behind its last full block.
 *
 *      documents                  interpolated, from the least that is possible on
 *      what frequencies come to   beyond one each; only where it is not known: 6 bits for
 *                                 the width of it, then the number
 *      frequencies                interpolated, as their sums from the first on; only if
 *                                 any is more than 1
 *
 * In most lists that is all there is: half of the terms of real texts come in two or more
 * documents, and nine of ten of those in less than 128. The code is
 * lib/index/format/interpolate.h's.
 */
#ifndef GS_LIB_INDEX_FORMAT_POSTING_TAIL_H
#define GS_LIB_INDEX_FORMAT_POSTING_TAIL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GS_TAIL_MAX = 127, /* postings */
    /* A document takes 40 bits at most, a sum of frequencies 39, and both one more. */
    GS_TAIL_BYTES_MAX = GS_TAIL_MAX * 11,
};

/* What is known before it is read. */
typedef struct gs_tail_frame {
    size_t count;
    uint64_t first, below; /* documents are in [first, below) */
    bool has_more;
    uint64_t more; /* what frequencies come to, beyond 1 each; if has_more */
} gs_tail_frame;

/* Documents, and frequencies less 1; up to seven bytes behind the end are written to.
 * Returns the end. */
uint8_t *gs_tail_put(uint8_t *to, const gs_tail_frame *frame, const uint64_t *docs,
                     const uint64_t *tfs_less_one);
/* Reads all of [from, end) and up to seven bytes behind it, documents and frequencies.
 * False if that is no such tail; then they may be anything. */
bool gs_tail_get(const uint8_t *from, const uint8_t *end, const gs_tail_frame *frame,
                 uint64_t *docs, uint64_t *tfs);

#endif
