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

/* May read and write up to GS_SHORT_COPY_BYTES past the ends. */
static inline void gs_copy_short(uint8_t *to, const uint8_t *from, size_t bytes)
{
    memcpy(to, from, GS_SHORT_COPY_BYTES);
    if (__builtin_expect(bytes > GS_SHORT_COPY_BYTES, 0))
        memcpy(to + GS_SHORT_COPY_BYTES, from + GS_SHORT_COPY_BYTES,
               bytes - GS_SHORT_COPY_BYTES);
}

#endif
