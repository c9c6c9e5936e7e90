/* SPDX-License-Identifier: MIT */
/*
 * searcher: queries to an index: text -> query -> plan -> documents.
 *
 *      query_parser -> query -> search_plan -+-> rank_any -----> top_docs
 *                                            +-> rank_many ----> top_docs, many terms
 *                                            +-> rank_lists ---> the same, few documents
 *                                            +-> rank_all -----> top_docs, all must match
 *                                            +-> rank_matches -> top_docs
 *                                            +-> match --------> documents in order
 *                                            +-> doc_union ----> the same, of any terms
 *                                            +-> doc_common ---> the same, of all terms
 *                    query -> term_union ----> how many, with beginnings of words
 *
 * An index of several segments is searched one after the other, with the counts of the
 * whole: each has a plan, and all have one top_docs. So answers and scores are those of
 * one index of what is left.
 *
 * A searcher belongs to one thread; any number may share an index, its rules and what is
 * known of its documents.
 */
#ifndef GS_LIB_INDEX_QUERY_SEARCHER_H
#define GS_LIB_INDEX_QUERY_SEARCHER_H

#include "lib/base/team.h"
#include "lib/index/query/query_parser.h"
#include "lib/index/query/rank.h"

typedef struct gs_search_options {
    double k1,
        b; /* lib/index/read/bm25.h; b does not count where documents have no length */
    size_t limit;              /* best documents wanted, at least 1 */
    gs_doc_presence *presence; /* of the index; shared by all its searchers */
    /* Of all documents, where the index has some of them; NULL: what the index says. */
    const gs_collection_stats *collection;
    bool needs_all;     /* words side by side must all match */
    bool is_plain;      /* queries are nothing but words */
    bool is_exhaustive; /* score every match: the same answers, for comparison */
} gs_search_options;

/* A parser of queries as searchers of the index have it, for who reads the same query
 * once more: neither may refuse what the other takes. Borrows the rules. */
GS_MUST_CHECK gs_code gs_searcher_new_parser(gs_query_parser **out, const gs_index *index,
                                             const gs_word_rules *rules,
                                             const gs_search_options *options,
                                             gs_status *st);

typedef struct gs_searcher gs_searcher;

/* Borrows index, presence and rules, which are those of the index (gs_word_rules_read).
 */
GS_MUST_CHECK gs_code gs_searcher_new(gs_searcher **out, const gs_index *index,
                                      const gs_word_rules *rules,
                                      const gs_search_options *options, gs_status *st);
/* The same of all segments of an index, which are borrowed; documents have their numbers
 * in the whole. `presence` is of the first, and is asked only of a set of one. */
GS_MUST_CHECK gs_code gs_searcher_new_over(gs_searcher **out, const gs_segments *segments,
                                           const gs_word_rules *rules,
                                           const gs_search_options *options,
                                           gs_status *st);
void gs_searcher_free(gs_searcher *s); /* NULL is fine */

/* The best documents, sorted. */
GS_MUST_CHECK gs_code gs_searcher_rank(gs_searcher *s, const void *text, size_t bytes,
                                       gs_top_docs *top, gs_status *st);

/* Notes what scores of the query need to know of the index, besides how many documents
 * there are and how long. */
GS_MUST_CHECK gs_code gs_searcher_gather(gs_searcher *s, const void *text, size_t bytes,
                                         gs_collection_stats *to, gs_status *st);

/* The documents that match, in order: begin, then next until *doc is GS_NO_DOC. */
GS_MUST_CHECK gs_code gs_searcher_begin(gs_searcher *s, const void *text, size_t bytes,
                                        gs_status *st);
GS_MUST_CHECK gs_code gs_searcher_next(gs_searcher *s, uint64_t *doc, gs_status *st);
/* How many there are. What lists and dictionary tell is not looked at one by one. */
GS_MUST_CHECK gs_code gs_searcher_count(gs_searcher *s, const void *text, size_t bytes,
                                        uint64_t *count, gs_status *st);

/* Adds what was done so far. */
void gs_searcher_stats(const gs_searcher *s, gs_search_stats *stats);

/* A query of many. */
typedef struct gs_search_item {
    const void *text;
    size_t bytes;
    gs_top_docs top; /* its answer */
    gs_status st;    /* of this query */
} gs_search_item;

/* Ranks all of them, a searcher for each worker of the team. A query that fails says so
 * in its item, the others go on. */
GS_MUST_CHECK gs_code gs_searcher_rank_all(gs_searcher *const *searchers, gs_team *team,
                                           gs_search_item *items, size_t count,
                                           gs_status *st);

#endif
