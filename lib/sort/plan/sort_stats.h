/* SPDX-License-Identifier: MIT */
/*
 * sort_stats: what a sort has done so far, readable while it runs.
 *
 * The workers add, anyone may read at any time (progress does). Counters only grow;
 * the phase moves forward. Times are of the monotonic clock.
 */
#ifndef GS_LIB_SORT_PLAN_SORT_STATS_H
#define GS_LIB_SORT_PLAN_SORT_STATS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gs_sort_phase {
    GS_PHASE_START,
    GS_PHASE_READ,  /* reading and parsing */
    GS_PHASE_SORT,  /* sorting a chunk in memory and writing it */
    GS_PHASE_MERGE, /* merging runs */
    GS_PHASE_DONE,
    GS_PHASE_COUNT,
} gs_sort_phase;

typedef struct gs_sort_stats {
    _Atomic int phase;                  /* gs_sort_phase */
    _Atomic uint64_t input_bytes_total; /* as stored; 0 if unknown (pipes) */
    _Atomic uint64_t input_bytes;       /* read so far, as stored */
    _Atomic uint64_t records;           /* parsed */
    _Atomic uint64_t text_bytes;        /* parsed, after decompression */
    _Atomic uint64_t output_bytes;      /* written to the output, as stored */
    _Atomic uint64_t output_records;
    _Atomic bool has_output_sum;
    _Atomic uint64_t output_sum;                     /* XXH3-64 of the output as stored */
    _Atomic uint64_t runs;                           /* spilled */
    _Atomic uint64_t passes;                         /* merge passes, the last included */
    _Atomic uint64_t spill_bytes;                    /* written to temporary files */
    _Atomic uint64_t merge_bytes_total, merge_bytes; /* of the pass that runs */
    _Atomic uint64_t phase_ns[GS_PHASE_COUNT];       /* wall time in each phase */
    _Atomic size_t memory_limit_bytes;
    _Atomic unsigned threads;
    const char *_Atomic engine;   /* "cpu", ... ; static string */
    const char *_Atomic verified; /* what was, of the output; static string */
} gs_sort_stats;

/* The next phase begins; what has passed since *begin_ns, which is now then, is the last
 * one's. NULL is fine. */
void gs_sort_stats_begin_phase(gs_sort_stats *stats, gs_sort_phase phase,
                               uint64_t *begin_ns);
/* What was counted so far does not count: all is read again. NULL is fine. */
void gs_sort_stats_reset(gs_sort_stats *stats);

#endif
