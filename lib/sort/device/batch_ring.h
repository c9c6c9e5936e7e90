/* SPDX-License-Identifier: MIT */
/*
 * batch_ring: batches of a source, copied by several threads at once into blocks that a
 * GPU can be fed from, and given out in the order of the source.
 *
 *      source   |  0   |  1   |  2   |  3   |  4   |  5   ...      input_batches.h, or
 *                  :      :      :      :      :                   run_ranges.h
 *      blocks    [free] [ up ] [ up ] [ready] [copied now] ...     batch n: n % blocks
 *                       ^ released    ^ given               ^ taken
 *
 * A thread takes the next batch of the source and has it read into a block. The threads
 * begin at once and stop when all blocks are full. One thread asks for the batches and
 * says when their memory is free again. What fails to be read is an error of next.
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

/* Where batches come from. */
typedef struct gs_batch_source {
    void *context; /* borrowed */
    /* The next one, if there is one; by one thread at a time. */
    gs_code (*next)(void *context, gs_line_batch *batch, bool *has_batch, gs_status *st);
    /* Reads it to page-aligned memory that has GS_BLOCK_SLACK bytes beyond it; *out is
     * described but for its records. By several threads at once. */
    gs_code (*read)(void *context, const gs_line_batch *batch, uint8_t *to,
                    gs_ring_batch *out, gs_status *st);
    /* All were given out: is it what it was at first? NULL: nobody can tell. */
    gs_code (*end)(void *context, gs_status *st);
} gs_batch_source;

/* Borrows `forming`, whose plan says how many blocks there are; nearly as many threads as
 * the team has. */
GS_MUST_CHECK gs_code gs_batch_ring_new(gs_batch_ring **out, const gs_forming *forming,
                                        const gs_batch_source *source, gs_status *st);
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
