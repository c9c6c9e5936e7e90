/* SPDX-License-Identifier: MIT */
/*
 * range_merge: merge runs on all cores, by cutting the keys into ranges.
 *
 *      run 0    |  a..c  |  d..k  |  l..z  |
 *      run 1    | a..c |    d..k    | l..z |
 *      range    |   0    |   1    |   2    |     each is one piece of the sink
 *
 * The bounds come from the runs' block indexes, so that ranges are about equally long. A
 * worker takes the next range, merges its parts of all the runs with a loser tree, and
 * meanwhile the parts of the range after that are read. Equal keys never lie in two
 * ranges, so dropping or counting equals needs no look across.
 */
#ifndef GS_LIB_SORT_RANGE_MERGE_H
#define GS_LIB_SORT_RANGE_MERGE_H

#include "io/spill.h"
#include "lib/base/team.h"
#include "lib/sort/run.h"
#include "lib/sort/sink.h"

typedef struct gs_range_merge_options {
    const gs_record_layout *layout;
    bool has_counts; /* records carry counts; equals are added up */
    bool is_unique;  /* of equals only the first */
    bool has_top;    /* stop after top_count records */
    uint64_t top_count;
    size_t memory_bytes; /* for windows and decoded blocks of all workers */
    bool no_uring;
    uint64_t first_ticket;
    gs_spill *spill;
    bool gives_space_back; /* of what is merged, at once */
    const volatile int *cancel;
    _Atomic uint64_t *progress_bytes; /* stored bytes merged so far; may be NULL */
} gs_range_merge_options;

/* How many runs can be merged at once with this memory, at least 2. */
size_t gs_range_merge_fan_in(size_t memory_bytes, unsigned workers,
                             size_t block_raw_bytes);

GS_MUST_CHECK gs_code gs_range_merge_run(const gs_run *runs, size_t run_count,
                                         gs_team *team, gs_sink *sink,
                                         const gs_range_merge_options *options,
                                         uint64_t *next_ticket, gs_status *st);

#endif
