/* SPDX-License-Identifier: MIT */
/*
 * scoring: what a posting adds to the score of its document, by what the index holds.
 *
 *      frequencies    BM25 (bm25.h)
 *      impacts        times in the query * impact
 *
 * in double precision, as written. The score of a document is the sum over the terms of
 * the query in the order in which they first come there, either way. A term that comes
 * several times in a query, or has weights there, counts by their sum.
 *
 * Impacts know no length of a document, nor how many have the term: each is what it was
 * trained to be. Of what bounds rest on (bm25.h) one thing does not hold then: a score
 * may be above the weight, and grows with the impact for ever.
 */
#ifndef GS_LIB_INDEX_READ_SCORING_H
#define GS_LIB_INDEX_READ_SCORING_H

#include "lib/index/read/bm25.h"

/* What an index holds says which. A new one does not build until all have it who score,
 * or say how much a posting can add at most. */
typedef enum gs_scoring_kind {
    GS_SCORING_BM25,
    GS_SCORING_IMPACTS,
} gs_scoring_kind;

typedef struct gs_scoring {
    gs_scoring_kind kind;
    gs_bm25 bm25; /* of frequencies */
} gs_scoring;

/* Of a term that so many documents have. */
static inline double gs_scoring_weight(const gs_scoring *s, uint64_t df, double times)
{
    switch (s->kind) {
    case GS_SCORING_IMPACTS: return times;
    case GS_SCORING_BM25: break;
    }
    return gs_bm25_weight(&s->bm25, df, times);
}

/* `tf` is a frequency or an impact. */
static inline double gs_scoring_part(const gs_scoring *s, double weight, uint64_t tf,
                                     uint32_t length)
{
    switch (s->kind) {
    case GS_SCORING_IMPACTS: return weight * (double)tf;
    case GS_SCORING_BM25: break;
    }
    return gs_bm25_score(&s->bm25, weight, tf, length);
}

#endif
