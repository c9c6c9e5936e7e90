/* SPDX-License-Identifier: MIT */
/*
 * bucket_copy: the records of one bucket, copied close together.
 *
 *      arena   | .. r3 ...... r9 .. r17 ............ r21 .... |   gigabytes
 *      copy    | r3 | r9 | r17 | r21 |                            a cache full
 *
 * A bucket's elements still stand in input order, so that copying walks the arena
 * forward. Sorting and gathering jump about in the copy instead: in a large arena nearly
 * every record would cost a miss of the address translation, which prefetching does not
 * hide. That begins where huge pages no longer reach: on an EPYC with 24 GB, 10 GB of
 * lines took a sixth less processor time with the copy, and 4 GB a twentieth more.
 *
 * Text of keyed records is looked at twice, first for how long it is, and pays earlier:
 * 1 GB of tuples (4 GB in the arena and beside it) took a ninth less with the copy.
 */
#ifndef GS_LIB_SORT_BUCKET_COPY_H
#define GS_LIB_SORT_BUCKET_COPY_H

#include "lib/base/status.h"
#include "lib/sort/element.h"
#include "lib/sort/record.h"

/* Not worth it in a smaller arena. Builds that are for testing copy always. */
#ifndef GS_BUCKET_COPY_ARENA_MIN
#define GS_BUCKET_COPY_ARENA_MIN ((size_t)4 << 30)
#endif
/* Nor, for text of keyed records, in one smaller than this. */
#ifndef GS_BUCKET_COPY_KEYED_MIN
#define GS_BUCKET_COPY_KEYED_MIN ((size_t)16 << 20)
#endif

/* One worker's. Zeroed at first. */
typedef struct gs_bucket_copy {
    uint8_t *data;
    size_t capacity;
} gs_bucket_copy;

GS_MUST_CHECK gs_code gs_bucket_copy_init(gs_bucket_copy *copy, size_t capacity,
                                          gs_status *st);
void gs_bucket_copy_release(gs_bucket_copy *copy);

/* Copies the records of `elements`, which then point into `copy->data` instead of the
 * arena. False, and nothing has changed, if they do not fit. */
bool gs_bucket_copy_take(gs_bucket_copy *copy, const gs_record_layout *layout,
                         const uint8_t *arena, gs_element *elements,
                         size_t element_count);

#endif
