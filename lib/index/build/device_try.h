/* SPDX-License-Identifier: MIT */
/*
 * device_try: is a build one for a GPU, and what is kept for a second try without one.
 *
 * What a GPU had when it fails is lost, so that the input is read again, all of it or
 * what a checkpoint does not have. What was said of it in the first try is not said
 * again: it would be the same, in the same order.
 */
#ifndef GS_LIB_INDEX_BUILD_DEVICE_TRY_H
#define GS_LIB_INDEX_BUILD_DEVICE_TRY_H

#include <stdatomic.h>

#include "lib/index/build/index_builder.h"

/* Why words or tuples are not found on a GPU (static), or NULL: they are. `rules` are
 * NULL of tuples. */
const char *gs_device_refusal(const gs_index_build_options *build,
                              const gs_word_rules *rules);

/* Is a GPU asked for, for more than sorting tuples? */
bool gs_device_is_asked_for(const gs_index_build_options *build);

/* Stays where it is while its log is used. */
typedef struct gs_try_log {
    const gs_log *to;
    gs_log log;            /* what the tries say things to */
    _Atomic uint64_t said; /* warnings and errors, in this try; */
    uint64_t said_kept;    /* of what the next try will not read again; */
    uint64_t said_before;  /* and by tries before, of what this one reads */
} gs_try_log;

void gs_try_log_init(gs_try_log *t, const gs_log *to);
/* What was read so far is in a checkpoint, where the next try begins. */
void gs_try_log_keep(gs_try_log *t);
/* The next try: as many warnings and errors as were said in this one of what is read
 * again are not said. */
void gs_try_log_again(gs_try_log *t);

/* Nothing is done yet. */
void gs_try_reset_stats(gs_index_stats *stats);

#endif
