/* SPDX-License-Identifier: MIT */
/*
 * rank: the best documents of a query.
 *
 * All ways give exactly what scoring every match gives, which is what gs_rank_many and
 * gs_rank_lists do, and gs_rank_matches if it is to; the others leave out what cannot be
 * among the best.
 */
#ifndef GS_LIB_INDEX_QUERY_RANK_H
#define GS_LIB_INDEX_QUERY_RANK_H

#include "lib/index/query/search_plan.h"
#include "lib/index/query/top_docs.h"

/* Of a plan that is_any_of, and leaves out what it can. */
GS_MUST_CHECK gs_code gs_rank_any(gs_search_plan *plan, gs_top_docs *top, gs_status *st);
/* Of a plan that is_all_of; the same. */
GS_MUST_CHECK gs_code gs_rank_all(gs_search_plan *plan, gs_top_docs *top, gs_status *st);
/* All that have any of the terms: for so many that to leave some out saves less than it
 * costs. */
enum { GS_RANK_MANY_MIN = 64 };
GS_MUST_CHECK gs_code gs_rank_many(gs_search_plan *plan, gs_top_docs *top, gs_status *st);
/* The same of an index with few enough documents, where every term adds something. */
enum { GS_RANK_LISTS_DOCS_MAX = 1 << 20 };
bool gs_rank_lists_is_for(const gs_search_plan *plan);
GS_MUST_CHECK gs_code gs_rank_lists(gs_search_plan *plan, gs_top_docs *top,
                                    gs_status *st);
/* Of any plan, by way of the documents that match. */
GS_MUST_CHECK gs_code gs_rank_matches(gs_search_plan *plan, bool is_exhaustive,
                                      gs_top_docs *top, gs_status *st);

/* Every window costs something for each term: of many terms, windows are not too small.
 */
static inline uint64_t gs_rank_window_end(uint64_t from, uint64_t to, size_t terms)
{
    enum { DOCS_A_TERM = 64 };
    const uint64_t least = from + DOCS_A_TERM * terms;
    return to < least ? least : to;
}

/* Can nothing of at most `bound` be among the best any more? */
static inline bool gs_rank_is_hopeless(const gs_top_docs *top, double bound)
{
    return bound * (1 + GS_BM25_SLACK) <= gs_top_docs_threshold(top);
}

/* The same of bounds by length: of documents of any. */
static inline bool gs_rank_are_hopeless(const gs_top_docs *top,
                                        const gs_length_bounds *bounds)
{
    const double threshold = gs_top_docs_threshold(top);
    /* Not above it, as a float. */
    return !gs_length_bounds_exceed(bounds, (float)(threshold - fabs(threshold) * 1e-7));
}

#endif
