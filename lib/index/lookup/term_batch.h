/* SPDX-License-Identifier: MIT */
/*
 * term_batch: terms to be looked up together, so that the places of all in the dictionary
 * are searched for at once.
 *
 * Call order: new, (add*, find, then find_slice and seek for slices of it, clear)*, free.
 * One thread, but for slices: different ones may be in different hands. Terms are copied;
 * the batch is full by their number or by their bytes.
 */
#ifndef GS_LIB_INDEX_LOOKUP_TERM_BATCH_H
#define GS_LIB_INDEX_LOOKUP_TERM_BATCH_H

#include "lib/index/lookup/prefix_ranks.h"
#include "lib/index/read/readers.h"

enum { GS_TERM_BATCH_TERMS = 65536, GS_TERM_BATCH_BYTES = 4 << 20 };

typedef struct gs_term_batch gs_term_batch;

GS_MUST_CHECK gs_code gs_term_batch_new(gs_term_batch **out, const gs_index *index,
                                        gs_status *st);
void gs_term_batch_free(gs_term_batch *b); /* NULL is fine */

/* False, and nothing added, if there is no room; an empty batch has room for any term of
 * at most GS_TERM_BATCH_BYTES. */
GS_MUST_CHECK bool gs_term_batch_add(gs_term_batch *b, const void *term, size_t bytes);
size_t gs_term_batch_count(const gs_term_batch *b);

/* Finds where all of them are, if there is a GPU to do so. It has its prefixes from a
 * thread that compared their pages. */
void gs_term_batch_find(gs_term_batch *b, gs_prefix_ranks *finder);

/* Terms [first, end). */
typedef struct gs_term_slice {
    size_t first, end;
} gs_term_slice;

/* Where those are, unless it is known or the batch has few terms. */
GS_MUST_CHECK gs_code gs_term_batch_find_slice(gs_term_batch *b, gs_term_slice slice,
                                               gs_status *st);

/* The i-th term as it was added. */
const char *gs_term_batch_term(const gs_term_batch *b, size_t i, size_t *bytes);
/* How many blocks of the dictionary begin with a prefix that is less than the i-th
 * term's, once it is known; 0 if there are more blocks than a rank can tell. */
uint32_t gs_term_batch_rank(const gs_term_batch *b, size_t i);
/* What gs_term_cursor_seek does for it. In ascending order of `i`, since what the next
 * terms of the slice need is fetched into the caches. */
GS_MUST_CHECK gs_code gs_term_batch_seek(const gs_term_batch *b, gs_term_slice slice,
                                         size_t i, gs_term_cursor *cursor, gs_status *st);
void gs_term_batch_clear(gs_term_batch *b);

#endif
