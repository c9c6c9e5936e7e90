/* SPDX-License-Identifier: MIT */
/*
 * device_share: blocks on several GPUs are sorted, so that each has all postings of its
 * terms.
 *
 *      GPU 0      | ant  bee | fox  yak |          terms that each has met
 *      GPU 1      | bee  cow | fox      |
 *                      exchange of tokens
 *      GPU 0      | ant  bee  cow |                about as many tokens each
 *      GPU 1                       | fox  yak |
 *
 * What is encoded on a GPU are full blocks of a term's postings, and where two GPUs have
 * postings of a term, no block of the one ends where one of the other begins: the cores
 * would encode both anew. So the terms of all are merged here, ranges of them are shared
 * out, and the GPUs send each other the tokens (gpu/words/word_block.h).
 *
 * Where there is no room for that, on a GPU or here, each keeps what it has, and the
 * views have terms in common.
 */
#ifndef GS_LIB_INDEX_BLOCK_DEVICE_SHARE_H
#define GS_LIB_INDEX_BLOCK_DEVICE_SHARE_H

#include "lib/index/block/device_block.h"
#include "lib/index/block/form_union.h"

typedef struct gs_device_share_options {
    size_t term_bytes_max; /* of the terms of all, in memory of the host */
    const gs_log *log;     /* may be NULL */
} gs_device_share_options;

/* Sorts them all; `terms`, released, holds what views show until it is released after
 * the blocks are reset. */
GS_MUST_CHECK gs_code gs_device_share_sort(gs_device_block *const *blocks, size_t count,
                                           const gs_device_share_options *options,
                                           gs_team *team, gs_form_union *terms,
                                           gs_term_block *views, gs_status *st);

#endif
