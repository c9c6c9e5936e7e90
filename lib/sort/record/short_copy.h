/* SPDX-License-Identifier: MIT */
/*
 * short_copy: copy a record, which most often is short.
 *
 * Lengths of records are random, so a loop over them, or a branch on them, is guessed
 * wrong every other time; that costs more than the moves saved.
 */
#ifndef GS_LIB_SORT_RECORD_SHORT_COPY_H
#define GS_LIB_SORT_RECORD_SHORT_COPY_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { GS_SHORT_COPY_BYTES = 64 };

/* May read and write up to GS_SHORT_COPY_BYTES past the ends of what is shorter than
 * that. A longer record is copied by pieces of as much, the last of which ends where it
 * does: what compilers make of a copy that they know to be of some hundred bytes at most
 * takes longer to begin than that takes. */
static inline void gs_copy_short(uint8_t *to, const uint8_t *from, size_t bytes)
{
    enum { PIECE = GS_SHORT_COPY_BYTES };
    memcpy(to, from, PIECE);
    if (__builtin_expect(bytes > PIECE, 0)) {
        const size_t last = bytes - PIECE;
        for (size_t at = PIECE; at < last; at += PIECE)
            memcpy(to + at, from + at, PIECE);
        memcpy(to + last, from + last, PIECE);
    }
}

#endif
