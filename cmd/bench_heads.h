/* SPDX-License-Identifier: MIT */
/*
 * bench_heads: gpusort bench lookup --index: many lookups of the beginnings of posting
 * lists, on the cores and by a GPU that holds the lists.
 */
#ifndef GS_CMD_BENCH_HEADS_H
#define GS_CMD_BENCH_HEADS_H

#include "lib/base/status.h"

typedef struct gs_heads_bench {
    const char *folder; /* of an index that was built and has not grown since */
    size_t head, queries, runs;
    unsigned threads;
    int device;
    bool has_gpu;
} gs_heads_bench;

/* Prints a table, and fails if the GPU gives another answer or leaves it to the cores. */
GS_MUST_CHECK gs_code gs_bench_heads(const gs_heads_bench *b, gs_status *st);

#endif
