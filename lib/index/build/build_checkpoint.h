/* SPDX-License-Identifier: MIT */
/*
 * build_checkpoint: what a build of an index has done so far (lib/sort/run/checkpoint.h).
 *
 *      DIR/gpusort-journal, gpusort-runs       as those of a sort
 *      DIR/gpusort-documents                   names and lengths of documents
 *
 * With the runs of a moment it keeps how far the input is in them and how many documents
 * those were. A build may be stopped when its index has got its name and the checkpoint
 * is still there: the sum in the index's header then tells that it is done.
 *
 * Call order: open, is_done or (give_runs, go_on, (document*, save)*, save_commit,
 * finish), close. One thread at a time.
 */
#ifndef GS_LIB_INDEX_BUILD_BUILD_CHECKPOINT_H
#define GS_LIB_INDEX_BUILD_BUILD_CHECKPOINT_H

#include "lib/index/build/document_log.h"
#include "lib/index/build/index_builder.h"
#include "lib/sort/run/runs.h"

typedef struct gs_build_checkpoint gs_build_checkpoint;

/* `rules_json` is how text becomes terms; NULL for tuples. Borrows the options. */
GS_MUST_CHECK gs_code gs_build_checkpoint_open(gs_build_checkpoint **out,
                                               const gs_index_build_options *options,
                                               const char *rules_json, gs_status *st);
void gs_build_checkpoint_close(gs_build_checkpoint *c); /* NULL is fine */

/* Is the index there that this build was about to give its name? */
bool gs_build_checkpoint_is_done(const gs_build_checkpoint *c);

gs_checkpoint *gs_build_checkpoint_base(const gs_build_checkpoint *c);
/* Where to go on, and with what; zeros at the beginning. */
gs_input_place gs_build_checkpoint_place(const gs_build_checkpoint *c);
gs_fill_counts gs_build_checkpoint_counts(const gs_build_checkpoint *c);
/* Documents that were met before go to `fn`; from now on they may be added. */
GS_MUST_CHECK gs_code gs_build_checkpoint_go_on(gs_build_checkpoint *c,
                                                gs_document_fn *fn, void *context,
                                                gs_status *st);

GS_MUST_CHECK gs_code gs_build_checkpoint_document(gs_build_checkpoint *c,
                                                   const void *name, size_t name_bytes,
                                                   uint32_t length, gs_status *st);
/* All of the input before `place` is in the runs of the list. */
GS_MUST_CHECK gs_code gs_build_checkpoint_save(gs_build_checkpoint *c,
                                               const gs_run_list *list,
                                               const gs_input_place *place,
                                               const gs_fill_counts *counts,
                                               gs_status *st);
/* An index whose header has this sum is about to get its name. */
GS_MUST_CHECK gs_code gs_build_checkpoint_save_commit(gs_build_checkpoint *c,
                                                      uint64_t header_sum, gs_status *st);
/* It has it, durably: what was kept goes. */
void gs_build_checkpoint_finish(gs_build_checkpoint *c);

#endif
