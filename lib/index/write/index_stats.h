/* SPDX-License-Identifier: MIT */
/*
 * index_stats: what an index build has done so far, readable while it runs.
 *
 * The counters it shares with the sort: records are documents (or tuples), output_records
 * are postings. Merging of runs is told as the sort's.
 */
#ifndef GS_LIB_INDEX_WRITE_INDEX_STATS_H
#define GS_LIB_INDEX_WRITE_INDEX_STATS_H

#include "lib/sort/plan/plans.h"

typedef struct gs_index_stats {
    gs_sort_stats sort;
    _Atomic uint64_t tokens;  /* that went into the index */
    _Atomic uint64_t terms;   /* distinct */
    _Atomic uint64_t skipped; /* malformed, left out */
    const char *_Atomic method;
} gs_index_stats;

/* The next phase begins; what has passed since *begin_ns is the last one's. `stats` may
 * be NULL. */
void gs_index_stats_begin_phase(gs_index_stats *stats, gs_sort_phase phase,
                                uint64_t *begin_ns);
/* What is said in the end of the index that is in the folder now: all but the terms,
 * which its parts have counted. */
void gs_index_stats_tell(gs_index_stats *stats, const char *folder);

#endif
