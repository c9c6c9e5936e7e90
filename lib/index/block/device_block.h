/* SPDX-License-Identifier: MIT */
/*
 * device_block: the block of all threads on a GPU (gpu/words/word_block.h).
 *
 *      worker   piece of text, or of ready tuples -> GPU: tokens in its memory
 *      sort     terms in order; they come down, and those with one stem are joined;
 *               tokens to postings
 *      reader   | window |                      postings come down as they are read
 *                        | window, twice as large |
 *
 * The postings stay in the GPU's memory until they are read, so that no memory of the
 * host bounds a block but that for its terms. What comes down is looked at: terms and
 * documents that are not in order are a GPU that fails, not an index that is wrong.
 *
 * Stop words go up first, so that the GPU leaves them out where it finds them. Words are
 * stemmed when all are there, each form once (lib/index/block/form_stems.h).
 *
 * A thread starts the GPU while the first input is read. What the GPU had when it fails
 * is lost: who builds begins again without one.
 *
 * Each worker has a piece of its own; add is theirs, the rest one thread's, and the view
 * any number of threads' up to the workers.
 */
#ifndef GS_LIB_INDEX_BLOCK_DEVICE_BLOCK_H
#define GS_LIB_INDEX_BLOCK_DEVICE_BLOCK_H

#include "lib/base/log.h"
#include "lib/base/team.h"
#include "lib/index/block/term_block.h"
#include "lib/index/block/text_piece.h"

typedef struct gs_device_block gs_device_block;

/* What is gathered. */
typedef enum gs_device_source {
    GS_DEVICE_TEXTS, /* of documents: add */
    GS_DEVICE_LINES, /* tuples as lines: add_tuples */
    GS_DEVICE_PAIRS, /* binary tuples: add_tuples */
} gs_device_source;

typedef struct gs_device_block_options {
    unsigned workers;
    gs_device_source source;
    size_t piece_bytes;    /* of each worker's text */
    size_t term_bytes_max; /* of the terms of a block, in memory of the host */
    bool has_positions;
    const gs_word_rules *rules; /* of texts */
    int gpu;
    size_t gpu_memory_bytes; /* 0: what is free less a reserve */
    uint64_t input_bytes;    /* expected; 0: unknown */
    const gs_log *log;       /* may be NULL */
} gs_device_block_options;

/* Memory of the host for each worker. */
size_t gs_device_block_worker_bytes(size_t piece_bytes);

GS_MUST_CHECK gs_code gs_device_block_new(gs_device_block **out,
                                          const gs_device_block_options *options,
                                          gs_status *st);
void gs_device_block_free(gs_device_block *b); /* NULL is fine */

/* The worker's piece; waits for the GPU to be there. */
GS_MUST_CHECK gs_code gs_device_block_piece(gs_device_block *b, unsigned worker,
                                            gs_text_piece **piece, gs_status *st);

/* Waits; false if it could not be had. */
bool gs_device_block_has_started(gs_device_block *b);

/* What became of a piece. */
typedef struct gs_piece_result {
    const uint32_t *lengths; /* of its documents: the words that were taken */
    uint32_t last_words;     /* of the last one, left out or not */
    uint32_t long_words;     /* left out here, of ASCII, and */
    uint32_t long_document;  /* the first with one, counted in the piece */
} gs_piece_result;

/* Takes the worker's piece, whose first document has this number, and had so many words
 * in pieces before. *is_taken is false if the block is full. */
GS_MUST_CHECK gs_code gs_device_block_add(gs_device_block *b, unsigned worker,
                                          uint64_t first_doc, uint32_t first_position,
                                          bool *is_taken, gs_piece_result *result,
                                          gs_status *st);

/* What became of a piece of tuples. */
typedef struct gs_tuple_piece {
    bool is_taken;   /* else the block is full, or */
    bool is_refused; /* a line is for the reader of the cores */
    uint32_t tuples;
    uint64_t tokens;   /* their frequencies together */
    uint64_t last_doc; /* the greatest, if there are any */
} gs_tuple_piece;

/* The text of the worker's piece, whole lines or pairs. */
GS_MUST_CHECK gs_code gs_device_block_add_tuples(gs_device_block *b, unsigned worker,
                                                 gs_tuple_piece *out, gs_status *st);
bool gs_device_block_is_nearly_full(gs_device_block *b);

/* How many words or tuples have been gathered. */
uint64_t gs_device_block_tokens(gs_device_block *b);

/* The view is valid until reset. The team stems. */
GS_MUST_CHECK gs_code gs_device_block_sort(gs_device_block *b, gs_team *team,
                                           gs_term_block *view, gs_status *st);
GS_MUST_CHECK gs_code gs_device_block_reset(gs_device_block *b, gs_status *st);

#endif
