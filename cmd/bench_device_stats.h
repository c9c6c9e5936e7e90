/* SPDX-License-Identifier: MIT */
/*
 * bench_device_stats: quantiles of numbers that lie in a GPU's memory, which no bus and
 * no core stands before.
 *
 * The windows are sorted where they are. Of each the host gets what its summary keeps,
 * and adds that while the next one is sorted.
 */
#ifndef GS_CMD_BENCH_DEVICE_STATS_H
#define GS_CMD_BENCH_DEVICE_STATS_H

#include "lib/stream/streams.h"

typedef struct bench_device_keys bench_device_keys;

/* Copies the numbers to the first GPU. */
GS_MUST_CHECK gs_code bench_device_keys_new(bench_device_keys **out, const uint64_t *keys,
                                            size_t count, gs_status *st);
void bench_device_keys_free(bench_device_keys *k); /* NULL is fine */

typedef struct bench_device_time {
    double seconds;
    double sorting; /* of these */
} bench_device_time;

/* Their summary with this error; a run begins with the numbers as they came, and what
 * brings them back is not timed. */
GS_MUST_CHECK gs_code bench_device_quantiles(bench_device_keys *k, double eps,
                                             gs_rank_summary *all, bench_device_time *out,
                                             gs_status *st);

#endif
