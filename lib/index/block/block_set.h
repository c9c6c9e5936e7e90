/* SPDX-License-Identifier: MIT */
/*
 * block_set: the term blocks of the workers of a build, of one kind or the other.
 *
 * What is a spimi_block or a bsbi_block, of which each worker has one, the latter with a
 * dictionary that they share, and what a device_block, which all share, is known here and
 * nowhere above. Call order: new, (add*, sort, (views), reset, (shrink))*, free. A
 * worker's block is that worker's own while blocks are filled; `sort` is the team's work,
 * the rest one thread's.
 *
 *      batches   | 0 .. 3 | 4 .. 7 | 8 .. 11 | ...
 *      GPUs          0        1        0             each has a block; when they are
 * sorted they share terms out, if there is room
 */
#ifndef GS_LIB_INDEX_BLOCK_BLOCK_SET_H
#define GS_LIB_INDEX_BLOCK_BLOCK_SET_H

#include "lib/base/log.h"
#include "lib/base/team.h"
#include "lib/index/block/device_block.h"
#include "lib/index/block/term_block.h"
#include "lib/index/block/tuple_sort.h"
#include "lib/index/text/documents.h"

typedef struct gs_block_set gs_block_set;

typedef enum gs_block_kind {
    GS_BLOCKS_LISTS,  /* spimi_block */
    GS_BLOCKS_TUPLES, /* bsbi_block */
    GS_BLOCKS_DEVICE, /* device_block: of documents that are text, or of tuples */
} gs_block_kind;

typedef struct gs_block_set_options {
    gs_block_kind kind;
    unsigned workers;
    gs_tuple_sorter *sorter; /* of tuples */
    size_t block_bytes;      /* of each; at least gs_block_set_bytes_min */
    size_t
        dictionary_bytes; /* of tuples and of what is on a device: of terms, all in all */
    bool has_positions;
    bool is_tuples;
    gs_device_block_options device; /* but for what is said here, for each of: */
    const int *gpus;                /* none: device.gpu alone */
    size_t gpu_count;
    const gs_log *log; /* may be NULL */
} gs_block_set_options;

size_t gs_block_set_bytes_min(gs_block_kind kind);

/* Copies the options, borrows what they point to. */
GS_MUST_CHECK gs_code gs_block_set_new(gs_block_set **out,
                                       const gs_block_set_options *options,
                                       gs_status *st);
void gs_block_set_free(gs_block_set *s); /* NULL is fine */

/* Puts tokens, whose documents are counted from `first_doc`, into the worker's block;
 * *taken < count: it is full. An empty block takes at least one. */
GS_MUST_CHECK gs_code gs_block_set_add(gs_block_set *s, unsigned worker,
                                       uint64_t first_doc, const gs_token *tokens,
                                       size_t count, size_t *taken, gs_status *st);
GS_MUST_CHECK gs_code gs_block_set_add_tuples(gs_block_set *s, unsigned worker,
                                              const gs_tuple *tuples, size_t count,
                                              size_t *taken, gs_status *st);
/* On GPUs: the worker goes on with the batch of this number, all of whose pieces go to
 * one. None of a batch before is at hand. */
void gs_block_set_begin_batch(gs_block_set *s, unsigned worker, uint64_t ticket);
/* The same of texts: the worker's piece, and what becomes of it. The documents of a piece
 * have numbers from `first_doc` on, and the first has had so many words in pieces
 * before. */
GS_MUST_CHECK gs_code gs_block_set_piece(gs_block_set *s, unsigned worker,
                                         gs_text_piece **piece, gs_status *st);
GS_MUST_CHECK gs_code gs_block_set_add_piece(gs_block_set *s, unsigned worker,
                                             uint64_t first_doc, uint32_t first_position,
                                             bool *is_taken, gs_piece_result *result,
                                             gs_status *st);
/* The worker's piece is of ready tuples, as they are in the input. */
GS_MUST_CHECK gs_code gs_block_set_add_tuple_piece(gs_block_set *s, unsigned worker,
                                                   gs_tuple_piece *out, gs_status *st);
/* Are the blocks on a GPU, which is there? */
bool gs_block_set_has_started(gs_block_set *s);
/* Is little of its memory left? */
bool gs_block_set_is_nearly_full(const gs_block_set *s, unsigned worker);

/* How many words or tuples are on GPUs; 0 where the blocks are not. */
uint64_t gs_block_set_tokens_on_gpus(const gs_block_set *s);

/* Sorts every block by term; a look at them all is valid until reset. */
GS_MUST_CHECK gs_code gs_block_set_sort(gs_block_set *s, gs_team *team, gs_status *st);
const gs_term_block *gs_block_set_views(const gs_block_set *s);
unsigned gs_block_set_view_count(const gs_block_set *s); /* one a worker, or one a GPU */
size_t gs_block_set_term_count(const gs_block_set *s);   /* of all views */

/* Empties them; a dictionary that takes much of its memory starts anew. */
GS_MUST_CHECK gs_code gs_block_set_reset(gs_block_set *s, gs_status *st);
/* Of empty ones: from now on each takes no more than this. */
GS_MUST_CHECK gs_code gs_block_set_shrink(gs_block_set *s, size_t block_bytes,
                                          gs_status *st);

#endif
