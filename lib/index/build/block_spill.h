/* SPDX-License-Identifier: MIT */
/*
 * block_spill: sorted term blocks to runs, and runs to fewer runs.
 *
 * All threads write one run together, each a range of the terms at a time. When there are
 * more runs than can be merged at once, neighbours are joined until there are not.
 *
 * Call order: init, add*, reduce, (the runs are read), release. One thread calls; the
 * work is the team's.
 */
#ifndef GS_LIB_INDEX_BUILD_BLOCK_SPILL_H
#define GS_LIB_INDEX_BUILD_BLOCK_SPILL_H

#include "lib/base/team.h"
#include "lib/index/build/index_builder.h"
#include "lib/index/build/index_plan.h"
#include "lib/index/build/posting_run.h"
#include "lib/index/block/blocks.h"
#include "lib/sort/run/runs.h"

/* Stays where it is after init: parts of it point to others. */
typedef struct gs_block_spill {
    const gs_index_build_options *build;
    const gs_index_plan *plan;
    gs_checkpoint *checkpoint; /* keeps the runs; NULL: none does */
    gs_record_layout layout;
    gs_sort_options run_options; /* what of them matters to runs */
    gs_run_list list;
} gs_block_spill;

/* Borrows all that it is given. */
void gs_block_spill_init(gs_block_spill *s, const gs_index_build_options *build,
                         const gs_index_plan *plan, gs_checkpoint *checkpoint);
void gs_block_spill_release(gs_block_spill *s);

GS_MUST_CHECK gs_code gs_block_spill_add(gs_block_spill *s, gs_team *team,
                                         const gs_term_block *blocks, size_t block_count,
                                         gs_status *st);
GS_MUST_CHECK gs_code gs_block_spill_reduce(gs_block_spill *s, gs_team *team,
                                            gs_status *st);

/* Options for a merge of all the runs. */
gs_range_merge_options gs_block_spill_merge_options(const gs_block_spill *s);

#endif
