/* SPDX-License-Identifier: MIT */
/*
 * score_block: what postings that lie side by side add to the scores of their documents.
 *
 * Many at a time, by vectors of the processor, to the last bit what gs_scoring_part gives
 * for each (lib/index/read/scoring.h). Sums of 128 scores a time cost about as much as
 * ten one by one: the division is most of it. Nothing is kept; any number of threads.
 *
 * Besides each score comes the class of its document's length, by which it is known what
 * other terms can add (lib/index/read/length_bound.h).
 */
#ifndef GS_LIB_INDEX_QUERY_SCORE_BLOCK_H
#define GS_LIB_INDEX_QUERY_SCORE_BLOCK_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/index/read/readers.h"

enum { GS_SCORES_MAX = GS_INDEX_BLOCK };

/* Ways to do it, better ones last. */
typedef enum gs_score_way {
    GS_SCORE_PLAIN,
    GS_SCORE_AVX2,
    GS_SCORE_AVX512,
    GS_SCORE_WAY_COUNT,
} gs_score_way;

/* What is the same for all postings of a list. */
typedef struct gs_score_rule {
    const gs_scoring *scoring;
    double weight;
    const uint32_t *lengths; /* by docID; NULL: each is 1 */
    int32_t first_class;     /* of gs_length_scale */
} gs_score_rule;

/* The best way that this processor has. */
gs_score_way gs_score_best_way(void);
/* Of up to GS_SCORES_MAX postings. */
typedef struct gs_scores {
    double parts[GS_SCORES_MAX];    /* what each adds */
    uint8_t classes[GS_SCORES_MAX]; /* of its document */
} gs_scores;

void gs_score_block(gs_score_way way, const gs_score_rule *rule, const uint64_t *docs,
                    const uint64_t *tfs, size_t count, gs_scores *out);
/* Which of them, with what may come in their class, exceed a threshold, less what
 * rounding may have lost: their numbers, ascending, go to `which`, and how many they are
 * is returned. */
size_t gs_score_pick(gs_score_way way, const gs_scores *scores, size_t count,
                     const gs_length_bounds *more, double threshold, uint8_t *which);

#endif
