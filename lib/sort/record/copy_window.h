/* SPDX-License-Identifier: MIT */
/*
 * copy_window: what bucket_copy and early_split share, which copy the records of many
 * buckets close together, one window of the arena after the other.
 */
#ifndef GS_LIB_SORT_RECORD_COPY_WINDOW_H
#define GS_LIB_SORT_RECORD_COPY_WINDOW_H

#include "lib/sort/record/record.h"
#include "lib/sort/record/short_copy.h"

enum {
    /* Its pages, with a few for each bucket that are ahead, are within reach of the
     * second-level table of translations (2048 entries or more). */
    GS_COPY_WINDOW_BYTES = 4 << 20,
    GS_COPY_PREFETCH_AHEAD = 32,
    /* Behind copies: what short ones write there, and words read past a string. */
    GS_COPY_SLACK = 2 * GS_SHORT_COPY_BYTES,
};

/* What no `where` of a record in a window that ends at this offset reaches. The last
 * window, beyond all that can be packed, has no end. */
static inline uint64_t gs_copy_window_bound(uint64_t end)
{
    return end > UINT64_MAX >> GS_WHERE_LENGTH_BITS ? UINT64_MAX
                                                    : end << GS_WHERE_LENGTH_BITS;
}

#endif
