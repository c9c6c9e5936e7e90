/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * count_merge: two lists of keys with their counts, each in order, to one.
 *
 * By bitonic merge, eight entries at a time, where the processor has vectors of 512 bits:
 *
 *      held, of either list     1 4 6 7 8 9 11 12        the next eight of the list whose
 *      next eight, turned round 10 5 5 4 4 3 2 2         next key is lower
 *        lower of each lane     1 4 5 4 4 3 2 2  ->  1 2 2 3 4 4 4 5      go out
 *        higher of each lane    10 5 6 7 8 9 11 12 -> 5 6 7 8 9 10 11 12  are held
 *
 * Either row is bitonic then, so lanes that are four, two and one apart are compared and
 * changed to put both in order: three steps for all sixteen. A key that both lists have
 * comes out twice, side by side, and is added up on its way.
 *
 * Counts go with their keys. Nothing is kept; any number of threads.
 */
/* clang-format on */
#ifndef GS_LIB_STREAM_COUNT_MERGE_H
#define GS_LIB_STREAM_COUNT_MERGE_H

#include <stddef.h>
#include <stdint.h>

typedef struct gs_key_count {
    uint64_t key, count;
} gs_key_count;

/* Ways to do it, better ones last. */
typedef enum gs_count_merge_way {
    GS_COUNT_MERGE_PLAIN,
    GS_COUNT_MERGE_BITONIC,
    GS_COUNT_MERGE_WAYS,
} gs_count_merge_way;

/* The best one of this processor. */
gs_count_merge_way gs_count_merge_best_way(void);

/* Keys ascend in either list. `to` has room for all of them, and is neither. How many
 * there are then. */
size_t gs_count_merge(gs_count_merge_way way, gs_key_count *to, const gs_key_count *a,
                      size_t a_count, const gs_key_count *b, size_t b_count);

#endif
