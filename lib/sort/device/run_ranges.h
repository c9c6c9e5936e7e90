/* SPDX-License-Identifier: MIT */
/*
 * run_ranges: runs of text cut into ranges that a GPU can sort, and these as batches for
 * a ring (batch_ring.h).
 *
 *      run 0     |  range 0  | 1  |     range 2     |
 *      run 1     | 0 |      range 1      |  range 2 |
 *      batches   | 0 of run 0, in blocks | 0 of run 1 | 1 of run 0 | 1 of run 1 | ...
 *
 * A range is what lies between two records of all runs, of equal ones those of earlier
 * runs first, so that however many are equal no range gets too large. Its parts go up in
 * the order of the runs: a stable sort then gives what a stable merge gives. Batches end
 * anywhere, also inside of a record, but never reach into another part.
 *
 * Call order: make, batches, release. Borrows the store.
 */
#ifndef GS_LIB_SORT_DEVICE_RUN_RANGES_H
#define GS_LIB_SORT_DEVICE_RUN_RANGES_H

#include "lib/sort/device/batch_ring.h"
#include "lib/sort/text/texts.h"

/* Zeroed at first. */
typedef struct gs_run_ranges {
    gs_mapped_store *store;
    size_t run_count, count; /* of runs; of ranges */
    const uint8_t *
        *bounds; /* where range r begins in each run, and r + 1: where it ends */
    size_t capacity;
} gs_run_ranges;

/* Ranges of about `range_bytes`, at most half as much again unless records are long. */
GS_MUST_CHECK gs_code gs_run_ranges_make(gs_run_ranges *r, gs_mapped_store *store,
                                         const gs_text_form *form, size_t range_bytes,
                                         gs_status *st);
void gs_run_ranges_release(gs_run_ranges *r);

/* Where a range begins in each run; where the one before it ends. */
const uint8_t *const *gs_run_ranges_begin(const gs_run_ranges *r, size_t range);
uint64_t gs_run_ranges_bytes(const gs_run_ranges *r, size_t range);

typedef struct gs_run_batches {
    const gs_run_ranges *ranges; /* these two are set by the owner, borrowed */
    size_t block_bytes;          /* of the ring */
    size_t range, run;           /* of the next batch */
    const uint8_t *at;           /* where it begins; NULL: with its part */
} gs_run_batches;

gs_batch_source gs_run_batches_source(gs_run_batches *batches);

#endif
