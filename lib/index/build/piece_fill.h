/* SPDX-License-Identifier: MIT */
/*
 * piece_fill: the documents of a batch to pieces of text, and those to a block on a GPU.
 *
 *      documents   |  0  | 1 |       2        | 3 |
 *      pieces      |         |         |          |        2 goes on in the next one
 *
 * Call order: begin for each batch, then next and add in turn until next has no more; a
 * piece that was not taken is added again when the blocks are empty. One thread.
 */
#ifndef GS_LIB_INDEX_BUILD_PIECE_FILL_H
#define GS_LIB_INDEX_BUILD_PIECE_FILL_H

#include "lib/index/block/blocks.h"

/* Words that were too long, of the first document that has one. */
typedef struct gs_long_words {
    uint64_t count;
    size_t document;
} gs_long_words;

/* Zeroed before its first use. */
typedef struct gs_piece_fill {
    gs_block_set *blocks;
    unsigned worker;
    gs_tokenizer *tokenizer;
    gs_token_batch *tokens;
    const gs_document_list *list;
    size_t document, text; /* where it stands */
    bool in_document, in_text;
    gs_text_piece *piece;
    size_t first;   /* document of the piece, */
    uint32_t words; /* which has had so many in pieces before */
    bool is_at_hand;
} gs_piece_fill;

void gs_piece_fill_begin(gs_piece_fill *f, const gs_document_list *list);

/* The next piece; *has_more is false if there are no more words. */
GS_MUST_CHECK gs_code gs_piece_fill_next(gs_piece_fill *f, gs_long_words *long_words,
                                         bool *has_more, gs_status *st);
/* Hands it to the block, and adds to the lengths of its documents, which are numbered
 * from `first_doc`. *fits is false if the block is full: then the piece is still at hand.
 */
GS_MUST_CHECK gs_code gs_piece_fill_add(gs_piece_fill *f, uint64_t first_doc,
                                        uint32_t *lengths, gs_long_words *long_words,
                                        bool *fits, gs_status *st);

#endif
