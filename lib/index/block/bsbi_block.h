/* SPDX-License-Identifier: MIT */
/*
 * bsbi_block: blocked sort-based indexing of one thread's part of the input.
 *
 * Each token becomes a packed tuple in an array, its term a number from the dictionary of
 * the whole build. When the array is full, numbers are replaced by the terms' ranks, the
 * tuples sorted by the engine, and the array read as a term block:
 *
 *      fill     (17, 0) (3, 0) (17, 0) (5, 1) ...    term number, document[, payload]
 *      rank     ( 2, 0) (9, 0) ( 2, 0) (4, 1) ...
 *      sort     ( 2, 0) ( 2, 0) (4, 1) (9, 0) ...
 *      groups     2: 0 .. 2        4: 2   9: 3        where each term's tuples begin
 *
 * The payload is a position, or the tf of a ready tuple. Packings, from the top:
 *
 *      text             64 bits    term 32, document 32
 *      with positions   64         term 24, document 20, position 20
 *      ready tuples     64         term 28, document 28, tf 8
 *      wide            128         term 32, document 40, payload 32 (24 zero bits first)
 *
 * Documents of text are counted from the block's first. A block that meets something that
 * does not fit ends, and from the next on it is wide.
 *
 * One thread fills and sorts it.
 */
#ifndef GS_LIB_INDEX_BLOCK_BSBI_BLOCK_H
#define GS_LIB_INDEX_BLOCK_BSBI_BLOCK_H

#include "lib/index/block/term_block.h"
#include "lib/index/block/term_dictionary.h"
#include "lib/index/text/documents.h"
#include "lib/index/block/tuple_sort.h"

typedef struct gs_bsbi_block gs_bsbi_block;

enum { GS_BSBI_BYTES_MIN = 64 * 1024 };

/* Dictionary and sorter are borrowed, and shared by blocks. */
GS_MUST_CHECK gs_code gs_bsbi_block_new(gs_bsbi_block **out,
                                        const gs_block_options *options,
                                        gs_term_dictionary *dictionary,
                                        gs_tuple_sorter *sorter, gs_status *st);
void gs_bsbi_block_free(gs_bsbi_block *b); /* NULL is fine */

/* Takes tokens, whose documents are counted from `first_doc`; *taken < count: the block,
 * or the dictionary, is full. */
GS_MUST_CHECK gs_code gs_bsbi_block_add(gs_bsbi_block *b, uint64_t first_doc,
                                        const gs_token *tokens, size_t count,
                                        size_t *taken, gs_status *st);
GS_MUST_CHECK gs_code gs_bsbi_block_add_tuples(gs_bsbi_block *b, const gs_tuple *tuples,
                                               size_t count, size_t *taken,
                                               gs_status *st);

/* Is less than a quarter of its memory left, or little of the dictionary's? */
bool gs_bsbi_block_is_nearly_full(const gs_bsbi_block *b);

/* The dictionary has been ranked since the last add. The view is valid until reset. */
GS_MUST_CHECK gs_code gs_bsbi_block_sort(gs_bsbi_block *b, gs_term_block *view,
                                         gs_status *st);
/* Forgets the tuples; with `new_dictionary` that was reset. */
void gs_bsbi_block_reset(gs_bsbi_block *b, bool new_dictionary);
/* The same with the dictionary that there is, and from now on the block takes no more
 * than this, at least GS_BSBI_BYTES_MIN. */
void gs_bsbi_block_shrink(gs_bsbi_block *b, size_t memory_bytes);

#endif
