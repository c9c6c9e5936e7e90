/* SPDX-License-Identifier: MIT */
/*
 * term_union: how many documents have any of the terms that a query stands for, where
 * beginnings of words are among them.
 *
 * Only bits are needed for that, one for each document of the index: every term sets
 * those of its list and is forgotten. So there is no plan, in which a term would have a
 * place of its own, and no bound on how many terms there are.
 *
 * Any number of calls, then release. One thread.
 */
#ifndef GS_LIB_INDEX_QUERY_TERM_UNION_H
#define GS_LIB_INDEX_QUERY_TERM_UNION_H

#include "lib/index/query/search_plan.h"

/* Bits of so many documents take 2 MiB. */
enum { GS_TERM_UNION_DOCS_MAX = 1 << 24 };

typedef struct gs_term_union {
    uint64_t *bits;
    size_t capacity; /* words */
    gs_posting_list list;
} gs_term_union;

void gs_term_union_release(gs_term_union *u); /* a zeroed one is fine */

/* Is nothing asked of a document but any of the terms, and are there few enough
 * documents? The plan knows the index; it need not be made. */
bool gs_term_union_is_for(const gs_search_plan *plan, const gs_query *query);
/* The cursor is of the plan's index. What is read is added to the plan's statistics. */
GS_MUST_CHECK gs_code gs_term_union_count(gs_term_union *u, gs_search_plan *plan,
                                          const gs_query *query, gs_term_cursor *terms,
                                          uint64_t *count, gs_status *st);

#endif
