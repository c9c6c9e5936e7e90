/* SPDX-License-Identifier: MIT */
/*
 * tuple_sort: the engine that puts packed tuples in order, CPU or GPU.
 *
 * The CPU sorts by the bits from `low_bit` up and keeps the order of the rest; a GPU
 * engine (gpu/engine/engine.h) sorts by all bits. Callers ask for what comes out the same
 * either way: tuples that agree from low_bit up stand in ascending order already, or do
 * not matter.
 *
 * Any number of threads: a GPU engine takes them one after the other.
 */
#ifndef GS_LIB_INDEX_BLOCK_TUPLE_SORT_H
#define GS_LIB_INDEX_BLOCK_TUPLE_SORT_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/log.h"
#include "lib/base/status.h"

typedef struct gs_tuple_sorter gs_tuple_sorter;

typedef enum gs_tuple_width {
    GS_TUPLE_64,  /* uint64_t */
    GS_TUPLE_128, /* gs_u128 of gpu/engine/engine.h */
    GS_TUPLE_WIDTHS,
} gs_tuple_width;

typedef struct gs_tuple_sorter_options {
    /* One of a GPU, else the CPU sorts, with "auto" too: starting a GPU and moving tuples
     * there and back has taken longer than the sort in every case measured
     * (tests/bench/RESULTS.md). */
    const char *engine;
    size_t gpu_memory_bytes; /* 0: what is free less a reserve */
    const int *gpus;         /* none: the first */
    size_t gpu_count;
} gs_tuple_sorter_options;

/* A GPU that cannot be used, or fails later, costs a warning, and the CPU sorts. The log
 * is borrowed until free(), and may be NULL. */
GS_MUST_CHECK gs_code gs_tuple_sorter_new(gs_tuple_sorter **out,
                                          const gs_tuple_sorter_options *options,
                                          const gs_log *log, gs_status *st);
void gs_tuple_sorter_free(gs_tuple_sorter *s); /* NULL is fine */

bool gs_tuple_sorter_uses_gpu(const gs_tuple_sorter *s);
const char *gs_tuple_sorter_name(const gs_tuple_sorter *s); /* for --stats */
/* The largest batch that a GPU sorts at once; SIZE_MAX on a CPU, which larger ones are
 * for. */
size_t gs_tuple_sorter_count_max(const gs_tuple_sorter *s, gs_tuple_width width);

typedef struct gs_tuples {
    gs_tuple_width width;
    void *keys, *scratch; /* room for `count` each */
    size_t count;
} gs_tuples;

/* Sorts the keys. They may lie in what was the scratch before, and that in their place: a
 * GPU that fails on the way back has overwritten nothing then. */
GS_MUST_CHECK gs_code gs_tuple_sorter_run(gs_tuple_sorter *s, gs_tuples *tuples,
                                          unsigned low_bit, gs_status *st);

#endif
