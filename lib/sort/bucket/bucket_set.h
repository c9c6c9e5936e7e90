/* SPDX-License-Identifier: MIT */
/*
 * bucket_set: the records of a chunk as buckets that follow each other in order, in
 * whatever way they are kept. A bucket is brought close, put in order, sent on, dropped:
 *
 *      kept        | .. b .. a .. c .. a .. b .. b .. c .. a .. c .. |   gigabytes
 *        bring          one bucket or some, in the room of a worker
 *        put_elements   of those that were brought without
 *      near        elements a a a --> | record record record |         a cache full
 *        gs_near_bucket_sort
 *        drop
 *
 * Who keeps buckets in another way has a gs_buckets in his object, fills in what stands
 * here, and writes the functions: form/chunk_buckets (elements in an array) and
 * form/early_split (lists of lines or of places) are two. Each worker brings and drops by
 * itself.
 */
#ifndef GS_LIB_SORT_BUCKET_BUCKET_SET_H
#define GS_LIB_SORT_BUCKET_BUCKET_SET_H

#include "lib/base/status.h"
#include "lib/sort/bucket/bucket_copy.h"
#include "lib/sort/bucket/bucket_split.h"

typedef struct gs_buckets gs_buckets;

/* Buckets [first, first + count), which go to `out`, zeroed by the caller. `room` is what
 * the worker has, where the next call writes over what this one puts there. */
typedef gs_code gs_buckets_bring_fn(const gs_buckets *b, gs_bucket_copy *room,
                                    size_t first, size_t count, gs_near_bucket *out,
                                    gs_status *st);
/* A bucket that was brought without elements is sorted next, by any worker, who has room
 * for scratch_elements of them. */
typedef void gs_buckets_put_elements_fn(const gs_buckets *b, gs_element *elements,
                                        gs_near_bucket *bucket);
/* A bucket is not needed any more, sorted or not; it was brought, or is zeroed. */
typedef void gs_buckets_drop_fn(const gs_buckets *b, gs_near_bucket *bucket);

struct gs_buckets {
    gs_buckets_bring_fn *bring;
    gs_buckets_put_elements_fn *put_elements; /* NULL: bring does */
    gs_buckets_drop_fn *drop;
    gs_record_layout layout;
    size_t count;      /* the buckets are numbered from 0 */
    size_t together;   /* that a worker brings before any is sorted; 0: each alone */
    size_t room_bytes; /* that a worker has to bring them; may be 0 */
    size_t scratch_elements; /* that a worker has to sort them; may be 0 */
    bool may_change;         /* somebody may write to the records meanwhile */
};

#endif
