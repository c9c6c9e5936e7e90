/* SPDX-License-Identifier: MIT */
/*
 * search_snippets: snippets for the answers of `gpusort search', by all threads.
 *
 * For each query: begin, then of (some of the best documents) or one.
 */
#ifndef GS_CMD_SEARCH_SNIPPETS_H
#define GS_CMD_SEARCH_SNIPPETS_H

#include "lib/index/query/queries.h"

typedef struct gs_search_snippets gs_search_snippets;

/* For so many threads; borrows the rest. */
GS_MUST_CHECK gs_code gs_search_snippets_new(gs_search_snippets **out,
                                             const gs_segments *index,
                                             const gs_word_rules *rules,
                                             const gs_search_options *options,
                                             unsigned threads, gs_status *st);
void gs_search_snippets_free(gs_search_snippets *s); /* NULL is fine */

/* The query, which stays until the next, and who makes them; NULL: the calling thread. */
void gs_search_snippets_begin(gs_search_snippets *s, const void *text, size_t bytes,
                              gs_team *team);
/* Of top->docs[i]: asked for in order, those that follow are made together with it. */
GS_MUST_CHECK gs_code gs_search_snippets_of(gs_search_snippets *s, const gs_top_docs *top,
                                            size_t i, const gs_snippet **out,
                                            gs_status *st);
GS_MUST_CHECK gs_code gs_search_snippets_one(gs_search_snippets *s, uint64_t doc,
                                             const gs_snippet **out, gs_status *st);

#endif
