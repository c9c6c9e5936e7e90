/* SPDX-License-Identifier: MIT */
/*
 * range_memory: what the merge of ranges takes of memory, and so how many runs and
 * workers it may have: each worker has two windows and two decoded blocks of each run.
 */
#ifndef GS_LIB_SORT_RUN_RANGE_MEMORY_H
#define GS_LIB_SORT_RUN_RANGE_MEMORY_H

#include "lib/sort/run/run.h"

/* How many runs can be merged at once with this memory, at least 2. */
size_t gs_range_fan_in(size_t memory_bytes, unsigned workers, size_t block_raw_bytes);
/* How many of these runs one worker can merge at once: blocks are larger where records
 * are. Never under 4, whatever the memory. */
size_t gs_range_fitting(const gs_run *runs, size_t run_count, size_t memory_bytes);

/* Each has its own blocks. For blocks of the usual size all have room, since the number
 * of runs was chosen by that; else as many as the memory is enough for. */
unsigned gs_range_workers(const gs_run *runs, size_t run_count, size_t raw_bytes,
                          size_t memory_bytes, unsigned workers);
/* What a worker's memory leaves for a window, two a run. */
size_t gs_range_window_bytes(size_t worker_bytes, size_t run_count, size_t raw_bytes);

#endif
