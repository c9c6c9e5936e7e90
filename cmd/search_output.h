/* SPDX-License-Identifier: MIT */
/*
 * search_output: answers of `gpusort search`, in the shape that was asked for.
 *
 * Ranked ones are printed whole. Of Boolean ones documents are printed as they are found:
 * begin, page*, end. Names and snippets are asked for many documents at a time.
 */
#ifndef GS_CMD_SEARCH_OUTPUT_H
#define GS_CMD_SEARCH_OUTPUT_H

#include "cmd/search_args.h"
#include "lib/base/text_out.h"

enum { GS_SEARCH_PAGE = 1024, GS_SEARCH_SNIPPETS = 64 };

typedef struct gs_search_output {
    const gs_search_args *args;
    const gpusort_index *index;
    gpusort_searcher *searcher; /* of the snippets */
    gpusort_index_info info;
    bool has_qids; /* there may be several queries: lines begin with which one */
    gs_text_out out;
    uint64_t printed; /* of the present query */
    bool is_terminal; /* where they go: each has a line */
    bool has_marks;   /* words of the query are bold there */
    gpusort_error error;
    /* Of the documents that are printed together: */
    uint64_t documents[GS_SEARCH_PAGE];
    uint64_t name_ends[GS_SEARCH_PAGE + 1]; /* the i-th ends at the one behind it */
    char *names;
    size_t name_room;
    gpusort_snippet snippets[GS_SEARCH_SNIPPETS];
} gs_search_output;

/* A query as it was given, and what it is called. */
typedef struct gs_asked {
    const char *qid, *text;
    size_t qid_bytes, bytes;
} gs_asked;

GS_MUST_CHECK gs_code gs_search_output_open(gs_search_output *o,
                                            const gs_search_args *args,
                                            gpusort_index *index,
                                            gpusort_searcher *searcher, gs_status *st);
void gs_search_output_release(gs_search_output *o); /* a zeroed one is fine */

GS_MUST_CHECK gs_code gs_search_output_ranked(gs_search_output *o, const gs_asked *asked,
                                              const gpusort_question *answer,
                                              gs_status *st);

/* In place of an answer: why there is none. Only JSON has room for that. */
GS_MUST_CHECK gs_code gs_search_output_refused(gs_search_output *o, const gs_asked *asked,
                                               const char *why, gs_status *st);

GS_MUST_CHECK gs_code gs_search_output_begin(gs_search_output *o, const gs_asked *asked,
                                             gs_status *st);
/* The first `count' of o->documents. */
GS_MUST_CHECK gs_code gs_search_output_page(gs_search_output *o, const gs_asked *asked,
                                            size_t count, gs_status *st);
/* `count`: of what matches; documents were printed unless only the count was wanted. */
GS_MUST_CHECK gs_code gs_search_output_end(gs_search_output *o, const gs_asked *asked,
                                           uint64_t count, gs_status *st);

#endif
