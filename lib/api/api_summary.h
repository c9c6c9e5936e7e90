/* SPDX-License-Identifier: MIT */
/*
 * api_summary: what is known of a stream, of whichever kind, as it lies in its sink while
 * a report is given, or as it came from a file.
 */
#ifndef GS_LIB_API_API_SUMMARY_H
#define GS_LIB_API_API_SUMMARY_H

#include "lib/gpusort.h"
#include "lib/stream/streams.h"

struct gpusort_summary {
    gpusort_summary_info info; /* without its size and error_max */
    gs_number_type type;       /* of numbers */
    size_t counters;
    uint64_t uncovered; /* by the ranks, of those in the window; */
    uint64_t window_error;
    bool is_of_all; /* values; and may be saved */
    /* By the statistic: */
    gs_rank_summary *ranks; /* which become fewer where they are saved */
    gs_exact_sink *exact;   /* or this, which has them all */
    gs_count_summary *numbers;
    gs_text_counts *texts; /* or these */
    bool is_ranked;        /* are these counts? */
    const gs_pair_facts *pairs;
    gs_known_prefixes prefixes;
    gs_table_facts table;

    gs_heavy_finder finder;
    gs_heavy_prefixes heavy;
    /* Of a file; the summary is its owner's else. */
    gs_saved_summary saved;
    char *name;
    size_t usable_bytes;
};

/* What was found in it goes; not the summary. */
void gs_api_summary_release(gpusort_summary *s);

#endif
