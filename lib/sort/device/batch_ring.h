/* SPDX-License-Identifier: MIT */
/*
 * batch_ring: batches of files in the page cache, copied by several threads at once into
 * blocks that a GPU can be fed from, and given out in the order of the input.
 *
 *      input    |  0   |  1   |  2   |  3   |  4   |  5   ...      cut at ends of records
 *                  :      :      :      :      :
 *      blocks    [free] [ up ] [ up ] [ready] [copied now] ...     batch n: n % blocks
 *                       ^ released    ^ given               ^ taken
 *
 * A thread takes the next batch of the line feed, for which a few bytes of a mapped file
 * are looked at, reads the file into a block, and counts its records while they are in
 * the cache: what was copied is what is counted, whatever becomes of the file. It looks
 * at mapped bytes by none but the feed's look for an end.
 *
 * The threads begin at once and stop when all blocks are full. One thread asks for the
 * batches and says when their memory is free again. What fails to be read is an error of
 * next, also when the files are not as they were when they were opened.
 */
#ifndef GS_LIB_SORT_DEVICE_BATCH_RING_H
#define GS_LIB_SORT_DEVICE_BATCH_RING_H

#include "lib/sort/form/forms.h"
#include "lib/sort/witness/witnesses.h"

typedef struct gs_batch_ring gs_batch_ring;

typedef struct gs_ring_batch {
    const uint8_t *data;
    size_t bytes;
    bool lacks_final_eol;
    gs_multiset records; /* what it is made of */
} gs_ring_batch;

/* Can the input be read in this way? If so it is mapped, for the feed to look at, and not
 * to be read otherwise. `output_fd` as in gs_input_map. Before the first batch. */
bool gs_batch_ring_map(const gs_forming *forming, int output_fd, gs_file_map *map);

/* Of an input that was mapped, which is forming->map. Borrows `forming`, whose plan says
 * how many blocks there are; nearly as many threads as the team has. */
GS_MUST_CHECK gs_code gs_batch_ring_new(gs_batch_ring **out, const gs_forming *forming,
                                        gs_status *st);
void gs_batch_ring_free(gs_batch_ring *ring); /* NULL is fine */

/* The memory of the blocks, to be locked in place, and how many there are. */
void gs_batch_ring_area(const gs_batch_ring *ring, void **area, size_t *bytes);
size_t gs_batch_ring_blocks(const gs_batch_ring *ring);

/* The next batch, which stays the next until it is given. NULL if it is not there yet,
 * unless it may wait for it, and at the end of the input: *is_ended. */
GS_MUST_CHECK gs_code gs_batch_ring_next(gs_batch_ring *ring, bool may_wait,
                                         const gs_ring_batch **out, bool *is_ended,
                                         gs_status *st);
/* The next one is the one behind it. The memory of this one stays as it is, */
void gs_batch_ring_give(gs_batch_ring *ring);
/* until the oldest that was given is done with. */
void gs_batch_ring_release(gs_batch_ring *ring);

#endif
