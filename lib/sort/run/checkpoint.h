/* SPDX-License-Identifier: MIT */
/*
 * checkpoint: what a long job has done so far, kept in a folder until all of it is done.
 *
 *      DIR/gpusort-journal     what the job is, and then what became of it (io/journal.h)
 *      DIR/gpusort-runs        the runs, as extents (io/spill.h)
 *
 *      job      options and inputs, with size and times of each
 *      runs     more runs; where in the input to go on behind them
 *      merged   neighbours became one run
 *      note     whatever else its owner wants to know again
 *
 * Runs are on the disk before the journal speaks of them, and what they were made of goes
 * only after it has. So whenever program or machine stop, the journal as far as it is
 * sound says what is true; where its end is missing, something is done twice. The same
 * job goes on from there; another one, or one whose inputs have changed, is refused, and
 * the difference is named.
 *
 * At the end the runs go first and the journal last. A journal without runs is of a job
 * that had come there, or had only begun: it is begun anew, unless what it noted last
 * tells its owner that the result is where it should be.
 *
 * Call order: open, (go on from `state`), save*, save_merge*, note*, finish if the result
 * is where it should be and durable, close. One thread.
 */
#ifndef GS_LIB_SORT_RUN_CHECKPOINT_H
#define GS_LIB_SORT_RUN_CHECKPOINT_H

#include "lib/base/log.h"
#include "lib/base/pack.h"
#include "lib/sort/run/run_list.h"

typedef struct gs_checkpoint gs_checkpoint;

/* A place between two records of the input: all before it is in the runs. */
typedef struct gs_input_place {
    size_t input_index;
    uint64_t offset; /* in that file, unpacked if it is compressed */
} gs_input_place;

/* Gets each note of the journal, in order. */
typedef gs_code gs_checkpoint_note_fn(void *context, const uint8_t *data, size_t bytes,
                                      gs_status *st);

typedef struct gs_checkpoint_job {
    const char *folder;        /* is made if it is not there */
    const char *text;          /* all that decides the result: lines of "NAME: VALUE" */
    const char *const *inputs; /* files that are read in this order */
    size_t input_count;
    const char *output;             /* a file that must not be one of them; may be NULL */
    gs_checkpoint_note_fn *note_fn; /* may be NULL */
    void *note_context;
    const gs_log *log; /* may be NULL */
} gs_checkpoint_job;

/* What was found: nothing yet, if `run_count` is 0 and no note came. */
typedef struct gs_checkpoint_state {
    gs_input_place place;
    const uint8_t *extra; /* what save was given with it */
    size_t extra_bytes;
    size_t run_count;
} gs_checkpoint_state;

/* Borrows the job until close. Inputs are regular files, since others cannot be read
 * again: GS_ERR_ARG, as for a folder that another process is using. */
GS_MUST_CHECK gs_code gs_checkpoint_open(gs_checkpoint **out,
                                         const gs_checkpoint_job *job, gs_status *st);
/* Keeps what is there, unless nothing was kept yet: a job that was refused leaves no
 * folder. NULL is fine. */
void gs_checkpoint_close(gs_checkpoint *c);

const gs_checkpoint_state *gs_checkpoint_found(const gs_checkpoint *c);
/* Gives the runs that were found, and where more go, to an empty list. Once. */
GS_MUST_CHECK gs_code gs_checkpoint_give_runs(gs_checkpoint *c, gs_run_list *list,
                                              gs_status *st);

/* The runs of the list hold all of the input up to `place`: those that are new are kept.
 */
GS_MUST_CHECK gs_code gs_checkpoint_save(gs_checkpoint *c, const gs_run_list *list,
                                         const gs_input_place *place, const void *extra,
                                         size_t extra_bytes, gs_status *st);
/* `run` is to take the place of runs [first, first + count) of the list, which are still
 * there, and kept. */
GS_MUST_CHECK gs_code gs_checkpoint_save_merge(gs_checkpoint *c, const gs_run_list *list,
                                               const gs_run *run, size_t first,
                                               size_t count, gs_status *st);
GS_MUST_CHECK gs_code gs_checkpoint_note(gs_checkpoint *c, const void *data, size_t bytes,
                                         gs_status *st);

/* Fails if an input has changed since open. */
GS_MUST_CHECK gs_code gs_checkpoint_check_inputs(const gs_checkpoint *c, gs_status *st);
/* Makes the names in the folder durable: of files that its owner keeps there. */
GS_MUST_CHECK gs_code gs_checkpoint_sync_names(gs_checkpoint *c, gs_status *st);
/* All is done: removes what is kept, and the folder if it was made for it. What cannot be
 * removed is told in the log. */
void gs_checkpoint_finish(gs_checkpoint *c);

#endif
