/* SPDX-License-Identifier: MIT */
/*
 * term_merge: the terms of several indexes in one order, and which of them have each.
 *
 *      a    apple, bee          ->   apple (a), bee (a, b), cat (b)
 *      b    bee, cat
 *
 * A heap of term cursors, by term and then by the number of the index. Call order: new,
 * begin with a range of terms, next until there is none, begin again, free. One thread.
 */
#ifndef GS_LIB_INDEX_MERGE_TERM_MERGE_H
#define GS_LIB_INDEX_MERGE_TERM_MERGE_H

#include "lib/index/read/readers.h"

enum { GS_TERM_BOUND_BYTES = 62 };

/* A bound of a range of terms: a term, or what one begins with; no bytes: none. */
typedef struct gs_term_bound {
    uint8_t bytes;
    uint8_t term[GS_TERM_BOUND_BYTES];
} gs_term_bound;

typedef struct gs_term_merge gs_term_merge;

/* The indexes are borrowed until free(). */
GS_MUST_CHECK gs_code gs_term_merge_new(gs_term_merge **out, gs_index *const *indexes,
                                        size_t count, gs_status *st);
void gs_term_merge_free(gs_term_merge *m); /* NULL is fine */

/* Terms from `from` on and before `to`; next gives the first of them. */
GS_MUST_CHECK gs_code gs_term_merge_begin(gs_term_merge *m, const gs_term_bound *from,
                                          const gs_term_bound *to, gs_status *st);
/* *count is how many indexes have the next term; 0: there is none. */
GS_MUST_CHECK gs_code gs_term_merge_next(gs_term_merge *m, size_t *count, gs_status *st);

/* The numbers of the indexes that have the term, ascending. */
const size_t *gs_term_merge_sources(const gs_term_merge *m);
/* Of one that has the term: its cursor stands there until the call after next. */
const gs_term_cursor *gs_term_merge_cursor(const gs_term_merge *m, size_t source);

/* Memory of one index in one of these: what is touched if terms are short. */
enum { GS_TERM_MERGE_SOURCE_BYTES = 12 << 10 };

#endif
