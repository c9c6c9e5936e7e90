/* SPDX-License-Identifier: MIT */
/*
 * merge_policy: which segments of an index are merged, and when.
 *
 * Only neighbours are, since the order of documents stays. A search looks at each
 * segment, so they are to be few; but who merges too eagerly writes the same postings
 * again and again. Segments at the end are merged when they are eight or more, and the
 * largest of them is not more than all others together:
 *
 *      100  9 1 1 1 1 1 1 1       not yet: 9 is more than 7
 *      100  9 1 1 1 1 1 1 1 1     the ones
 *      100  9 8
 *
 * So what is written again is at least twice as large afterwards: a posting is written as
 * often as sizes double, and there are no more segments than eight and one for each
 * doubling. A segment of which a third is deleted is written anew by itself, and one of
 * which nothing is left goes, unless it is the only one.
 */
#ifndef GS_LIB_INDEX_GROW_MERGE_POLICY_H
#define GS_LIB_INDEX_GROW_MERGE_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GS_MERGE_SEGMENTS_MIN = 8, GS_MERGE_DELETED_PART = 3 };

typedef struct gs_segment_size {
    uint64_t bytes; /* of what is left, about */
    uint64_t documents, deleted;
} gs_segment_size;

/* Segments [*from, *to) are to be merged next; false: none. */
bool gs_merge_policy_pick(const gs_segment_size *sizes, size_t count, size_t *from,
                          size_t *to);

#endif
