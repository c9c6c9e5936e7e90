/* SPDX-License-Identifier: MIT */
/*
 * bucket_copy: the records of buckets, each bucket's copied close together.
 *
 *      arena   | .. r3 ...... r9 .. r17 ............ r21 .... |   gigabytes
 *      copy    | r3 | r9 | r17 | r21 |                            a cache full
 *
 * A bucket's elements still stand in input order, so that copying walks the arena
 * forward. Sorting and gathering jump about in the copy instead: in a large arena nearly
 * every record would cost a miss of the address translation, which prefetching does not
 * hide. One bucket alone has a record in every tenth page or so and still pays for each;
 * so many are copied together, one window of the arena after the other:
 *
 *      arena   | a b . c a . b . . c a a | b . c . a b . c . . a b |
 *                      window                     window
 *      copies  | a a a a | .. a a    | b b | .. b b b     | c c | .. c c
 *
 * That begins where huge pages no longer reach, and sooner in mapped files, whose pages
 * are small. On an EPYC with 2 cores and 24 GB, 10 GB of mapped lines took 42 % of their
 * processor time to copy bucket by bucket, 41 ns a line; 80 buckets at once take 14.
 *
 * Text of keyed records is looked at twice, first for how long it is, and pays earlier,
 * bucket by bucket: 1 GB of tuples (4 GB in the arena and beside it) took a ninth less
 * with the copy.
 */
#ifndef GS_LIB_SORT_BUCKET_BUCKET_COPY_H
#define GS_LIB_SORT_BUCKET_BUCKET_COPY_H

#include "lib/base/status.h"
#include "lib/sort/bucket/element.h"
#include "lib/sort/record/records.h"

/* Not worth it in a smaller arena, or half of it in mapped files. Builds that are for
 * testing copy nearly always. */
#ifndef GS_BUCKET_COPY_ARENA_MIN
#define GS_BUCKET_COPY_ARENA_MIN ((size_t)4 << 30)
#endif
/* Text of keyed records is copied in a smaller arena too, from this size on. */
#ifndef GS_BUCKET_COPY_KEYED_MIN
#define GS_BUCKET_COPY_KEYED_MIN ((size_t)16 << 20)
#endif

/* Room for copies, one worker's. Zeroed at first. */
typedef struct gs_bucket_copy {
    uint8_t *data;
    size_t capacity;
} gs_bucket_copy;

/* More is not worth it. */
#define GS_BUCKET_COPY_ROOM_MAX ((size_t)256 << 20)
/* How many buckets, of so many bytes on average, are to be copied together; 0: none. */
size_t gs_bucket_copy_together(size_t room_bytes, size_t bucket_bytes);

GS_MUST_CHECK gs_code gs_bucket_copy_init(gs_bucket_copy *copy, size_t capacity,
                                          gs_status *st);
void gs_bucket_copy_release(gs_bucket_copy *copy);

/* A bucket that can be sorted. */
typedef struct gs_near_bucket {
    gs_element *elements; /* NULL: not put yet (bucket_set.h) */
    gs_element *scratch;  /* room for as many; NULL: what a worker has beside is enough */
    size_t count;
    size_t begin;         /* how many elements are in the buckets before it, if known */
    const uint8_t *arena; /* what the elements point into */
    size_t depth;         /* where their words were taken, and all agree before it */
    bool has_next;        /* the next words hold what follows the prefixes */
    bool is_settled;      /* all records equal, or already in order */
    size_t same_count;    /* > 0: it is one record, so many times */
    uint8_t *heads;       /* the arena, if two bytes before each record are free */
    bool has_twins;       /* which say how many records each element stands for */
    uint64_t line_bytes;  /* of its lines with their ends; 0: not known */

    /* Where its records are copied to, and how far that has come. */
    uint8_t *to; /* NULL: they stay where they are */
    size_t copied_bytes, copied_count, to_bytes;
    void *own; /* a map for it alone: it had no room beside the others */
    size_t own_bytes;
} gs_near_bucket;

/* Copies the records of those of the buckets that are not settled and have room, and
 * points their elements there; of the others the arena is `arena` as before. */
void gs_bucket_copy_take(gs_bucket_copy *copy, const gs_record_layout *layout,
                         const uint8_t *arena, gs_near_bucket *buckets,
                         size_t bucket_count);

#endif
