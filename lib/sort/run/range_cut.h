/* SPDX-License-Identifier: MIT */
/*
 * range_cut: runs cut into ranges of keys, about equally long, by the blocks they have.
 *
 * The bounds are first keys of blocks, in order. Where what follows needs to see all
 * records that belong together, ranges are put together to portions that no such
 * records reach across. Set what is cut, make, use, release.
 */
#ifndef GS_LIB_SORT_RUN_RANGE_CUT_H
#define GS_LIB_SORT_RUN_RANGE_CUT_H

#include "lib/sort/run/run.h"
#include "lib/sort/run/run_cursor.h"

typedef struct gs_range_cut {
    const gs_run *runs;
    size_t run_count;
    const gs_record_layout *layout;
    gs_range_bound begin; /* what comes before it is left out */
    bool has_top;
    uint64_t records_most; /* that are wanted, with has_top */
    bool may_share;        /* them among several ranges */
    /* Of portions, how many there may be, and how many bytes of a key, or of the
     * beginning of one, tell which records belong together; NULL: each range is one. */
    size_t portion_max;
    size_t (*kept_together)(const uint8_t *key, size_t bytes);

    /* What becomes of it: */
    gs_range_bound *bounds; /* range r is [bounds[r], bounds[r + 1]) */
    size_t range_count;
    bool is_single;   /* the records that are wanted are the first of a single range */
    size_t *portions; /* their first ranges, and range_count; or NULL */
    size_t portion_count;
} gs_range_cut;

/* Ranges of at most about `stored_max` stored and `raw_max` decoded bytes. */
GS_MUST_CHECK gs_code gs_range_cut_make(gs_range_cut *c, uint64_t stored_max,
                                        uint64_t raw_max, gs_status *st);
void gs_range_cut_release(gs_range_cut *c);

#endif
