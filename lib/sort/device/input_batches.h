/* SPDX-License-Identifier: MIT */
/*
 * input_batches: files in the page cache as batches for a ring (batch_ring.h).
 *
 * A batch is the next one of the line feed, for which a few bytes of a mapped file are
 * looked at. Its thread reads the file and counts the records while they are in the
 * cache: what was copied is what is counted, whatever becomes of the file. It looks at
 * mapped bytes by none but the feed's look for an end. That files are not as they were
 * when they were opened is an error that names them.
 */
#ifndef GS_LIB_SORT_DEVICE_INPUT_BATCHES_H
#define GS_LIB_SORT_DEVICE_INPUT_BATCHES_H

#include "lib/sort/device/batch_ring.h"

typedef struct gs_input_batches {
    const gs_forming *forming; /* whose map has the inputs; borrowed */
    size_t left_to; /* in the file that batches are of, pages were left up to here */
} gs_input_batches;

/* Can the input be read in this way? If so it is mapped, for the feed to look at, and not
 * to be read otherwise. `output_fd` as in gs_input_map. Before the first batch. */
bool gs_input_batches_map(const gs_forming *forming, int output_fd, gs_file_map *map);

gs_batch_source gs_input_batches_source(gs_input_batches *batches);

#endif
