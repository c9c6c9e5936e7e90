/* SPDX-License-Identifier: MIT */
/*
 * form_union: the terms of several blocks as one list, and the rank in it of each.
 *
 *      list 0     ant   bee   fox         ranks   0   1   3
 *      list 1     bee   cat   fox         ranks   1   2   3
 *      together   ant   bee   cat   fox
 *
 * All threads merge, each a part of the terms of all lists at a time.
 */
#ifndef GS_LIB_INDEX_BLOCK_FORM_UNION_H
#define GS_LIB_INDEX_BLOCK_FORM_UNION_H

#include "lib/base/team.h"
#include "lib/index/block/form_stems.h"

/* Zeroed before it is made. */
typedef struct gs_form_union {
    gs_form_list list; /* of all terms in their order */
    uint32_t **ranks;  /* for each list of its terms; until forget_ranks */
    uint8_t *memory, *rank_memory;
    size_t memory_bytes, rank_bytes;
} gs_form_union;

/* What it takes at most, of so many terms and bytes of all lists. */
size_t gs_form_union_bytes(uint64_t terms, uint64_t term_bytes);

/* The lists are in order and without terms that come twice; fewer than 2^32 terms in all.
 * On failure nothing is held. */
GS_MUST_CHECK gs_code gs_form_union_make(gs_form_union *out,
                                         const gs_form_list *const *lists, size_t count,
                                         gs_team *team, gs_status *st);
void gs_form_union_forget_ranks(gs_form_union *u);
void gs_form_union_release(gs_form_union *u);

#endif
