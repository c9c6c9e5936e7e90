/* SPDX-License-Identifier: MIT */
/*
 * rank_batch: documents that may be among the best, looked for in one list after the
 * other.
 *
 *      begin      a row of documents, what some terms add to each
 *      look_up    a term that was not among them: what it adds, or that it is not there;
 *                 documents that cannot be among the best any more are dropped
 *      finish     what is left goes to the best
 *
 * A list is gone through once for the whole row, and what it adds is reckoned for all of
 * them at once. Parts of a score are kept by slot, so that in the end they are added in
 * the order that makes the score (lib/index/read/bm25.h).
 */
#ifndef GS_LIB_INDEX_QUERY_RANK_BATCH_H
#define GS_LIB_INDEX_QUERY_RANK_BATCH_H

#include "lib/index/query/search_plan.h"
#include "lib/index/query/top_docs.h"

enum { GS_RANK_BATCH = GS_INDEX_BLOCK };

typedef struct gs_rank_batch {
    gs_search_plan *plan;
    gs_top_docs *top;
    size_t count;
    uint64_t docs[GS_RANK_BATCH];
    double sums[GS_RANK_BATCH];     /* of the parts so far, in any order */
    uint8_t classes[GS_RANK_BATCH]; /* of their lengths */
    uint8_t ids[GS_RANK_BATCH];     /* of the rows below */
    double *parts;                  /* GS_RANK_BATCH of each slot */
} gs_rank_batch;

/* Room for the parts; of a plan whose readers are open. */
GS_MUST_CHECK gs_code gs_rank_batch_open(gs_rank_batch *b, gs_search_plan *plan,
                                         gs_top_docs *top, gs_status *st);

/* An empty batch, and one document more, of which the caller tells the parts of slots
 * that are not looked up. */
static inline void gs_rank_batch_clear(gs_rank_batch *b)
{
    b->count = 0;
}

static inline void gs_rank_batch_add(gs_rank_batch *b, uint64_t doc, double sum,
                                     uint8_t length_class)
{
    b->docs[b->count] = doc;
    b->sums[b->count] = sum;
    b->classes[b->count] = length_class;
    b->ids[b->count] = (uint8_t)b->count;
    b->count++;
}

/* Of the document at place `at` of the batch. */
static inline double *gs_rank_batch_part(gs_rank_batch *b, size_t slot, size_t at)
{
    return &b->parts[slot * GS_RANK_BATCH + b->ids[at]];
}

/* What a document must exceed so far, by the class of its length, if with `more` it is to
 * be among the best. */
void gs_rank_batch_need(const gs_rank_batch *b, const gs_length_bounds *more,
                        double *least);
/* `rest` is what all slots that come later can add. Documents that the term does not have
 * are dropped, too, if it must be there. */
GS_MUST_CHECK gs_code gs_rank_batch_look_up(gs_rank_batch *b, size_t slot,
                                            const gs_length_bounds *rest, bool must,
                                            gs_status *st);
/* The document at that place, every part of which is known, comes to the best, if it is
 * one of them. */
GS_MUST_CHECK gs_code gs_rank_batch_take(gs_rank_batch *b, size_t at, gs_status *st);
/* All that are left do. */
GS_MUST_CHECK gs_code gs_rank_batch_finish(gs_rank_batch *b, gs_status *st);

#endif
