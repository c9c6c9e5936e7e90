/* SPDX-License-Identifier: MIT */
/*
 * bench_lookup_run: one way to search, timed for batches of several sizes.
 *
 * Every run has queries of its own, so that the caches hold no more of the keys than they
 * would in use, and every rank is compared with what is known of the query. Times are
 * those of whole batches by the host's clock, from queries in the host's memory to ranks
 * there, and medians of the runs.
 */
#ifndef GS_CMD_BENCH_LOOKUP_RUN_H
#define GS_CMD_BENCH_LOOKUP_RUN_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/search/key_search.h"
#include "lib/base/team.h"
#include "lib/index/lookup/lookups.h"

enum { GS_BENCH_BATCHES_MAX = 8, GS_BENCH_RUNS_MAX = 1001 };

typedef struct gs_lookup_load {
    const uint64_t *keys;
    size_t key_count;
    const uint64_t *queries; /* a pool, from which each run takes the next */
    const uint32_t *ranks;
    size_t pool_count;
    size_t batches[GS_BENCH_BATCHES_MAX]; /* how many queries at once */
    size_t batch_count;
    unsigned runs; /* at most; fewer if they take long */
} gs_lookup_load;

/* Microseconds for one size of batch; 0: not measured. */
typedef struct gs_lookup_times {
    double whole_us; /* with copies, on a GPU */
    double direct_us;
    double search_us; /* the kernel, by the device's clock */
    /* By differences of whole batches, as the paper has it: an empty kernel and the wait
     * for it; what copying queries, the search, and copying ranks add. */
    double launch_us, copy_in_us, step_search_us, copy_out_us;
} gs_lookup_times;

typedef struct gs_lookup_row {
    char name[32];
    const char *place; /* "cpu" or "gpu" */
    unsigned threads;  /* of the host */
    gs_key_way way;    /* of the GPU */
    double start_ms;   /* keys to the GPU, and what is built of them there */
    gs_lookup_times times[GS_BENCH_BATCHES_MAX];
} gs_lookup_row;

/* On all threads of the team. Fills the row's times. */
GS_MUST_CHECK gs_code gs_bench_lookup_cpu(const gs_lookup_load *load, gs_prefix_way way,
                                          gs_team *team, gs_lookup_row *row,
                                          gs_status *st);
/* row->way on that device. */
GS_MUST_CHECK gs_code gs_bench_lookup_gpu(const gs_lookup_load *load, int device,
                                          gs_lookup_row *row, gs_status *st);

#endif
