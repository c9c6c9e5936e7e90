/* SPDX-License-Identifier: MIT */
/*
 * batch_answer: lines of text for any number of terms, made by all threads, written in
 * the order of the terms.
 *
 * Terms are collected into batches, so that the places of all in the dictionary are
 * searched for together. A batch is cut into slices, which the workers take in order. A
 * worker writes into a buffer of its own; what does not fit waits until the slices before
 * are written. So memory is bounded however long the answers are, and the slice whose
 * turn it is never waits. Meanwhile the calling thread fills the next batch, and then
 * helps.
 *
 *      fill  batch 1 | batch 2        | batch 3        |
 *      answer        | batch 1: 0 2 4 | batch 2: 0 2 3 |      slices, by two threads
 *                    |          1 3 5 |          1 4 5 |
 */
#ifndef GS_LIB_INDEX_LOOKUP_BATCH_ANSWER_H
#define GS_LIB_INDEX_LOOKUP_BATCH_ANSWER_H

#include "lib/base/log.h"
#include "lib/index/segment/segments.h"
#include "lib/index/lookup/term_batch.h"

/* Adds terms to an empty batch until the batch is full, there are no more, or the
 * program that sends them is waiting for answers. It may wait for the first term only
 * if told so; if it adds none then, there are no more. Called on the calling thread. */
typedef gs_code gs_batch_fill_fn(void *context, gs_term_batch *batch, bool may_wait,
                                 gs_status *st);
/* Writes the lines of a term; the cursor stands at the first term that is not less.
 * Called on any thread. */
typedef gs_code gs_batch_answer_fn(const void *context, gs_term_cursor *cursor,
                                   const void *term, size_t bytes, gs_text_out *out,
                                   gs_status *st);

/* The same where the index has several segments. */
typedef gs_code gs_batch_answer_over_fn(const void *context, gs_segment_terms *terms,
                                        const void *term, size_t bytes, gs_text_out *out,
                                        gs_status *st);

typedef struct gs_batch_answer_options {
    const gs_index *index;
    /* Of which that is the first: then answer_over is called, and each thread looks terms
     * up by itself. NULL: the index is all there is. */
    const gs_segments *segments;
    unsigned workers;
    const char *engine;        /* what searches: "auto" (or NULL), "cpu" or "gpu" */
    uint64_t expected_queries; /* in all; 0: unknown */
    gs_batch_fill_fn *fill;
    void *fill_context;
    gs_batch_answer_fn *answer;
    gs_batch_answer_over_fn *answer_over;
    const void *answer_context;
    gs_text_write_fn *write; /* one call at a time, on any thread */
    void *write_context;
    const gs_log *log; /* may be NULL; called from any thread */
} gs_batch_answer_options;

/* After a failure nothing that follows it is written. */
GS_MUST_CHECK gs_code gs_batch_answer_all(const gs_batch_answer_options *options,
                                          gs_status *st);

#endif
