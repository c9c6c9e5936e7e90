/* SPDX-License-Identifier: MIT */
/*
 * posting_gap: how a gap between documents and a frequency become varints.
 *
 *      gap << 1 | 1             the frequency is 1
 *      gap << 1, frequency      it is not
 *
 * In the lists that grow in memory and in runs.
 */
#ifndef GS_LIB_INDEX_FORMAT_POSTING_GAP_H
#define GS_LIB_INDEX_FORMAT_POSTING_GAP_H

#include <stdbool.h>

#include "lib/index/format/varint.h"

/* The first number of a posting, and what it says. */
static inline uint64_t gs_gap_head(uint64_t gap, bool is_once)
{
    return gap << 1 | is_once;
}

static inline uint64_t gs_gap_of(uint64_t head)
{
    return head >> 1;
}

static inline bool gs_gap_is_once(uint64_t head)
{
    return (head & 1) != 0;
}

/* Writes both; returns the end of them. */
static inline uint8_t *gs_gap_put(uint8_t *to, uint64_t gap, uint64_t tf)
{
    to = gs_varint_put(to, gs_gap_head(gap, tf == 1));
    return tf == 1 ? to : gs_varint_put(to, tf);
}

#endif
