/* SPDX-License-Identifier: MIT */
/*
 * gen_dist: numbers of a given distribution, the same bits on every machine.
 *
 * A number depends on the settings, the state of the random sequence and, for the ordered
 * distributions, on the index of its record. Read-only after init: any number of threads.
 */
#ifndef GS_LIB_DATA_GEN_DIST_H
#define GS_LIB_DATA_GEN_DIST_H

#include <stddef.h>

#include "lib/base/status.h"
#include "lib/data/gen_random.h"

typedef enum gs_gen_shape {
    GS_GEN_UNIFORM,
    GS_GEN_GAUSSIAN, /* around the middle of the range, deviation 1/16 of it */
    GS_GEN_ZIPF,     /* rank r, from 0, comes as often as 1 / (r + 1)^exponent */
    GS_GEN_POISSON,
    GS_GEN_SORTED,   /* spread over the range, never falling with the index */
    GS_GEN_REVERSED, /* never rising */
    GS_GEN_ALMOST,   /* sorted, but for a part of uniform numbers */
    GS_GEN_EQUAL,
    GS_GEN_FEW, /* `distinct` numbers, spread over the range */
    GS_GEN_SHAPE_COUNT,
} gs_gen_shape;

typedef struct gs_gen_dist_options {
    gs_gen_shape shape;
    uint64_t seed;
    uint64_t range;    /* numbers are below it; 0: 2^64 */
    uint64_t count;    /* ordered shapes: indices are below it */
    uint64_t distinct; /* zipf, few */
    double exponent;   /* zipf */
    double mean;       /* poisson: from 0 to GS_GEN_POISSON_MEAN_MAX */
    double disorder;   /* almost: the uniform part, 0 to 1 */
} gs_gen_dist_options;

#define GS_GEN_POISSON_MEAN_MAX 1e9

typedef struct gs_gen_dist {
    gs_gen_dist_options options;
    uint64_t stride, equal, disorder_limit;
    /* zipf, see gen_dist.c */
    double h_first, h_last, shortcut, one_minus_s;
    /* poisson, and the first ranks of zipf: limits[i] is the chance, times 2^64, of at
     * most first + i; guide[x] is the place from which to look for numbers that begin
     * with the bits x. */
    uint64_t *limits, first;
    uint32_t *guide;
    size_t limit_count;
} gs_gen_dist;

/* NULL if there is none of that number. */
const char *gs_gen_shape_name(gs_gen_shape shape);

GS_MUST_CHECK gs_code gs_gen_dist_init(gs_gen_dist *dist,
                                       const gs_gen_dist_options *options, gs_status *st);
void gs_gen_dist_release(gs_gen_dist *dist); /* a zeroed one is fine */

uint64_t gs_gen_dist_draw(const gs_gen_dist *dist, gs_gen_random *random, uint64_t index);

#endif
