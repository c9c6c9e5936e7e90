/* SPDX-License-Identifier: MIT */
/*
 * text_merge: merge open sources of sorted text into a sink.
 *
 *      order   [ 2 | 0 | 3 | 1 ]      the sources by their current lines
 *                ^ goes out; its next line is put back where it belongs
 *
 * The sources stand in an array by their current lines, equal ones by their place on the
 * command line, and the next line of the first is inserted by binary search among the
 * others. Sorted sources give what any stable merge gives; what unsorted ones give is
 * then also what GNU sort -m gives, which works in this way.
 */
#ifndef GS_LIB_SORT_TEXT_TEXT_MERGE_H
#define GS_LIB_SORT_TEXT_TEXT_MERGE_H

#include "lib/sort/run/runs.h"
#include "lib/sort/text/text_source.h"

typedef struct gs_text_merge_options {
    bool is_unique; /* of equals the first; with counts they are added up */
    bool has_counts;
    bool has_top;
    uint64_t top_count;
    const volatile int *cancel;
} gs_text_merge_options;

/* Uses up the sources, as one piece with number `ticket`. */
GS_MUST_CHECK gs_code gs_text_merge_run(gs_text_source *sources, size_t source_count,
                                        const gs_text_source_options *source_options,
                                        const gs_text_merge_options *options,
                                        gs_sink *sink, uint64_t ticket, gs_status *st);

#endif
