/* SPDX-License-Identifier: MIT */
/*
 * index_emit: terms and postings to the parts of an index.
 *
 * From blocks in memory, when everything fitted there, or from runs. Each part is a range
 * of the terms; threads make parts side by side. Parts that nothing falls into are made
 * empty, so that every part the writer was told of is there.
 */
#ifndef GS_LIB_INDEX_BUILD_INDEX_EMIT_H
#define GS_LIB_INDEX_BUILD_INDEX_EMIT_H

#include "lib/base/team.h"
#include "lib/index/build/block_spill.h"
#include "lib/index/write/writers.h"

typedef struct gs_index_emit {
    const gs_index_build_options *build;
    gs_index_writer *writer;
    unsigned part_count;
} gs_index_emit;

GS_MUST_CHECK gs_code gs_index_emit_blocks(const gs_index_emit *emit, gs_team *team,
                                           const gs_term_block *blocks,
                                           size_t block_count, gs_status *st);
GS_MUST_CHECK gs_code gs_index_emit_runs(const gs_index_emit *emit, gs_team *team,
                                         const gs_block_spill *spill, gs_status *st);

#endif
