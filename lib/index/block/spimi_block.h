/* SPDX-License-Identifier: MIT */
/*
 * spimi_block: single-pass in-memory inversion of one thread's part of the input.
 *
 * Terms stand in a hash, each with a list of postings that grows in an arena, until the
 * memory is used up. Then the terms are sorted, the block is read as a term block, and
 * reset for the next part.
 *
 *      slots      | . | hash, where | . | . | hash, where | ...     open addressing
 *                         |
 *      arena      | entry, term | slice 16 | entry, term | slice 32 | slice 16 | ...
 *                    |            ^
 *                    +- list -----+
 *
 * A term that came once has no slice: its posting is in the entry. Lists
 * (lib/index/block/slice_list.h) are numbers:
 *
 *      frequencies   first doc, then for each change of document: gap << 1 | (tf == 1)
 *                    and, unless it is 1, the tf of the document that ends; the last
 *                    document and its tf are in the entry
 *      positions     first doc and position, then for each token: step << 1 | is_new, and
 *                    if it is in a new document, the gap; its step counts from 0
 *
 * Documents of tuples come as they like: gaps are zigzag numbers, and a
 * list out of order is sorted when it is read.
 *
 * Memory is counted to the byte, sorting included: add takes as many tokens as fit.
 * One thread; what add has taken stays until reset.
 */
#ifndef GS_LIB_INDEX_BLOCK_SPIMI_BLOCK_H
#define GS_LIB_INDEX_BLOCK_SPIMI_BLOCK_H

#include "lib/index/block/term_block.h"
#include "lib/index/text/documents.h"

typedef struct gs_spimi_block gs_spimi_block;

enum { GS_SPIMI_BYTES_MIN = 256 * 1024 };

GS_MUST_CHECK gs_code gs_spimi_block_new(gs_spimi_block **out,
                                         const gs_block_options *options, gs_status *st);
void gs_spimi_block_free(gs_spimi_block *b); /* NULL is fine */

/* Takes tokens, whose documents are counted from `first_doc`; *taken < count: the block
 * is full. A block that holds nothing takes at least one. */
GS_MUST_CHECK gs_code gs_spimi_block_add(gs_spimi_block *b, uint64_t first_doc,
                                         const gs_token *tokens, size_t count,
                                         size_t *taken, gs_status *st);
/* The same for tuples. */
GS_MUST_CHECK gs_code gs_spimi_block_add_tuples(gs_spimi_block *b, const gs_tuple *tuples,
                                                size_t count, size_t *taken,
                                                gs_status *st);

/* Is less than a quarter of the memory left? */
bool gs_spimi_block_is_nearly_full(const gs_spimi_block *b);

/* Sorts the terms; the view is valid until reset. */
GS_MUST_CHECK gs_code gs_spimi_block_sort(gs_spimi_block *b, gs_term_block *view,
                                          gs_status *st);
/* Forgets everything and keeps the memory. */
void gs_spimi_block_reset(gs_spimi_block *b);
/* The same, and from now on takes no more than this, at least GS_SPIMI_BYTES_MIN. */
GS_MUST_CHECK gs_code gs_spimi_block_shrink(gs_spimi_block *b, size_t memory_bytes,
                                            gs_status *st);

#endif
