/* SPDX-License-Identifier: MIT */
/*
 * match: the documents that a query matches, in their order.
 *
 * Call order: open once the plan is made, then seek with documents that do not descend.
 */
#ifndef GS_LIB_INDEX_QUERY_MATCH_H
#define GS_LIB_INDEX_QUERY_MATCH_H

#include "lib/index/query/search_plan.h"

/* Opens a reader for every leaf. */
GS_MUST_CHECK gs_code gs_match_open(gs_search_plan *plan, gs_status *st);
/* The first match that is not less than `doc`, or GS_NO_DOC. */
GS_MUST_CHECK gs_code gs_match_seek(gs_search_plan *plan, uint64_t doc, uint64_t *match,
                                    gs_status *st);

/* The same of a node, whose documents ascend from call to call. */
GS_MUST_CHECK gs_code gs_match_seek_node(gs_search_plan *plan, int at, uint64_t doc,
                                         uint64_t *match, gs_status *st);

/* Do the readers of a phrase, all of which are at the same document, have the phrase
 * there? */
GS_MUST_CHECK gs_code gs_match_is_in_a_row(gs_search_plan *plan, int phrase, bool *out,
                                           gs_status *st);

#endif
