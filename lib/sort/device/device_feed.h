/* SPDX-License-Identifier: MIT */
/*
 * device_feed: files in the page cache on their way to a GPU, by all cores.
 *
 *      files --> batch_ring: copied and counted by many threads --> uploads, in order
 *                     ^                                                |
 *                     +-------------- the block is free --------------+
 *
 * Reading begins at once and goes on until the ring is full, also while the device
 * starts. The thread that fills a chunk starts the uploads, which takes microseconds
 * each; what a chunk has no room for is the first that the next one gets. Nothing is kept
 * for a second try: the files are there to be read again.
 *
 * One thread at a time.
 */
#ifndef GS_LIB_SORT_DEVICE_DEVICE_FEED_H
#define GS_LIB_SORT_DEVICE_DEVICE_FEED_H

#include "gpu/text/text_sort.h"
#include "lib/sort/device/batch_ring.h"
#include "lib/sort/device/device_choice.h"
#include "lib/sort/device/text_head.h"

typedef struct gs_device_feed gs_device_feed;

/* Maps the input if it can be fed in this way: forming->device is wanted, and the files
 * can be read again. `output_fd` as in gs_input_map. Before the first batch. */
bool gs_device_feed_map(const gs_forming *forming, int output_fd, gs_file_map *map);

/* Of an input that was mapped, which is forming->map. Reading begins. What goes up is
 * added to the head, which is borrowed. */
GS_MUST_CHECK gs_code gs_device_feed_new(gs_device_feed **out, const gs_forming *forming,
                                         gs_text_head *head, gs_status *st);
/* The same of batches that somebody else has. Borrows what the source does. */
GS_MUST_CHECK gs_code gs_device_feed_new_of(gs_device_feed **out,
                                            const gs_forming *forming,
                                            const gs_batch_source *source, gs_status *st);
/* Not while a device reads from its memory. NULL is fine. */
void gs_device_feed_free(gs_device_feed *feed);

/* The memory that uploads come from, to be locked in place. */
void gs_device_feed_area(const gs_device_feed *feed, void **area, size_t *bytes);

/* Uploads batches, and waits for them, until the chunk is full or the input ends:
 * *is_last. What went up is added to *records. */
GS_MUST_CHECK gs_code gs_device_feed_fill(gs_device_feed *feed, gs_text_sort *sort,
                                          gs_multiset *records, bool *is_last,
                                          gs_status *st);
/* The same of batches that have `bytes` together; *fits is false if the chunk has no room
 * for them: then they are passed over, and some of them are in it. */
GS_MUST_CHECK gs_code gs_device_feed_fill_bytes(gs_device_feed *feed, gs_text_sort *sort,
                                                uint64_t bytes, bool *fits,
                                                gs_status *st);
/* Was it the reading that failed? Any thread. */
bool gs_device_feed_has_failed(const gs_device_feed *feed);

#endif
