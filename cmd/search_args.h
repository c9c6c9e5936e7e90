/* SPDX-License-Identifier: MIT */
/*
 * search_args: what was said on the command line of `gpusort search`.
 */
#ifndef GS_CMD_SEARCH_ARGS_H
#define GS_CMD_SEARCH_ARGS_H

#include <stdbool.h>

#include "lib/gpusort.h"

typedef enum gs_search_shape {
    GS_SEARCH_TEXT,
    GS_SEARCH_JSON,
    GS_SEARCH_TREC,
    GS_SEARCH_COUNT, /* only how many documents match */
} gs_search_shape;

typedef struct gs_search_args {
    const char *folder;
    char **queries;
    int query_count; /* 0: a line each on standard input */
    gpusort_search_options options;
    size_t limit; /* documents, at most */
    gs_search_shape shape;
    const char *tag; /* of a TREC run */
    bool as_json;    /* counts too */
    bool is_boolean; /* documents that match, in their order */
    bool has_snippets;
    bool has_limit;
    bool has_b;
    bool gathers; /* what scores need to know, instead of answers */
    bool needs_all, is_plain, is_exhaustive;
    bool verifies;
    bool verbose;
} gs_search_args;

/* Ends the program with a message when the arguments will not do. Moves the queries to
 * the front of argv, which stay borrowed. */
void gs_search_args_parse(gs_search_args *args, int argc, char **argv);

#endif
