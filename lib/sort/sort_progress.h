/* SPDX-License-Identifier: MIT */
/*
 * sort_progress: how a sort with a checkpoint goes on where it was stopped. What is kept
 * is the runs, where in the input the next one begins, and what the witness and the feed
 * know of what was read: numbers and a header.
 *
 * Call order: open, go_on before the first read, then keep after each run, close.
 */
#ifndef GS_LIB_SORT_SORT_PROGRESS_H
#define GS_LIB_SORT_SORT_PROGRESS_H

#include "lib/sort/run/runs.h"
#include "lib/sort/sort_input.h"

typedef struct gs_sort_progress {
    gs_checkpoint *checkpoint; /* NULL: none is kept */
    char *job_text;
} gs_sort_progress;

/* `p` is zeroed, and stays so without options->checkpoint. */
GS_MUST_CHECK gs_code gs_sort_progress_open(gs_sort_progress *p,
                                            const gs_sort_options *options,
                                            gs_status *st);
/* Reading begins behind what the runs hold that were found. */
GS_MUST_CHECK gs_code gs_sort_progress_go_on(const gs_sort_progress *p, gs_sort_input *in,
                                             gs_witness *witness, gs_status *st);
/* The runs hold all of the input up to `place`. */
GS_MUST_CHECK gs_code gs_sort_progress_keep(gs_run_store *runs, const gs_sort_input *in,
                                            gs_witness *witness,
                                            const gs_input_place *place, gs_status *st);
void gs_sort_progress_close(gs_sort_progress *p);

#endif
