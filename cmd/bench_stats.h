/* SPDX-License-Identifier: MIT */
/*
 * bench_stats: gpusort bench stats, quantiles and frequencies of keys in memory, by
 * error.
 */
#ifndef GS_CMD_BENCH_STATS_H
#define GS_CMD_BENCH_STATS_H

/* argv[0] is "stats"; returns the exit code. */
int gs_bench_stats(int argc, char **argv);

#endif
