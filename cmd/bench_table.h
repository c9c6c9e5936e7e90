/* SPDX-License-Identifier: MIT */
/*
 * bench_table: measurements as text and as comma-separated values.
 *
 * Lines are printed as they come, since a benchmark takes its time.
 */
#ifndef GS_CMD_BENCH_TABLE_H
#define GS_CMD_BENCH_TABLE_H

#include "cmd/bench.h"

enum { BENCH_COUNT_BYTES = 32 }; /* of a count, or a title */

void bench_table_head(const bench_setup *setup);
/* `first_ms`: of the line that this one is compared with. */
void bench_table_row(const bench_point *point, double first_ms);
/* An engine that could not sort these keys. */
void bench_table_failure(const bench_point *point, const char *why);

void bench_csv_head(FILE *csv);
void bench_csv_row(FILE *csv, const bench_point *point);

GS_MUST_CHECK gs_code bench_points_add(bench_points *points, const bench_point *point,
                                       gs_status *st);
void bench_points_release(bench_points *points);

#endif
