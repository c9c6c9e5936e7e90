/* SPDX-License-Identifier: MIT */
/*
 * batch_answer: lines of text for every term of a batch, made by all threads, written in
 * the order of the batch.
 *
 * The batch is cut into slices, which the workers take in order. A worker writes into a
 * buffer of its own; what does not fit waits until the slices before are written. So
 * memory is bounded however long the answers are, and the slice whose turn it is never
 * waits.
 *
 * Call order: new, run for each batch, free.
 */
#ifndef GS_LIB_INDEX_BATCH_ANSWER_H
#define GS_LIB_INDEX_BATCH_ANSWER_H

#include "lib/index/index_text.h"
#include "lib/index/term_batch.h"

/* Writes the lines of a term; the cursor stands at the first term that is not less.
 * Called on any thread. */
typedef gs_code gs_batch_answer_fn(const void *context, gs_term_cursor *cursor,
                                   const void *term, size_t bytes, gs_text_out *out,
                                   gs_status *st);

typedef struct gs_batch_answer_options {
    const gs_index *index;
    unsigned workers;
    gs_batch_answer_fn *answer;
    const void *answer_context;
    gs_text_write_fn *write; /* one call at a time */
    void *write_context;
} gs_batch_answer_options;

typedef struct gs_batch_answer gs_batch_answer;

GS_MUST_CHECK gs_code gs_batch_answer_new(gs_batch_answer **out,
                                          const gs_batch_answer_options *options,
                                          gs_status *st);
void gs_batch_answer_free(gs_batch_answer *a); /* NULL is fine */

/* Answers for terms that were added, and clears the batch. All is written when it
 * returns. */
GS_MUST_CHECK gs_code gs_batch_answer_run(gs_batch_answer *a, gs_term_batch *batch,
                                          gs_status *st);

#endif
