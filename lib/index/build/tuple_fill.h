/* SPDX-License-Identifier: MIT */
/*
 * tuple_fill: the tuples of a batch to pieces, and those to a block on a GPU.
 *
 *      batch    fish 3 / chips 3 / peas 4 / oops / fish 9 / ...
 *      pieces   |      as they are       |      ...                found by the GPU
 *      or       | fish 3 1 / chips 3 1 / peas 4 1 | fish 9 1 / ... by the reader, here
 *
 * Lines go up as they are. Where the GPU refuses one, the reader of the cores
 * (lib/index/text/tuple.h) goes through what is left of the batch: it tells what is
 * malformed, and what it takes goes up in plain lines.
 *
 * Call order: begin for each batch, then next and add in turn until next has no more; a
 * piece that was not taken is added again when the blocks are empty. One thread.
 */
#ifndef GS_LIB_INDEX_BUILD_TUPLE_FILL_H
#define GS_LIB_INDEX_BUILD_TUPLE_FILL_H

#include "lib/index/block/blocks.h"

/* Zeroed before its first use. */
typedef struct gs_tuple_fill {
    gs_block_set *blocks;
    unsigned worker;
    gs_document_format format;
    gs_tuple_batch *tuples; /* that the reader has found */
    const gs_line_batch *batch;
    const uint8_t *at, *end; /* what has not been in a piece */
    gs_text_piece *piece;
    const uint8_t *first; /* of what is in the piece, as it is */
    bool is_at_hand;
    bool is_reading; /* the reader has the rest */
    gs_tuple_reader reader;
    size_t placed; /* of its tuples at hand */
} gs_tuple_fill;

void gs_tuple_fill_begin(gs_tuple_fill *f, const gs_line_batch *batch);

/* The next piece; *has_more is false if there are no more tuples. Where a line is found
 * that is no tuple, bad->why is not NULL, and perhaps nothing is at hand. */
GS_MUST_CHECK gs_code gs_tuple_fill_next(gs_tuple_fill *f, gs_bad_document *bad,
                                         bool *has_more, gs_status *st);
/* Leaves out what the reader has not read. */
void gs_tuple_fill_stop(gs_tuple_fill *f);

/* Hands it to the block. out->is_taken is false if the block is full: then the piece is
 * still at hand. One that is refused comes again from next, a part at a time. */
GS_MUST_CHECK gs_code gs_tuple_fill_add(gs_tuple_fill *f, gs_tuple_piece *out,
                                        gs_status *st);

#endif
