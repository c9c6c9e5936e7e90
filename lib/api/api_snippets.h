/* SPDX-License-Identifier: MIT */
/*
 * api_snippets: snippets of documents that a query has found, by all threads.
 *
 * Call order: new, make*, free. One thread.
 */
#ifndef GS_LIB_API_API_SNIPPETS_H
#define GS_LIB_API_API_SNIPPETS_H

#include "lib/gpusort.h"
#include "lib/index/query/queries.h"

typedef struct gs_api_snippets gs_api_snippets;

/* For so many threads; borrows the rest. GS_ERR_ARG if the index has no texts. */
GS_MUST_CHECK gs_code gs_api_snippets_new(gs_api_snippets **out, const gs_segments *index,
                                          const gs_word_rules *rules,
                                          const gs_search_options *options,
                                          unsigned threads, gs_status *st);
void gs_api_snippets_free(gs_api_snippets *s); /* NULL is fine */

/* out[i] is of docs[i], which there is, and valid until the next call. What was learned
 * of a query is known if the next call has the same. `team` has as many threads; NULL:
 * the calling one makes them. */
GS_MUST_CHECK gs_code gs_api_snippets_make(gs_api_snippets *s, const void *query,
                                           size_t bytes, const uint64_t *docs,
                                           size_t count, gs_team *team,
                                           gpusort_snippet *out, gs_status *st);

#endif
