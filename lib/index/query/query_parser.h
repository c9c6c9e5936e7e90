/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * query_parser: text to a query.
 *
 *      group  = { [+|-] either }     side by side: should (or must), must, must not
 *      either = both { OR both }
 *      both   = part { AND part }
 *      part   = { NOT } ( word | word* | "words in a row" | ( group ) )
 *
 * What other programs' queries have beyond that, as title:word, is refused where it is
 * met (lib/index/query/query_foreign.h); in quotes, behind a backslash, in a query that is
 * plain and of an index without rules for words it is text.
 *
 * AND, OR and NOT are words in capitals. `+` and `-` count only at the beginning of a
 * word or before a quote or parenthesis; inside of words they are like any other
 * character. A clause that is NOT x alone is one that must not match, as -x.
 *
 * Words take the way of the index's text (lib/index/text/tokenizer.h). One of which nothing is
 * left, as a stop word, is as if it were not there. One that becomes several terms, as
 * x-ray, stands for all of them: side by side as if with blanks, else with AND between
 * them. Phrases of more than one term need positions. The beginning of a word is folded
 * but not stemmed. An index that has no rules for words takes words byte for byte, and a
 * quoted text as one term. One that holds impacts takes weights of its terms, too
 * (lib/index/query/query_weights.h).
 *
 * A parser belongs to one thread.
 */
/* clang-format on */
#ifndef GS_LIB_INDEX_QUERY_QUERY_PARSER_H
#define GS_LIB_INDEX_QUERY_QUERY_PARSER_H

#include "lib/index/query/query.h"
#include "lib/index/text/documents.h"

typedef struct gs_query_parser_options {
    const gs_word_rules *rules; /* NULL: words are terms */
    bool is_plain;              /* nothing but words: no operators, quotes, parentheses */
    bool needs_all;             /* words side by side must all match */
    bool has_positions;
    bool has_weights; /* without rules: terms may have some */
} gs_query_parser_options;

typedef struct gs_query_parser gs_query_parser;

/* Borrows the rules. */
GS_MUST_CHECK gs_code gs_query_parser_new(gs_query_parser **out,
                                          const gs_query_parser_options *options,
                                          gs_status *st);
void gs_query_parser_free(gs_query_parser *p); /* NULL is fine */

/* Clears and fills the query. What does not follow the grammar is GS_ERR_ARG, and the
 * message begins with "column N: ", counted in characters from 1. */
GS_MUST_CHECK gs_code gs_query_parse(gs_query_parser *p, const void *text, size_t bytes,
                                     gs_query *query, gs_status *st);

#endif
