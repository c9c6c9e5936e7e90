/* SPDX-License-Identifier: MIT */
/*
 * bench_lookup_tables: what was measured, as tables beside those of the paper, and as
 * CSV.
 */
#ifndef GS_CMD_BENCH_LOOKUP_TABLES_H
#define GS_CMD_BENCH_LOOKUP_TABLES_H

#include <stdio.h>

#include "cmd/bench_lookup_run.h"

enum { GS_LOOKUP_ROWS_MAX = 24 };

typedef struct gs_lookup_report {
    const gs_lookup_load *load;
    gs_lookup_row rows[GS_LOOKUP_ROWS_MAX];
    size_t row_count;
} gs_lookup_report;

void gs_lookup_tables_print(const gs_lookup_report *report, FILE *to);
void gs_lookup_csv_print(const gs_lookup_report *report, FILE *to);

#endif
