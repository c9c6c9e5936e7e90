/* SPDX-License-Identifier: MIT */
/*
 * term_heads: of any number of terms at once how many documents have each, and the
 * beginning of its posting list, as numbers in arrays.
 *
 * Terms are cut into shares, which the workers take in order. A worker finds the terms of
 * its share, waits until it is known how many postings those before have in all, says how
 * many its own have, and reads their lists to where they belong: lists of all shares lie
 * one behind the other, and no worker waits while another one reads.
 *
 *      worker 0   find 0 | read 0 | find 2      | read 2 |
 *      worker 1   find 1 .........| read 1 | find 3 .....| read 3
 *                                 ^ where the lists of share 1 begin
 *
 * With a GPU (lib/index/lookup/head_device.h) a worker has a lane of it: the device finds
 * the terms of a share and reads their lists, and the worker takes them to where they
 * belong. What the device refuses, and all of an index that it cannot have, the cores do:
 * the answer is the same, and so is the error.
 *
 * Why packed, and not a row of `head` for each term: most lists are shorter than any head
 * that is worth asking for, and then rows are memory that is written, touched and carried
 * for nothing.
 *
 * Call order: new, find*, free. One thread at a time; different ones share nothing.
 */
#ifndef GS_LIB_INDEX_LOOKUP_TERM_HEADS_H
#define GS_LIB_INDEX_LOOKUP_TERM_HEADS_H

#include "lib/base/log.h"
#include "lib/index/segment/segments.h"

typedef struct gs_term_heads_options {
    const gs_segments *segments; /* borrowed until free() */
    unsigned workers;
    uint64_t head;      /* postings of a term at most */
    const char *engine; /* "auto" (or NULL), "cpu", or of a GPU */
    int device;
    size_t device_bytes;     /* on it, at most; 0: what is free less a reserve */
    uint64_t expected_terms; /* in all; 0: not known */
    const gs_log *log;       /* may be NULL */
} gs_term_heads_options;

/* Term i has the bytes from offsets[i] to offsets[i + 1]. */
typedef struct gs_head_terms {
    const uint8_t *bytes;
    const uint64_t *offsets;
    size_t count;
} gs_head_terms;

/* Postings of term i are those from offsets[i] to offsets[i + 1], of which there are
 * count + 1. Lists that do not end within the room are left out. */
typedef struct gs_head_arrays {
    uint64_t *dfs;
    uint64_t *offsets;
    uint64_t *docs; /* may be NULL, as `tfs` may */
    uint32_t *tfs;
    size_t room;
} gs_head_arrays;

typedef struct gs_term_heads gs_term_heads;

GS_MUST_CHECK gs_code gs_term_heads_new(gs_term_heads **out,
                                        const gs_term_heads_options *options,
                                        gs_status *st);
void gs_term_heads_free(gs_term_heads *h); /* NULL is fine */

/* After a failure the arrays may hold anything. */
GS_MUST_CHECK gs_code gs_term_heads_find(gs_term_heads *h, const gs_head_terms *terms,
                                         const gs_head_arrays *to,
                                         const volatile int *cancel, gs_status *st);

#endif
