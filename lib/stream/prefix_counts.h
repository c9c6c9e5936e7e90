/* SPDX-License-Identifier: MIT */
/*
 * prefix_counts: how often the prefixes of values came, level by level of a hierarchy,
 * and which of them are heavy.
 *
 * Each level has counters as text_counts has them, and what is said there of `lost` holds
 * for each. One thread; one that is zeroed but for its hierarchy is empty.
 */
#ifndef GS_LIB_STREAM_PREFIX_COUNTS_H
#define GS_LIB_STREAM_PREFIX_COUNTS_H

#include "lib/stream/prefix_cut.h"
#include "lib/stream/text_counts.h"

typedef struct gs_prefix_counts {
    gs_hierarchy by;
    gs_text_counts levels[GS_PREFIX_LEVELS_MAX];
} gs_prefix_counts;

void gs_prefix_counts_release(gs_prefix_counts *c);
/* Empty again; memory is kept. */
void gs_prefix_counts_reset(gs_prefix_counts *c);

/* The prefixes of values that were counted. */
GS_MUST_CHECK gs_code gs_prefix_counts_take(gs_prefix_counts *c,
                                            const gs_text_counts *values, gs_status *st);
/* All that another one counted, by the same hierarchy. A level that has more than twice
 * as many counters as it may have is thinned out; with 0 none is. */
GS_MUST_CHECK gs_code gs_prefix_counts_merge(gs_prefix_counts *c,
                                             const gs_prefix_counts *other,
                                             size_t counters, gs_status *st);
/* Leaves at most so many of each level, from 1 on. */
GS_MUST_CHECK gs_code gs_prefix_counts_prune(gs_prefix_counts *c, size_t counters,
                                             gs_status *st);

/* How many levels there are, up to the last one that knows of any. */
size_t gs_prefix_counts_levels(const gs_prefix_counts *c);

/* What it takes. */
size_t gs_prefix_counts_bytes(const gs_prefix_counts *c);

/* --- answers ------------------------------------------------------------------------ */

typedef struct gs_heavy_prefix {
    const uint8_t *text;
    size_t bytes;
    uint64_t count;
    uint64_t own; /* without those below that are heavy too; never below 0 */
} gs_heavy_prefix;

/* Its room; zeroed in the beginning. */
typedef struct gs_heavy_finder {
    gs_text_counts level, heavy;
    gs_heavy_prefix *prefixes;
    size_t capacity;
} gs_heavy_finder;

typedef struct gs_heavy_prefixes {
    const gs_heavy_prefix *prefixes; /* the most frequent first */
    size_t count;
    uint64_t values, lost; /* no count is low by more than `lost` */
    size_t bytes;          /* that all counters take */
} gs_heavy_prefixes;

void gs_heavy_finder_release(gs_heavy_finder *f);

/* Those of `c` and, unless it is NULL, `other` whose count may be `least` or more. They
 * are good until the finder is used again; values and bytes are the caller's. */
GS_MUST_CHECK gs_code gs_heavy_find(gs_heavy_finder *f, const gs_prefix_counts *c,
                                    const gs_prefix_counts *other, double least,
                                    gs_heavy_prefixes *out, gs_status *st);

#endif
