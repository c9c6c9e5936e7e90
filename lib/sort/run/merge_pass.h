/* SPDX-License-Identifier: MIT */
/*
 * merge_pass: how many runs are merged in which pass, until few enough are left for the
 * last merge.
 *
 *      9 runs, 4 at once    [0 1 2 3] 4 5 6 7 8      a group is merged to one run,
 *                           [0..3] [4 5 6] 7 8       which takes the place of the group:
 *      4 are left           [0..3] [4..6] 7 8        the order of the runs stays
 *
 * A pass goes over the runs from the first to the last, and merges none of them twice.
 * All groups of a pass are full but its last one, which takes only as many as are still
 * over the limit, and one. So there are as few passes as there can be, and none that
 * moves more than it has to.
 *
 * Nothing is merged here: who calls merges the group, and then asks for the next.
 */
#ifndef GS_LIB_SORT_RUN_MERGE_PASS_H
#define GS_LIB_SORT_RUN_MERGE_PASS_H

#include <stdbool.h>
#include <stddef.h>

/* How many of the `count` runs from `first` on one merge has the memory for: 2 at least,
 * if there are as many. */
typedef size_t gs_merge_fitting_fn(const void *context, size_t first, size_t count);

typedef struct gs_merge_passes {
    size_t fan_in;                /* runs that one merge may take, at least 2 */
    gs_merge_fitting_fn *fitting; /* NULL: they all fit */
    const void *context;          /* of `fitting` */
    size_t next;                  /* where the next group begins; 0 before the first */
} gs_merge_passes;

typedef struct gs_merge_group {
    size_t first, count;
    bool begins_pass;
} gs_merge_group;

/* The next group to be merged, of `run_count` runs that there are now. False if one merge
 * can take all of them. `fan_in` may change between two calls. */
bool gs_merge_passes_next(gs_merge_passes *p, size_t run_count, gs_merge_group *group);

#endif
