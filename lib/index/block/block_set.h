/* SPDX-License-Identifier: MIT */
/*
 * block_set: a term block for each worker of a build, of one method or the other.
 *
 * What is a spimi_block or a bsbi_block, with the dictionary that those share, is known
 * here and nowhere above. Call order: new, (add*, sort, (views), reset, (shrink))*, free.
 * A worker's block is that worker's own while blocks are filled; `sort` is the team's
 * work, the rest one thread's.
 */
#ifndef GS_LIB_INDEX_BLOCK_BLOCK_SET_H
#define GS_LIB_INDEX_BLOCK_BLOCK_SET_H

#include "lib/base/log.h"
#include "lib/base/team.h"
#include "lib/index/block/term_block.h"
#include "lib/index/block/tuple_sort.h"
#include "lib/index/text/documents.h"

typedef struct gs_block_set gs_block_set;

typedef struct gs_block_set_options {
    unsigned workers;
    gs_tuple_sorter *sorter; /* bsbi, sorted by this; NULL: spimi */
    size_t block_bytes;      /* of each; at least gs_block_set_bytes_min */
    size_t dictionary_bytes; /* of all together, for bsbi */
    bool has_positions;
    bool is_tuples;
    const gs_log *log; /* may be NULL */
} gs_block_set_options;

size_t gs_block_set_bytes_min(bool is_bsbi);

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
/* Is little of its memory left? */
bool gs_block_set_is_nearly_full(const gs_block_set *s, unsigned worker);

/* Sorts every block by term; a look at them all is valid until reset. */
GS_MUST_CHECK gs_code gs_block_set_sort(gs_block_set *s, gs_team *team, gs_status *st);
const gs_term_block *gs_block_set_views(const gs_block_set *s); /* one a worker */
size_t gs_block_set_term_count(const gs_block_set *s);          /* of all views */

/* Empties them; a dictionary that takes much of its memory starts anew. */
void gs_block_set_reset(gs_block_set *s);
/* Of empty ones: from now on each takes no more than this. */
GS_MUST_CHECK gs_code gs_block_set_shrink(gs_block_set *s, size_t block_bytes,
                                          gs_status *st);

#endif
