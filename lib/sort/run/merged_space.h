/* SPDX-License-Identifier: MIT */
/*
 * merged_space: what only merged ranges needed goes back to the file system while the
 * merge goes on: the output may need the space, and giving it back takes time.
 *
 * Workers finish ranges in any order; any thread notes.
 */
#ifndef GS_LIB_SORT_RUN_MERGED_SPACE_H
#define GS_LIB_SORT_RUN_MERGED_SPACE_H

#include <pthread.h>

#include "lib/sort/run/range_cut.h"

typedef struct gs_merged_space {
    const gs_range_cut *cut;
    gs_spill *spill;

    pthread_mutex_t mutex; /* guards what follows */
    bool *is_merged;       /* range by range */
    size_t merged;         /* ranges before this one are all merged */
    size_t dropped;        /* and the space of those before this one was given back */
} gs_merged_space;

/* Borrows both until release. */
GS_MUST_CHECK gs_code gs_merged_space_init(gs_merged_space *s, const gs_range_cut *cut,
                                           gs_spill *spill, gs_status *st);
void gs_merged_space_release(gs_merged_space *s);

/* The range is merged, and in the sink. */
void gs_merged_space_note(gs_merged_space *s, size_t range);

#endif
