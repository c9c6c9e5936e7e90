/* SPDX-License-Identifier: MIT */
/*
 * snippet: a short stretch of the stored text of a document, where the words of a query
 * stand closest together.
 *
 * All of the query's terms count that a document may have to match: rare ones more
 * (lib/index/query/dense_window.h), words by their beginning, words of phrases too. Of a
 * document without any the snippet is its beginning. White space and what a terminal
 * would take for more than text is a blank, what is not UTF-8 U+FFFD.
 *
 * One thread; any number may share an index and its rules. Call order: new, (query,
 * make*)*, free.
 */
#ifndef GS_LIB_INDEX_QUERY_SNIPPET_H
#define GS_LIB_INDEX_QUERY_SNIPPET_H

#include "lib/index/query/searcher.h"

enum {
    GS_SNIPPET_BYTES = 200, /* of the text, about */
    GS_SNIPPET_MARKS_MAX = 64,
    /* What is not UTF-8 becomes three bytes; a window may be a word longer. */
    GS_SNIPPET_BYTES_MAX = 3 * 2 * GS_SNIPPET_BYTES,
    GS_SNIPPET_LOOKED_AT_MAX = 16 << 20, /* bytes of a text, from its beginning */
};

typedef struct gs_snippet_mark {
    uint16_t begin, end; /* bytes of the snippet */
} gs_snippet_mark;

typedef struct gs_snippet {
    uint8_t text[GS_SNIPPET_BYTES_MAX];
    size_t bytes;
    bool is_cut_before, is_cut_behind;           /* there is more of the text */
    gs_snippet_mark marks[GS_SNIPPET_MARKS_MAX]; /* where the words stand */
    size_t mark_count;
} gs_snippet;

typedef struct gs_snippet_maker gs_snippet_maker;

/* Borrows index, which has texts, and rules, which are those of the index. */
GS_MUST_CHECK gs_code gs_snippet_maker_new(gs_snippet_maker **out, const gs_index *index,
                                           const gs_word_rules *rules,
                                           const gs_search_options *options,
                                           gs_status *st);
/* The index is a segment, and terms are as rare as in the whole, whose counts `all` has.
 * It is borrowed. */
void gs_snippet_maker_count_in(gs_snippet_maker *m, gs_segment_terms *all);
void gs_snippet_maker_free(gs_snippet_maker *m); /* NULL is fine */

/* What the snippets that are made next are of. */
GS_MUST_CHECK gs_code gs_snippet_maker_query(gs_snippet_maker *m, const void *text,
                                             size_t bytes, gs_status *st);
GS_MUST_CHECK gs_code gs_snippet_make(gs_snippet_maker *m, uint64_t doc, gs_snippet *out,
                                      gs_status *st);

#endif
