/* SPDX-License-Identifier: MIT */
/*
 * sort_input: what a sort reads, as batches of whole records.
 *
 * Call order: open, close once nothing is read any more, release. One thread.
 */
#ifndef GS_LIB_SORT_SORT_INPUT_H
#define GS_LIB_SORT_SORT_INPUT_H

#include "io/file_map.h"
#include "io/input.h"
#include "lib/sort/plan/plans.h"
#include "lib/sort/record/records.h"

typedef struct gs_sort_input {
    gs_block_pool *pool;
    gs_input *input;
    gs_line_feed *feed; /* holds the header, until release */
    gs_file_map map;    /* of the inputs, if they are sorted where they are */
} gs_sort_input;

/* `in` is zeroed; on failure it can be released. Borrows options, but not the plan. */
GS_MUST_CHECK gs_code gs_sort_input_open(gs_sort_input *in,
                                         const gs_sort_options *options,
                                         const gs_memory_plan *plan,
                                         const gs_record_layout *layout, gs_status *st);
/* Gives back its memory. */
void gs_sort_input_close(gs_sort_input *in);
void gs_sort_input_release(gs_sort_input *in);

#endif
