/* SPDX-License-Identifier: MIT */
/*
 * network_plan: which passes over memory a bitonic sort makes once its tiles are sorted.
 *
 * Stage s makes steps at the bits s - 1 to 0 of an index, and a pass those of as many
 * bits as a tile has: above the tiles less the bits of the runs that it reads in one go,
 * and at the end of a stage the lowest ones, after which what the tile has left begins
 * the next stage. With tiles of 4 bits and runs of 1:
 *
 *     stage 5    4 3 2 | 1 0        |
 *     stage 6          | 5 4        | 3 2 1 0
 *                FIRST | CROSS      | LAST
 *
 * Longer runs are read faster and make fewer steps, so the plan is the cheapest path
 * through what a stage and the steps that it has left may be. Any thread.
 */
#ifndef GS_GPU_NETWORK_PLAN_H
#define GS_GPU_NETWORK_PLAN_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { GS_NETWORK_STAGE_MAX = 40 };

typedef enum gs_network_kind {
    GS_NETWORK_FIRST,  /* stage `high` begins: its mirror step and the steps below it */
    GS_NETWORK_MIDDLE, /* the steps below bit `high` */
    GS_NETWORK_CROSS,  /* stage high - 1 ends and stage `high` begins */
    GS_NETWORK_LAST    /* all steps within tiles */
} gs_network_kind;

/* FIRST and MIDDLE make the steps of the tile's bits but for the run's, CROSS those of
 * the run's bits and then of the others. */
typedef struct gs_network_pass {
    gs_network_kind kind;
    int high, run_bits;
} gs_network_pass;

typedef struct gs_network_state {
    float cost; /* to the end, in passes at the memory's speed */
    gs_network_pass pass;
    int stage, left; /* after the pass */
} gs_network_state;

/* What the kernels can do. A pass above the tiles has runs of 2^run_bits_min numbers or
 * of twice as many, one that goes from stage to stage those or longer ones. */
typedef struct gs_network_shape {
    int tile_bits, run_bits_min, number_bytes;
} gs_network_shape;

typedef struct gs_network_plan {
    gs_network_shape shape;
    int all_bits;
    int stage, left; /* where next() is, and the steps that this stage has left */
    gs_network_state best[GS_NETWORK_STAGE_MAX + 1][GS_NETWORK_STAGE_MAX + 1];
} gs_network_plan;

/* From sorted sequences of 2^sorted_bits numbers, a tile at least, to 2^all_bits. */
void gs_network_plan_init(gs_network_plan *plan, gs_network_shape shape, int sorted_bits,
                          int all_bits);
/* The next pass, or false at the end. */
bool gs_network_plan_next(gs_network_plan *plan, gs_network_pass *out);

#ifdef __cplusplus
}
#endif
#endif
