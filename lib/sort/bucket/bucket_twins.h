/* SPDX-License-Identifier: MIT */
/*
 * bucket_twins: records of a bucket that are the same, found before it is sorted.
 *
 * Real lines come again and again: of 36 M lines of Linux 16 M are distinct. To sort two
 * that are the same takes longest of all, since each compare of them goes to their end.
 * So a table of those seen leaves one element for all twins, and that one is sorted:
 *
 *      elements   a b a c a b d  ->  a b c d        counts, in the records' heads
 *                                    3 2 1 1
 *
 * It can be done where two bytes before each record are free, as they are on lists once
 * elements know how long the records are: they take the count. Of strings that end within
 * an element's words nothing else is read.
 */
#ifndef GS_LIB_SORT_BUCKET_BUCKET_TWINS_H
#define GS_LIB_SORT_BUCKET_BUCKET_TWINS_H

#include <string.h>

#include "lib/sort/bucket/bucket_copy.h"

/* One worker's. Zeroed at first; released at the end. */
typedef struct gs_twin_search {
    uint32_t *slots;
    size_t capacity;
    unsigned pause, left_of_pause; /* buckets that are left alone, after one of few */
} gs_twin_search;

/* Of plain records with heads that may be written to: leaves the first of each that are
 * the same, and bucket->has_twins says that the heads have counts. A bucket that is too
 * large for it, or like buckets that had few twins, stays as it is. */
GS_MUST_CHECK gs_code gs_twins_find(gs_twin_search *t, gs_near_bucket *bucket,
                                    gs_status *st);
void gs_twin_search_release(gs_twin_search *t);

typedef uint16_t gs_twin_count; /* before a record */

/* How many records the element stands for, of a bucket that has_twins. */
static inline uint64_t gs_twins_count(const uint8_t *arena, const gs_element *e)
{
    gs_twin_count count;
    memcpy(&count, arena + gs_where_offset(e->where) - sizeof count, sizeof count);
    return count;
}

#endif
