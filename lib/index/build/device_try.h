/* SPDX-License-Identifier: MIT */
/*
 * device_try: is a build one for a GPU, and what is kept for a second try without one:
 * what was said, and what came through pipes, which cannot be read again.
 *
 * What a GPU had when it fails is lost, so that the input is read again, all of it or
 * what a checkpoint does not have. What was said of it in the first try is not said
 * again: it would be the same, in the same order.
 */
#ifndef GS_LIB_INDEX_BUILD_DEVICE_TRY_H
#define GS_LIB_INDEX_BUILD_DEVICE_TRY_H

#include <stdatomic.h>

#include "io/input_copy.h"
#include "lib/index/build/index_builder.h"

/* Why words or tuples are not found on a GPU (static), or NULL: they are. `rules` are
 * NULL of tuples. */
const char *gs_device_refusal(const gs_index_build_options *build,
                              const gs_word_rules *rules);

/* Is a GPU asked for, for more than sorting tuples? */
bool gs_device_is_asked_for(const gs_index_build_options *build);

/* Bytes of input from which a GPU is sooner than so many cores. */
uint64_t gs_device_bytes_min(bool is_tuples, unsigned cores);
/* Is the choice left to us, and is there so much? Of pipes that is not known. No GPU is
 * looked for. */
bool gs_device_is_worth(const gs_index_build_options *build);

/* Stays where it is while its log is used. */
typedef struct gs_device_tries {
    const gs_log *to;
    gs_log log;            /* what the tries say things to */
    _Atomic uint64_t said; /* warnings and errors, in this try; */
    uint64_t said_kept;    /* of what the next try will not read again; */
    uint64_t said_before;  /* and by tries before, of what this one reads */
    gs_input_copy *copy;   /* of pipes; NULL: none */
    int64_t stdin_at; /* where standard input stood; -1: it is no file, or not read */
} gs_device_tries;

void gs_device_tries_init(gs_device_tries *t, const gs_index_build_options *build);
void gs_device_tries_release(gs_device_tries *t);
/* What comes through pipes is to be kept, if there are any. */
GS_MUST_CHECK gs_code gs_device_tries_keep_pipes(gs_device_tries *t,
                                                 const gs_index_build_options *build,
                                                 gs_status *st);
/* What was read so far is in a checkpoint, where the next try begins. */
void gs_device_tries_keep(gs_device_tries *t);
/* The last try, after one that failed, for which `st` is cleared; false, and nothing is:
 * pipes cannot be read again. As many warnings and errors as were said so far of what is
 * read again are not said; nothing is done yet. */
bool gs_device_tries_again(gs_device_tries *t, const gs_index_build_options *build,
                           bool is_told, gs_status *st);

#endif
