/* SPDX-License-Identifier: MIT */
/*
 * merge_plan: how the memory that -S allows is shared out in a merge of indexes.
 *
 *      | of a worker: cursors on every index, buffers of its parts | windows | writer |
 *
 * Windows are what of the mapped files stays in memory.
 */
#ifndef GS_LIB_INDEX_MERGE_MERGE_PLAN_H
#define GS_LIB_INDEX_MERGE_MERGE_PLAN_H

#include "lib/index/merge/index_merger.h"

typedef struct gs_merge_plan_wish {
    const gs_index_merge_options *merge; /* with a checkpoint parts are kept, and so are
                                            to be many */
    uint64_t input_bytes;
    bool keeps_ids, has_positions, has_texts;
} gs_merge_plan_wish;

/* Made once; nothing of it changes. */
typedef struct gs_merge_plan {
    size_t limit_bytes;  /* S */
    unsigned workers;    /* fewer than asked for when the memory is very small */
    size_t window_bytes; /* of each worker */
    size_t writer_bytes; /* for the index writer, all parts together */
    unsigned part_count; /* of the index */
} gs_merge_plan;

/* Fails if not even one part of an index could have its files open. */
GS_MUST_CHECK gs_code gs_merge_plan_make(gs_merge_plan *plan,
                                         const gs_merge_plan_wish *wish, gs_status *st);

#endif
