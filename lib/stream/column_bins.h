/* SPDX-License-Identifier: MIT */
/*
 * column_bins: a histogram of the numbers of a column, by what is known of their ranks.
 */
#ifndef GS_LIB_STREAM_COLUMN_BINS_H
#define GS_LIB_STREAM_COLUMN_BINS_H

#include "lib/stream/column_facts.h"

typedef struct gs_column_bin {
    double begin, end;
    uint64_t count;
} gs_column_bin;

/* From the least number to the most: bins of one width; or, where half of all would be in
 * the first of them, each as many times as wide as the one before, from the first percent
 * on. There is at least one number and one bin. False: numbers do not differ, or not all
 * are finite. */
bool gs_column_bins(const gs_column_facts *f, gs_column_bin *bins, size_t count);

#endif
