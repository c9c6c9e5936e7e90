/* SPDX-License-Identifier: MIT */
/*
 * key_search_tuning: numbers measured on one H200 (132 multiprocessors, 60 MB L2) with 36
 * million keys; the tables are in gpu/NOTES.md.
 */
#ifndef GS_GPU_KEY_SEARCH_TUNING_CUH
#define GS_GPU_KEY_SEARCH_TUNING_CUH

#include "gpu/search/key_search.h"

enum {
    /* Small blocks, so that a batch of a few thousand queries reaches every
     * multiprocessor. */
    GS_KEY_BLOCK_THREADS = 64,
    /* What a multiprocessor holds: up to that many threads in all, a group takes one
     * query; beyond, it takes as many as GS_KEY_ROUNDS says. */
    GS_KEY_THREADS_EACH = 2048,
};

#define GS_KEY_FASTEST GS_KEY_TREE_8

/* Queries that a group walks with at once. With more than one, fewer warps are needed for
 * as many loads in flight, and a warp reads more queries at once: over the bus, a million
 * take 197 us with 128 bytes a warp and 297 with 64. */
#define GS_KEY_ROUNDS_PARY_4  2
#define GS_KEY_ROUNDS_PARY    4
#define GS_KEY_ROUNDS_TREE_4  1
#define GS_KEY_ROUNDS_TREE_8  2
#define GS_KEY_ROUNDS_TREE_16 4
#define GS_KEY_ROUNDS_TREE_32 4

#endif
