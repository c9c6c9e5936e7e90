/* SPDX-License-Identifier: MIT */
/*
 * head_lists: the beginnings of the posting lists of many terms, by a GPU that holds the
 * dictionary of an index and its posting lists, or those parts of them that are asked
 * for.
 *
 *      lane 0   | terms up | find, add up, read | counts down | postings down |
 *      lane 1              | terms up | find, add up, read | counts down | ...
 *
 * Call order: new, (of a lane: fill its terms, submit, wait, read what it found)*, free.
 * A lane is one thread's at a time, and different lanes may be used at once. new takes
 * the index to the device and allocates everything; submit and wait allocate nothing.
 * submit does not wait; wait does, twice, since how many postings there are is known only
 * then.
 *
 * A term that the device cannot do is refused (gpu/lists/list_steps.h): so it is for the
 * cores. Files are not compared with their sums here: whoever calls new has done that.
 *
 * Without a driver or a GPU, or in a build with CUDA=0, new fails with GS_ERR_GPU.
 */
#ifndef GS_GPU_HEAD_LISTS_H
#define GS_GPU_HEAD_LISTS_H

#include "gpu/lists/list_steps.h"
#include "lib/base/status.h"

#ifdef __cplusplus
extern "C" {
#endif

enum {
    GS_HEAD_LANES_MAX = 16,
    GS_HEAD_TERMS = 1 << 15,             /* of a lane, at most */
    GS_HEAD_TERM_BYTES = 1 << 21,        /* all of those */
    GS_HEAD_POSTINGS = 1 << 20,          /* what their lists may come to */
    GS_HEAD_MAX = GS_HEAD_POSTINGS >> 8, /* postings of a term */
};

typedef struct gs_head_lists_options {
    int device;
    unsigned lanes;
    size_t memory_bytes; /* of the device's, at most; 0: what is free less a reserve */
    /* The index in the host's memory, read by new only: of `postings' all, or with
     * `slots' the chunks that have one, in their order. `head' is at most GS_HEAD_MAX. */
    gs_list_view index;
    uint64_t slot_count; /* chunks that have one */
} gs_head_lists_options;

typedef struct gs_head_lists gs_head_lists;

GS_MUST_CHECK gs_code gs_head_lists_new(gs_head_lists **out,
                                        const gs_head_lists_options *options,
                                        gs_status *st);
void gs_head_lists_free(gs_head_lists *h); /* NULL is fine */

/* What the device needs for all but postings, and what it has for this. */
GS_MUST_CHECK gs_code gs_head_lists_room(const gs_head_lists_options *options,
                                         uint64_t *needed, uint64_t *there,
                                         gs_status *st);

/* Of a lane, in locked memory of the host. */
typedef struct gs_head_lane {
    uint8_t *text;  /* of GS_HEAD_TERM_BYTES, */
    uint32_t *ends; /* where each term ends in it, of GS_HEAD_TERMS */
    /* Behind wait: */
    const uint32_t *dfs;    /* documents of each term, or GS_LIST_REFUSED */
    const uint32_t *firsts; /* where its postings begin; one more, where the last end */
    const uint32_t *docs, *tfs;
} gs_head_lane;

gs_head_lane gs_head_lists_lane(const gs_head_lists *h, unsigned lane);
/* The terms that were filled in, of which head times their number is GS_HEAD_POSTINGS at
 * most. */
GS_MUST_CHECK gs_code gs_head_lists_submit(gs_head_lists *h, unsigned lane,
                                           uint32_t term_count, gs_status *st);
GS_MUST_CHECK gs_code gs_head_lists_wait(gs_head_lists *h, unsigned lane, gs_status *st);
/* Of the device's memory, all that is held. */
size_t gs_head_lists_device_bytes(const gs_head_lists *h);

#ifdef __cplusplus
}
#endif
#endif
