/* SPDX-License-Identifier: MIT */
/*
 * copy_window: copies the records of many buckets close together, one window of the arena
 * after the other.
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

/* The least `where` of a record behind a window that ends at this offset. The last
 * window, beyond all that can be packed, has no end. */
static inline uint64_t gs_copy_window_bound(uint64_t end)
{
    return end > UINT64_MAX >> GS_WHERE_LENGTH_BITS ? UINT64_MAX
                                                    : end << GS_WHERE_LENGTH_BITS;
}

/* Copies those records of a source (a bucket, or a list of a bucket) whose `where` is
 * less than `bound`; true if it has more. */
typedef bool gs_copy_window_fn(void *context, size_t source, uint64_t bound);

/* Has all sources copied. `begin` is the offset of the first record of any; a worker
 * that has more when all others are through may take the rest at once. */
static inline void gs_copy_windows(uint64_t begin, size_t source_count,
                                   gs_copy_window_fn *copy, void *context)
{
    size_t left = source_count;
    for (uint64_t end = begin + GS_COPY_WINDOW_BYTES; left > 0;
         end += GS_COPY_WINDOW_BYTES) {
        const uint64_t bound = left == 1 ? UINT64_MAX : gs_copy_window_bound(end);
        left = 0;
        for (size_t i = 0; i < source_count; i++)
            left += copy(context, i, bound);
    }
}

#endif
