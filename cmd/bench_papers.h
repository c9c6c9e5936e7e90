/* SPDX-License-Identifier: MIT */
/*
 * bench_papers: the comparisons that the papers behind these engines made, measured on
 * this machine, with the papers' own figures beside them. Without a GPU what the CPU
 * measures is there all the same.
 */
#ifndef GS_CMD_BENCH_PAPERS_H
#define GS_CMD_BENCH_PAPERS_H

#include "cmd/bench.h"

/* Prints the tables, and adds what was measured to *points. */
GS_MUST_CHECK gs_code bench_papers_run(const bench_setup *setup, bench_points *points,
                                       gs_status *st);

#endif
