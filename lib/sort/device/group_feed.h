/* SPDX-License-Identifier: MIT */
/*
 * group_feed: files in the page cache on their way to several GPUs, each of which has a
 * thread that sends batches up.
 *
 *      files --> batch_ring --> thread 0: the next batch --> GPU 0
 *                           --> thread 1: the next batch --> GPU 1
 *                ^                                |
 *                +---- free, oldest first <-------+
 *
 * Whoever has nothing to do takes the next batch, but no more than its share of the
 * input, so that what GPUs have room for is decided by nobody's speed; or the first GPU
 * gets its share first, and then the next. Reading begins at once and goes on until the
 * ring is full. Call order: new, fill, free.
 */
#ifndef GS_LIB_SORT_DEVICE_GROUP_FEED_H
#define GS_LIB_SORT_DEVICE_GROUP_FEED_H

#include "gpu/text/text_sort.h"
#include "lib/sort/device/batch_ring.h"
#include "lib/sort/device/exchange_sample.h"
#include "lib/sort/device/text_head.h"

typedef struct gs_group_feed gs_group_feed;

/* Where all of the input goes. */
typedef struct gs_group_targets {
    gs_text_sort *const *sorts;
    unsigned count;
    uint64_t share_bytes;    /* of one, and a batch more; of all no less than the input */
    bool is_filled_in_order; /* nothing goes to a GPU before the one before has its share
                              */
    gs_text_head *head;      /* of what goes up, and */
    gs_exchange_sample *sample;
} gs_group_targets;

/* Of an input that was mapped (device_feed.h). */
GS_MUST_CHECK gs_code gs_group_feed_new(gs_group_feed **out, const gs_forming *forming,
                                        unsigned count, gs_status *st);
/* Not while a device reads from its memory. NULL is fine. */
void gs_group_feed_free(gs_group_feed *feed);

/* The memory that uploads come from, to be locked in place. */
void gs_group_feed_area(const gs_group_feed *feed, void **area, size_t *bytes);

/* Uploads everything and waits for that, by a team with a thread for each GPU. What went
 * up is added to *records. *is_all is false if one had no room. */
GS_MUST_CHECK gs_code gs_group_feed_fill(gs_group_feed *feed, gs_team *team,
                                         const gs_group_targets *to, gs_multiset *records,
                                         bool *is_all, gs_status *st);
/* Was it the reading that failed? */
bool gs_group_feed_has_failed(const gs_group_feed *feed);

#endif
