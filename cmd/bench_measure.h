/* SPDX-License-Identifier: MIT */
/*
 * bench_measure: engines on one set of keys.
 *
 * Call order: new, run*, free. Every run sorts the same fresh keys; its time is the
 * device's own, by events (of several GPUs the host's), and its result must be in order
 * and hold the same records as before, by a check that shares nothing with the engines.
 * The C library's sort is timed by the host's clock and repeated only as long as that is
 * quick.
 */
#ifndef GS_CMD_BENCH_MEASURE_H
#define GS_CMD_BENCH_MEASURE_H

#include "cmd/bench.h"

typedef struct bench_keys bench_keys;

/* The keys themselves are made when an engine first needs them. */
GS_MUST_CHECK gs_code bench_keys_new(bench_keys **out, const bench_setup *setup,
                                     gs_batch_type type, gs_distribution distribution,
                                     size_t count, gs_status *st);
/* Times `engine`. GS_ERR_NOMEM and GS_ERR_LIMIT: it cannot sort so many keys here;
 * GS_ERR_FORMAT: it sorted them wrongly. */
GS_MUST_CHECK gs_code bench_keys_run(bench_keys *k, const bench_engine *engine,
                                     bench_point *out, gs_status *st);
void bench_keys_free(bench_keys *k); /* NULL is fine */

#endif
