/* SPDX-License-Identifier: MIT */
/*
 * search_output: answers of `gpusort search`, in the shape that was asked for.
 *
 * Ranked ones are printed whole. Of Boolean ones documents are printed as they are found:
 * begin, document*, end.
 */
#ifndef GS_CMD_SEARCH_OUTPUT_H
#define GS_CMD_SEARCH_OUTPUT_H

#include "cmd/search_args.h"
#include "cmd/search_snippets.h"
#include "lib/index/segment/segments.h"

typedef struct gs_search_output {
    const gs_search_args *args;
    const gs_segments *index;
    bool has_qids; /* there may be several queries: lines begin with which one */
    gs_text_out out;
    gs_document_name name;        /* of the document that is printed */
    uint64_t printed;             /* of the present query */
    gs_search_snippets *snippets; /* borrowed; NULL: there are none */
    bool is_terminal;             /* where they go: each has a line */
    bool has_marks;               /* words of the query are bold there */
} gs_search_output;

/* A query as it was given, and what it is called. */
typedef struct gs_asked {
    const char *qid, *text;
    size_t qid_bytes, bytes;
} gs_asked;

GS_MUST_CHECK gs_code gs_search_output_open(gs_search_output *o,
                                            const gs_search_args *args,
                                            gs_segments *index,
                                            gs_search_snippets *snippets, gs_status *st);
void gs_search_output_release(gs_search_output *o); /* a zeroed one is fine */

GS_MUST_CHECK gs_code gs_search_output_ranked(gs_search_output *o, const gs_asked *asked,
                                              const gs_top_docs *top, gs_status *st);

/* In place of an answer: why there is none. Only JSON has room for that. */
GS_MUST_CHECK gs_code gs_search_output_refused(gs_search_output *o, const gs_asked *asked,
                                               const char *why, gs_status *st);

GS_MUST_CHECK gs_code gs_search_output_begin(gs_search_output *o, const gs_asked *asked,
                                             gs_status *st);
GS_MUST_CHECK gs_code gs_search_output_document(gs_search_output *o,
                                                const gs_asked *asked, uint64_t doc,
                                                gs_status *st);
/* `count`: of what matches; documents were printed unless only the count was wanted. */
GS_MUST_CHECK gs_code gs_search_output_end(gs_search_output *o, const gs_asked *asked,
                                           uint64_t count, gs_status *st);

#endif
