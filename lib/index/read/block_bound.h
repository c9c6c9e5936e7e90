/* SPDX-License-Identifier: MIT */
/*
 * block_bound: how much a term can add to scores in a range of documents, from its skip
 * entries alone, no posting read.
 *
 * Ranges ascend: `over` may be asked for documents behind those of the call before. The
 * postings behind the last block count as one more.
 */
#ifndef GS_LIB_INDEX_READ_BLOCK_BOUND_H
#define GS_LIB_INDEX_READ_BLOCK_BOUND_H

#include "lib/index/read/length_bound.h"
#include "lib/index/read/posting_skip.h"

typedef struct gs_block_bound {
    const gs_length_scale *scale;
    float weight;
    bool is_known, is_tail;
    uint64_t last;               /* document of the present block */
    gs_length_bounds most;       /* of the whole list */
    gs_length_bounds tail_most;  /* of the postings behind the last block */
    gs_length_bounds block_most; /* once it is known */
    gs_posting_skips skips;
    gs_posting_skip skip; /* the present block's entry */
} gs_block_bound;

/* `weight` is from gs_length_bound_weight. */
GS_MUST_CHECK gs_code gs_block_bound_start(gs_block_bound *b, const gs_index *index,
                                           const gs_term_info *info,
                                           const gs_length_scale *scale, float weight,
                                           gs_status *st);

/* Somebody has looked at all postings of a list without a full block: that is the most.
 */
static inline void gs_block_bound_know_tail(gs_block_bound *b,
                                            const gs_length_bounds *most)
{
    b->most = b->tail_most = b->block_most = *most;
}

/* What the block of an entry of this list can add. */
void gs_block_bound_entry(const gs_block_bound *b, const gs_posting_skip *skip,
                          gs_length_bounds *most);

/* To the block that the document is in, or would be. */
GS_MUST_CHECK gs_code gs_block_bound_seek(gs_block_bound *b, uint64_t doc, gs_status *st);
/* The most for documents from the last seek's on up to `to`. What is asked next lies
 * behind it. */
GS_MUST_CHECK gs_code gs_block_bound_over(gs_block_bound *b, uint64_t to,
                                          gs_length_bounds *most, gs_status *st);

#endif
