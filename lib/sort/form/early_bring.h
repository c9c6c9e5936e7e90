/* SPDX-License-Identifier: MIT */
/*
 * early_bring: the buckets of an early split, brought from their lists to where they are
 * sorted: a bucket's elements, in the memory of a worker, which point into its lists.
 *
 * Where some of its records do not lie there as they are sorted, since they stayed in the
 * text or are without their keys, all of the bucket's are copied behind its elements. A
 * keyed record whose key was not kept gets it here, as the text is then; a file that
 * somebody has written to meanwhile is noticed, and fails the sort.
 *
 * Buckets with records all over much text are copied together, window by window, where it
 * takes long to look up a page (bucket_copy.h draws that). Their copies lie as on a list;
 * elements, which are as much again, are put when a bucket is sorted.
 */
#ifndef GS_LIB_SORT_FORM_EARLY_BRING_H
#define GS_LIB_SORT_FORM_EARLY_BRING_H

#include "lib/sort/form/early_split.h"

/* Memory for lists that was used. */
size_t gs_early_split_list_bytes(const gs_early_split *s);

/* Most that a bucket is which is no more than count_max records, and not one string. */
typedef struct gs_bucket_need {
    size_t records, bytes; /* that it takes where it is brought to */
} gs_bucket_need;
gs_bucket_need gs_early_split_need(const gs_early_split *s, size_t count_max);

/* What its buckets are brought close with. */
typedef struct gs_early_memory {
    const uint8_t *arena; /* where the records are that were added, */
    size_t record_bytes;  /* so many bytes */
    size_t room_bytes;    /* of each worker in any case */
    size_t spare_bytes;   /* for lists, and for the workers beside that */
} gs_early_memory;

/* All were added: the buckets with records, in order; borrowed from `s`. Larger ones than
 * GS_EARLY_BESIDE_MAX do not lie beside others, and have scratch of their own. */
const gs_buckets *gs_early_split_finish(gs_early_split *s, const gs_early_memory *memory);

/* All buckets were emitted: one thread's part of the lists is given back. */
void gs_early_split_leave(const gs_early_split *s, unsigned part, unsigned parts);

enum { GS_EARLY_BESIDE_MAX = 1 << 20 };

#endif
