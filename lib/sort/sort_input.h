/* SPDX-License-Identifier: MIT */
/*
 * sort_input: what a sort reads, as batches of whole records; what a witness has to know
 * of them; and how a sort with a checkpoint goes on where it was stopped. For that the
 * runs are kept, where in the input the next one begins, and what the witness and the
 * feed know of what was read: numbers and a header.
 *
 * Call order of an input: open, close once nothing is read any more, release. Of a
 * progress: open, go_on before the first read, then keep after each run, close. One
 * thread.
 */
#ifndef GS_LIB_SORT_SORT_INPUT_H
#define GS_LIB_SORT_SORT_INPUT_H

#include "lib/sort/column_names.h"
#include "lib/sort/plan/plans.h"
#include "lib/sort/run/runs.h"

typedef struct gs_sort_input {
    gs_input_head head; /* looked at before memory was planned */
    gs_block_pool *pool;
    gs_input *input;
    gs_line_feed *feed;       /* holds the header, until release */
    gs_file_map map;          /* of the inputs, if they are sorted where they are */
    gs_header_fn *see_header; /* of each input, before it is opened (line_feed.h); NULL */
    void *header_context;
} gs_sort_input;

/* `in` is zeroed, but for who sees headers and for the head, if that was looked at; on
 * failure it can be released. Borrows options, but not the plan. */
GS_MUST_CHECK gs_code gs_sort_input_open(gs_sort_input *in,
                                         const gs_sort_options *options,
                                         const gs_memory_plan *plan,
                                         const gs_record_layout *layout, gs_status *st);
/* Reads the header of tables, if they have one, and finds in it what keys are called.
 * After gs_input_begin, before the first batch. */
GS_MUST_CHECK gs_code gs_sort_input_name_columns(gs_sort_input *in, gs_named_job *job,
                                                 gs_status *st);
/* Gives back its memory. */
void gs_sort_input_close(gs_sort_input *in);
void gs_sort_input_release(gs_sort_input *in);

/* What a witness has to know of a sort or merge. It is full if that is asked for. */
gs_witness_options gs_sort_watched(const gs_sort_options *options,
                                   const gs_record_layout *layout);

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
