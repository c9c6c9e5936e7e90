/* SPDX-License-Identifier: MIT */
/*
 * bucket_split: cut a chunk's elements into buckets that follow each other in order, by
 * all threads together.
 *
 * A sample of the prefixes gives splitters; every element finds its bucket by a
 * branch-free search over them; counts are summed; elements move to their bucket, input
 * order kept:
 *
 *      elements   [ d a c b a d | b c a a d c ]      two slices, one a thread
 *      counts       a1 b1 c1 d2   a2 b1 c2 d1
 *      scratch    [ a a a | b b | c c c | d d d ]    buckets
 *
 * A bucket stays too large when many records share a prefix (a frequent word) or the
 * sample missed (sorted input never does that to us: the sample is spread evenly). Such a
 * bucket is cut again, by finer splitters, or by the next bytes of the strings if its
 * prefixes are all equal. Where nearly all go on together that way time after time, the
 * next cut compares whole strings (whole_splitters.h). At the end every bucket is small
 * enough for one thread, or holds only equal records.
 */
#ifndef GS_LIB_SORT_BUCKET_BUCKET_SPLIT_H
#define GS_LIB_SORT_BUCKET_BUCKET_SPLIT_H

#include "lib/base/team.h"
#include "lib/sort/bucket/bucket_copy.h"
#include "lib/sort/bucket/element.h"
#include "lib/sort/record/records.h"

/* Of fewer bytes of elements no pages are given back, and what goes back are the largest
 * pages that there are. Builds that are for testing always give back, and smaller ones.
 */
#ifndef GS_BUCKET_GIVE_BACK_MIN
#define GS_BUCKET_GIVE_BACK_MIN  ((size_t)64 << 20)
#define GS_BUCKET_GIVE_BACK_PAGE (1 << 21)
#endif

/* What giving back costs a worker at most: a few pages at each place that it moves
 * elements to, the part of them that it is moving, and a gs_bucket_scratch. */
#ifndef GS_BUCKET_GIVE_BACK_COST
#define GS_BUCKET_GIVE_BACK_COST ((size_t)72 << 20)
#endif

typedef struct gs_bucket {
    size_t begin, count;
    size_t depth;       /* where the prefixes were taken, and all agree before it */
    bool has_next;      /* the next words hold what follows the prefixes */
    bool is_in_scratch; /* which of the two arrays holds it; the other is free there */
    bool is_settled;    /* all records equal, or already in order */
    unsigned idle_cuts; /* so many in a row, 8 bytes deeper each, left nearly all here */
    bool is_last;       /* nothing cuts it */
} gs_bucket;

typedef struct gs_bucket_list {
    gs_bucket *buckets;
    size_t count, capacity;
} gs_bucket_list;

typedef struct gs_bucket_split {
    const gs_record_layout *layout;
    const uint8_t *arena;
    gs_element *elements, *scratch;
    uint16_t *bucket_ids; /* room for element_count */
    size_t element_count;
    size_t bucket_elements; /* how many a bucket should hold, about */
    bool gives_back; /* pages of elements that have moved on, and do not come back */
    bool is_tight;   /* there is no memory for huge pages where elements move to */
} gs_bucket_split;

/* A bucket's elements, and the place for as many in the other array. */
static inline gs_element *gs_bucket_here(const gs_bucket_split *split,
                                         const gs_bucket *bucket)
{
    return (bucket->is_in_scratch ? split->scratch : split->elements) + bucket->begin;
}
static inline gs_element *gs_bucket_there(const gs_bucket_split *split,
                                          const gs_bucket *bucket)
{
    return (bucket->is_in_scratch ? split->elements : split->scratch) + bucket->begin;
}

enum {
    /* With scratch, 1 MiB: a second-level cache. */
    GS_BUCKET_ELEMENTS = 1 << 15,
    GS_BUCKET_ELEMENTS_MIN = 1 << 10,
};

/* Fills `out` (zeroed by the caller, released with gs_bucket_list_release). Both
 * words of `elements` are those at depth 0. */
GS_MUST_CHECK gs_code gs_bucket_split_run(const gs_bucket_split *split, gs_team *team,
                                          gs_bucket_list *out, gs_status *st);
void gs_bucket_list_release(gs_bucket_list *list);

/* Elements that a worker has beside it, for gs_near_bucket_sort to use in place of pages
 * that were given back; none is fine too. */
typedef struct gs_bucket_scratch {
    gs_element *elements;
    size_t capacity;
} gs_bucket_scratch;

/* Enough for most buckets. */
size_t gs_bucket_scratch_capacity(const gs_bucket_split *split);

/* The bucket as it lies in its arrays. */
gs_near_bucket gs_bucket_near(const gs_bucket_split *split, const gs_bucket *bucket);

/* Elements of a bucket are not needed any more: their pages go back now, by many threads,
 * and not at the end by one. */
void gs_bucket_drop(const gs_bucket_split *split, const gs_near_bucket *bucket);

/* Puts one bucket in order; the result is in `elements`. */
void gs_near_bucket_sort(const gs_near_bucket *bucket, const gs_record_layout *layout,
                         const gs_bucket_scratch *scratch);

#endif
