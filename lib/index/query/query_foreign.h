/* SPDX-License-Identifier: MIT */
/*
 * query_foreign: what the queries of other programs have and these have not.
 *
 *      hacker^2   hackr~1   "a b"~3   title:hacker   ha*er   hack?r   a && b   a || b !a
 *
 * All of that could be taken for text, and would then find something else than was meant:
 * so it is refused, unless a backslash stands before the character that makes it so.
 * Text as it is written stays text: 10:30, std::sort, http://x.org, who? and wow!
 */
#ifndef GS_LIB_INDEX_QUERY_QUERY_FOREIGN_H
#define GS_LIB_INDEX_QUERY_QUERY_FOREIGN_H

#include <stddef.h>
#include <stdint.h>

/* What is wrong with the word [begin, end) of a query that ends at `query_end`, and
 * where; NULL: nothing. */
const char *gs_query_foreign_word(const uint8_t *begin, const uint8_t *end,
                                  const uint8_t *query_end, const uint8_t **at);
/* The same of what follows a closing quote or parenthesis at `p`. */
const char *gs_query_foreign_suffix(const uint8_t *p, const uint8_t *query_end);

#endif
