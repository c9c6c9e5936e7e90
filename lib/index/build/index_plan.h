/* SPDX-License-Identifier: MIT */
/*
 * index_plan: how the memory that -S allows is shared out in an index build.
 *
 *      gathering   | input blocks | a thread's tokens and texts | writer | blocks ..... |
 *      spilling    | output window | pieces              | writer | the same blocks     |
 *      merging     | windows on runs ................... | pieces | writer              |
 *
 * The process may take S + 64 MiB. Blocks, with the dictionary, take no more than S, so
 * that a small S makes small runs; the rest may use a part of those 64 MiB, and 16 of
 * them are for long documents. Longer ones, up to a quarter of S, get a part of the
 * blocks: from the first such document on those are smaller.
 */
#ifndef GS_LIB_INDEX_BUILD_INDEX_PLAN_H
#define GS_LIB_INDEX_BUILD_INDEX_PLAN_H

#include "lib/index/block/blocks.h"
#include "lib/index/build/index_builder.h"
#include "lib/sort/plan/plans.h"

/* Made once; nothing of it changes. */
typedef struct gs_index_plan {
    size_t limit_bytes;      /* S */
    unsigned workers;        /* fewer than asked for when the memory is very small */
    size_t block_count;      /* of input, of runs.block_bytes each */
    size_t text_bytes;       /* for each worker's texts that are stored */
    size_t decode_bytes;     /* for more than one compressed input at once */
    size_t gather_bytes;     /* for each worker's block */
    size_t dictionary_bytes; /* for all; of blocks on a device, their terms */
    size_t text_piece_bytes; /* of a worker's text on its way to a device; 0: none goes */
    size_t gpu_count;        /* each has such a piece */
    size_t writer_bytes;     /* for the index writer, all parts together */
    size_t document_bytes_max;
    size_t long_bytes;   /* for long documents, all in use together, to begin with */
    size_t room_bytes;   /* that each block gives up for the longest */
    gs_memory_plan runs; /* what of it matters to runs */
    size_t piece_bytes;  /* of a run, which a thread holds before its turn */
    size_t range_count;  /* that blocks are cut into on their way to a run */
    size_t merge_bytes;  /* for windows and decoded blocks */
    unsigned part_count; /* of the index */
} gs_index_plan;

/* For what the build asks, with blocks of a kind. Fails if not even one part of an index
 * could have its files open. */
GS_MUST_CHECK gs_code gs_index_plan_make(gs_index_plan *plan,
                                         const gs_index_build_options *build,
                                         gs_block_kind kind, gs_status *st);

#endif
