/* SPDX-License-Identifier: MIT */
/*
 * wide_query: queries with beginnings of words that stand for more terms than can be open
 * at a time, as s* of a large index.
 *
 * Documents are looked at in windows of a million. In each the tree of the query is
 * worked out as bits, a document a bit: a term sets those of its documents, one list
 * after the other, and clauses are AND, OR and AND NOT of whole windows. Scores are added
 * up term by term in the order in which they come in the query, for all documents of the
 * window, so that each is the sum that every other way gives.
 *
 *      window   bits of s*    0 1 0 0 1 1 0 ...    every term that begins so, in turn
 *               AND NOT sea   0 1 0 0 0 1 0 ...
 *               scores        . x . . x x . ...    those with a bit come to the best
 *
 * So memory follows the window, and time the postings and, for each window, the terms:
 * neither how many terms a beginning stands for nor how many documents there are is
 * bounded.
 *
 * Call order: open, then next until base is GS_NO_DOC. It lives in its plan.
 */
#ifndef GS_LIB_INDEX_QUERY_WIDE_QUERY_H
#define GS_LIB_INDEX_QUERY_WIDE_QUERY_H

#include "lib/index/query/search_plan.h"
#include "lib/index/query/top_docs.h"

enum { GS_WIDE_DOCS = 1 << 20 };

typedef struct gs_wide_query gs_wide_query;

/* Where a term's part of the scores comes: a term of its own, or all with a beginning. */
typedef struct gs_wide_unit {
    bool is_beginning;
    size_t at; /* slot; node of the beginning */
} gs_wide_unit;

struct gs_wide_query {
    gs_search_plan *plan;
    bool has_scores;
    uint64_t base, end; /* documents of the window */
    size_t words;       /* of bits */
    uint64_t **levels;  /* bits: level 0 is what matches, others are below it */
    size_t level_count, level_capacity;
    double *scores;      /* of the window; 0 where nothing adds */
    gs_wide_unit *units; /* in the order of the query */
    size_t *beginnings;  /* nodes of those that score */
    size_t *slots;       /* by the numbers of their terms */
    size_t unit_count, beginning_count;
    gs_posting_list list; /* of the terms of a beginning, in turn */
};

/* A plan that is_wide, which was just made; what was open before is closed. */
GS_MUST_CHECK gs_code gs_wide_query_open(gs_search_plan *plan, bool has_scores,
                                         gs_status *st);
void gs_wide_query_close(gs_search_plan *plan); /* none is fine */

/* To the next window, which may have no match. */
GS_MUST_CHECK gs_code gs_wide_query_next(gs_wide_query *w, gs_status *st);

/* The first match of the window that is not less than the document; GS_NO_DOC: none. */
uint64_t gs_wide_query_match(const gs_wide_query *w, uint64_t doc);

/* The best documents of a plan that is_wide. */
GS_MUST_CHECK gs_code gs_rank_wide(gs_search_plan *plan, gs_top_docs *top, gs_status *st);

#endif
