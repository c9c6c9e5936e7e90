/* SPDX-License-Identifier: MIT */
/*
 * collection_stats: what scores need to know of all documents, where an index has only
 * some of them: how many there are, how long, and how many have each term of a query.
 *
 * As text it is lines, of one index or of many one behind the other: what is said more
 * than once is added up.
 *
 *      documents TAB 1200
 *      length TAB 81300                the sum of their lengths
 *      df TAB 17 TAB fish              a term may have blanks and tabs; \n and \\ stand
 *                                      for a line's end and a backslash
 *
 * So N indexes that share no document, each asked with the sum of what all of them say,
 * give their documents the scores that one index of all gives them, to the last bit.
 *
 * Gathered: new, note*, settle, put. Read: read, then find by any thread.
 */
#ifndef GS_LIB_INDEX_QUERY_COLLECTION_STATS_H
#define GS_LIB_INDEX_QUERY_COLLECTION_STATS_H

#include "lib/index/read/readers.h"

typedef struct gs_collection_term {
    size_t at, bytes; /* in the text */
    uint64_t df;
} gs_collection_term;

typedef struct gs_collection_stats {
    uint64_t documents, length_sum;
    gs_collection_term *terms;
    size_t term_count, term_capacity;
    uint8_t *text;
    size_t text_bytes, text_capacity;
} gs_collection_stats;

void gs_collection_stats_release(gs_collection_stats *s); /* a zeroed one is fine */

/* A term and how many documents of this index have it; copied. */
GS_MUST_CHECK gs_code gs_collection_stats_note(gs_collection_stats *s,
                                               const uint8_t *term, size_t bytes,
                                               uint64_t df, gs_status *st);
/* Each term once, in order: those that were noted more than once say the same. */
void gs_collection_stats_settle(gs_collection_stats *s);
/* As text. */
GS_MUST_CHECK gs_code gs_collection_stats_put(const gs_collection_stats *s,
                                              gs_text_out *out, gs_status *st);

/* Into a zeroed one: all that the file `name` says, added up. */
GS_MUST_CHECK gs_code gs_collection_stats_read(gs_collection_stats *s, const char *name,
                                               gs_status *st);
/* False if nothing is said of the term. */
bool gs_collection_stats_find(const gs_collection_stats *s, const uint8_t *term,
                              size_t bytes, uint64_t *df);

#endif
