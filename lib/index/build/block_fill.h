/* SPDX-License-Identifier: MIT */
/*
 * block_fill: input to term blocks, on all threads at once.
 *
 *      feed        | batch 0 | batch 1 | batch 2 | batch 3 | ...
 *      worker 0      parse 0, number, tokens to block 0,    parse 2, number, ...
 *      worker 1      parse 1, wait for its number, tokens to block 1,        ...
 *      numbers     0 ..  41 | 42 .. 97 | ...                documents, in input order
 *
 * A batch is parsed first; how many documents are in the batches before it is known when
 * those are parsed, which is soon; then its documents have their numbers and go word by
 * word into the worker's block. When some block is full, all workers stop where they are,
 * even within a document; after the blocks have been emptied they go on from there. Long
 * documents, which the feed puts together apart, are in memory a few at a time: a worker
 * that needs one more waits until one is finished.
 *
 * With a checkpoint they stop before, when the batches at hand are in, if that goes: what
 * was read is then all in the blocks, and can be gone on behind by another process.
 *
 * Where the blocks are on a GPU, text goes there as it is, a piece at a time
 * (lib/index/build/piece_fill.h), and its words are found there; so do ready tuples
 * (lib/index/build/tuple_fill.h).
 *
 * Documents that are vectors of weights have their terms in them, and go as tuples into
 * the blocks.
 *
 * Names and lengths of documents are given on in the order of their numbers, and what is
 * malformed is told in the order of the input.
 */
#ifndef GS_LIB_INDEX_BUILD_BLOCK_FILL_H
#define GS_LIB_INDEX_BUILD_BLOCK_FILL_H

#include "lib/base/team.h"
#include "lib/index/block/blocks.h"
#include "lib/index/build/batch_order.h"
#include "lib/index/build/index_builder.h"

/* Documents whose text goes to a GPU: a thread may have so many batches, of which the
 * first goes there and the others, parsed, wait for their numbers. */
enum { GS_FILL_BATCHES = 4 };

/* What the documents before the first that is read were. */
typedef struct gs_fill_counts {
    uint64_t documents;  /* of tuples: the last docID + 1 */
    size_t input_index;  /* the file that is being read, */
    uint64_t line_count; /* and its lines so far */
    uint64_t bad_count;
    bool has_weights; /* documents came as vectors */
} gs_fill_counts;

typedef struct gs_block_fill_options {
    const gs_index_build_options *build;
    gs_line_feed *feed;
    const gs_input *input;            /* that feeds it, for statistics */
    const gs_document_shapes *shapes; /* what its files are; not for tuples */
    size_t document_bytes_max;        /* for a message */
    gs_fill_counts before;
    bool has_weights; /* documents are vectors */
    bool has_pieces;  /* text of documents, or tuples, go as they are to a GPU */
    const gs_word_rules *rules; /* of documents that are text */
    gs_block_set *blocks;       /* of so many workers */
    unsigned workers;
    gs_documents_fn *documents_fn; /* not for tuples, */
    void *documents_context;
    bool packs_names;      /* and gets most names as they are stored */
    gs_text_writer *texts; /* NULL: texts are not stored */
} gs_block_fill_options;

typedef struct gs_block_fill gs_block_fill;

/* Copies the options; what they point to is borrowed. */
GS_MUST_CHECK gs_code gs_block_fill_new(gs_block_fill **out,
                                        const gs_block_fill_options *options,
                                        gs_status *st);
void gs_block_fill_free(gs_block_fill *f); /* NULL is fine */

/* Fills until a block is full or the input ends, or a document comes that is longer than
 * the feed may hold apart as it is: then `wants_room`, and the feed's limit is to be
 * raised before the next run. */
GS_MUST_CHECK gs_code gs_block_fill_run(gs_block_fill *f, gs_team *team, bool *is_ended,
                                        gs_status *st);

bool gs_block_fill_wants_room(const gs_block_fill *f);

/* Between two runs: is all in the blocks of what was taken from the feed? Then *counts is
 * what another process goes on with, at gs_line_feed_place. */
bool gs_block_fill_is_between(const gs_block_fill *f, gs_fill_counts *counts);

/* How many documents there were; of tuples one more than the greatest docID. */
uint64_t gs_block_fill_document_count(const gs_block_fill *f);

#endif
