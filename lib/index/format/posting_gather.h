/* SPDX-License-Identifier: MIT */
/*
 * posting_gather: postings of one term after the other, put together from parts.
 *
 * Parts come with documents that never go back; where the end of one part and the
 * beginning of the next are the same document, its frequencies are added up and its
 * positions joined. What is complete goes on to a target, in batches.
 *
 * Call order: init, (term, add*)*, end, release. One thread.
 */
#ifndef GS_LIB_INDEX_FORMAT_POSTING_GATHER_H
#define GS_LIB_INDEX_FORMAT_POSTING_GATHER_H

#include <stdbool.h>

#include "lib/index/format/posting.h"

/* Where gathered postings go. Terms are distinct and ascend; documents of a term ascend
 * strictly, over all its batches. */
typedef struct gs_posting_target {
    gs_code (*term)(void *context, const uint8_t *term, size_t bytes, gs_status *st);
    gs_code (*postings)(void *context, const gs_posting_batch *batch, gs_status *st);
    void *context;
    /* A full block of postings, as many as that behind the term's beginning or behind
     * another full block; NULL: none is taken. */
    gs_code (*block)(void *context, const gs_foreign_block *block, gs_status *st);
} gs_posting_target;

typedef struct gs_posting_gather {
    gs_posting_target target;
    bool has_positions;
    gs_posting_batch batch; /* not handed on yet */
} gs_posting_gather;

void gs_posting_gather_init(gs_posting_gather *g, const gs_posting_target *target,
                            bool has_positions);
void gs_posting_gather_release(gs_posting_gather *g);

/* The next term; the bytes are borrowed for the call. */
GS_MUST_CHECK gs_code gs_posting_gather_term(gs_posting_gather *g, const uint8_t *term,
                                             size_t bytes, gs_status *st);
/* Postings [begin, end) of a part; `positions` are theirs. A part that is one posting of
 * very many positions gives its memory away. */
GS_MUST_CHECK gs_code gs_posting_gather_add(gs_posting_gather *g, gs_posting_batch *part,
                                            size_t begin, size_t end,
                                            const uint32_t *positions, gs_status *st);
/* A full block of a target that takes them, whose documents no other part has. */
GS_MUST_CHECK gs_code gs_posting_gather_block(gs_posting_gather *g,
                                              const gs_foreign_block *block,
                                              gs_status *st);
/* Hands on what is left of the last term. */
GS_MUST_CHECK gs_code gs_posting_gather_end(gs_posting_gather *g, gs_status *st);

#endif
