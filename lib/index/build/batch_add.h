/* SPDX-License-Identifier: MIT */
/*
 * batch_add: what is in a batch, a part at a time: words, tuples or weights at hand, or
 * text as a GPU takes it, and from there into the thread's block. Internal to block_fill.
 *
 *      next_at_hand   | documents | -> | words at hand |
 *      add_at_hand                     | those that fit | -> the block
 */
#ifndef GS_LIB_INDEX_BUILD_BATCH_ADD_H
#define GS_LIB_INDEX_BUILD_BATCH_ADD_H

#include "lib/index/build/fill_state.h"

/* Is something at hand that the block has not taken? */
bool gs_batch_has_at_hand(const gs_block_fill *f, const gs_fill_worker *w);
/* If nothing is: what is next; *has_more is false when the batch is done. */
GS_MUST_CHECK gs_code gs_batch_next_at_hand(gs_block_fill *f, gs_fill_worker *w,
                                            bool *has_more, gs_status *st);
/* *fits is false if the block of the worker is full. */
GS_MUST_CHECK gs_code gs_batch_add_at_hand(gs_block_fill *f, gs_fill_worker *w,
                                           unsigned worker, bool *fits, gs_status *st);

#endif
