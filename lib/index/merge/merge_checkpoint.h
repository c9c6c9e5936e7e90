/* SPDX-License-Identifier: MIT */
/*
 * merge_checkpoint: what a merge of indexes has done so far (lib/sort/run/checkpoint.h).
 *
 *      DIR/gpusort-part-N-terms, -postings, -positions     parts that are finished
 *
 *      plan      into how many parts the terms are cut: as many as at first
 *      part      its number, counts, and bytes and sums of its files
 *      commit    the sum of the header of the index that is about to get its name
 *
 * Call order: open, is_done or (part_count, (part, save_part)*, save_commit, finish),
 * close. save_part may be called by any thread.
 */
#ifndef GS_LIB_INDEX_MERGE_MERGE_CHECKPOINT_H
#define GS_LIB_INDEX_MERGE_MERGE_CHECKPOINT_H

#include "lib/index/merge/index_merger.h"
#include "lib/index/read/readers.h"
#include "lib/index/write/writers.h"

typedef struct gs_merge_checkpoint gs_merge_checkpoint;

/* The indexes are open, and what they hold, and what of it is deleted, is what counts of
 * them. Borrows the options. */
GS_MUST_CHECK gs_code gs_merge_checkpoint_open(gs_merge_checkpoint **out,
                                               const gs_index_merge_options *options,
                                               gs_index *const *indexes,
                                               const gs_tombstones *const *deleted,
                                               gs_status *st);
void gs_merge_checkpoint_close(gs_merge_checkpoint *c); /* NULL is fine */

/* Is the index there that this merge was about to give its name? */
bool gs_merge_checkpoint_is_done(const gs_merge_checkpoint *c);

/* How many parts there are: `wanted`, if it is for this run to say. */
GS_MUST_CHECK gs_code gs_merge_checkpoint_parts(gs_merge_checkpoint *c, unsigned wanted,
                                                unsigned *part_count, gs_status *st);
/* The part, if it was finished before; else NULL. */
const gs_kept_part *gs_merge_checkpoint_part(const gs_merge_checkpoint *c, unsigned part);
/* The part is finished, and its files are on the disk but for their names. */
GS_MUST_CHECK gs_code gs_merge_checkpoint_save_part(gs_merge_checkpoint *c, unsigned part,
                                                    const gs_kept_part *kept,
                                                    gs_status *st);
GS_MUST_CHECK gs_code gs_merge_checkpoint_save_commit(gs_merge_checkpoint *c,
                                                      uint64_t header_sum, gs_status *st);
/* The index has its name, durably: what was kept goes. */
void gs_merge_checkpoint_finish(gs_merge_checkpoint *c);

#endif
