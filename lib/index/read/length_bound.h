/* SPDX-License-Identifier: MIT */
/*
 * length_bound: what postings can at most add to a score, by how long their documents
 * are.
 *
 * A high frequency comes with a long document, where it counts for less. So one bound for
 * a block is far above what most of its documents can have: theirs is that of their own
 * length. Lengths are in 16 classes, two for each doubling, around the average:
 *
 *      class      0        1   2  ...  7     8     9  ...  15
 *      length     < a/16 | a/11 ... | a/1.4 | a | 1.4 a ... | 8 a and more
 *      pairs      (1, 40)              (6, 800)
 *      bound      of (1, 40)        of (1, 600) ... of (6, 800), (6, 1100) ...
 *
 * A pair of an entry (lib/index/format/impact.h) stands for all documents that are at
 * least as long as it says: in the classes from its own on, with the least length that
 * they have there. Impacts (scoring.h) add as much to documents of any length, so that
 * their bounds are alike in all classes. Bounds are floats, made so much larger that no
 * rounding, of as many sums as a query has terms, takes them below what they bound.
 */
#ifndef GS_LIB_INDEX_READ_LENGTH_BOUND_H
#define GS_LIB_INDEX_READ_LENGTH_BOUND_H

#include <string.h>

#include "lib/index/format/formats.h"
#include "lib/index/read/scoring.h"

enum {
    GS_LENGTH_CLASSES = 16,
    GS_LENGTH_CLASS_SHIFT =
        22, /* of a float: its exponent and the bit below it are left */
    GS_IMPACT_CODES = UINT8_MAX + 1,
};

/* One number for each class. */
typedef struct gs_length_bounds {
    float most[GS_LENGTH_CLASSES];
} gs_length_bounds;

/* Which lengths are in which class, and what they make of a frequency. */
typedef struct gs_length_scale {
    int32_t first; /* class 0, as a shifted float */
    gs_scoring_kind kind;
    /* Of a length's code: 1 / what is added to a frequency, 0 in classes below it. */
    gs_length_bounds inverse[GS_IMPACT_CODES];
    float frequency[GS_IMPACT_CODES]; /* of its code, the most it may stand for */
} gs_length_scale;

/* `average` is that of all documents. */
void gs_length_scale_make(gs_length_scale *s, const gs_scoring *scoring, double average);

/* Never falls when length grows. */
static inline uint8_t gs_length_class(int32_t first, uint32_t length)
{
    const float x = (float)length;
    int32_t bits;
    memcpy(&bits, &x, sizeof bits);
    bits = (bits >> GS_LENGTH_CLASS_SHIFT) - first;
    bits = bits < 0 ? 0 : bits;
    return (uint8_t)(bits < GS_LENGTH_CLASSES ? bits : GS_LENGTH_CLASSES - 1);
}

/* A weight that is large enough for sums of so many bounds. */
float gs_length_bound_weight(double weight, size_t terms);
/* Of the pairs, as written. */
void gs_length_bounds_of(gs_length_bounds *out, const gs_length_scale *s, float weight,
                         const uint8_t *impacts, unsigned count);
/* For tests: the same without vector code of the processor. */
void gs_length_bounds_plain(gs_length_bounds *out, const gs_length_scale *s, float weight,
                            const uint8_t *impacts, unsigned count);
/* The same in every class. */
void gs_length_bounds_set(gs_length_bounds *out, float most);
/* The larger of both. */
void gs_length_bounds_join(gs_length_bounds *to, const gs_length_bounds *more);
/* Of documents with postings of both. */
void gs_length_bounds_add(gs_length_bounds *sum, const gs_length_bounds *a,
                          const gs_length_bounds *b);
/* Is any of them above the limit? */
bool gs_length_bounds_exceed(const gs_length_bounds *b, float limit);
/* The largest. */
float gs_length_bounds_most(const gs_length_bounds *b);

#endif
