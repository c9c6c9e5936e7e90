/* SPDX-License-Identifier: MIT */
/*
 * device_sort: the steps in which a block on a GPU is sorted.
 *
 *      terms      in order, come down and are looked at
 *      stem       those with one stem are one
 *      join       the GPU hears of their ranks
 *      end        tokens to postings; where those of each term begin comes down
 *
 * Internal to device_block. One block goes through them by itself
 * (gs_device_block_sort), several with an exchange of tokens between
 * (lib/index/block/device_share.h). A step is one thread's, several blocks' at a time.
 */
#ifndef GS_LIB_INDEX_BLOCK_DEVICE_SORT_H
#define GS_LIB_INDEX_BLOCK_DEVICE_SORT_H

#include "lib/index/block/device_view.h"

/* Of a block without documents list.count is 0 then. */
GS_MUST_CHECK gs_code gs_device_sort_terms(gs_device_block *b, gs_status *st);

/* If the block stems, list has the stems then; the team stems. */
GS_MUST_CHECK gs_code gs_device_sort_stem(gs_device_block *b, gs_team *team,
                                          gs_status *st);

/* Term i of list has ranks[i] among `count`; NULL: its own. */
GS_MUST_CHECK gs_code gs_device_sort_join(gs_device_block *b, const uint32_t *ranks,
                                          uint32_t count, gs_status *st);

/* After an exchange: the block has these terms, which somebody else holds. */
void gs_device_sort_take_terms(gs_device_block *b, const gs_form_list *list);

GS_MUST_CHECK gs_code gs_device_sort_end(gs_device_block *b, gs_term_block *view,
                                         gs_status *st);

#endif
