/* SPDX-License-Identifier: MIT */
/*
 * prefix_ranks: where the prefixes of many terms belong among those of an index, if that
 * is for a GPU to find.
 *
 * Call order: new, (is_ready, find)*, free. One thread. When there is no GPU, or not yet,
 * the caller searches on its cores (prefix_search.h): the ranks are the same. A GPU that
 * cannot be started, or that fails, costs a warning (with `auto` none).
 *
 * A GPU takes long to start (its driver, and the prefixes have to get there), so this
 * happens beside the first batches, on a thread of its own; when a GPU was asked for the
 * first batch waits for it. `auto` starts one only if so many queries are expected that
 * what it saves is twice what its start takes, which with many cores is never.
 */
#ifndef GS_LIB_INDEX_LOOKUP_PREFIX_RANKS_H
#define GS_LIB_INDEX_LOOKUP_PREFIX_RANKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/log.h"
#include "lib/base/status.h"

typedef struct gs_prefix_ranks_options {
    const char *engine; /* "auto" (or NULL), "cpu" or "gpu" */
    int device;
    const uint64_t *keys; /* ascending; borrowed */
    size_t key_count;
    size_t query_count_max;
    uint64_t expected_queries; /* in all; 0: unknown */
    unsigned threads;          /* that would search otherwise */
    const gs_log *log;         /* borrowed; may be NULL; called from another thread too */
} gs_prefix_ranks_options;

typedef struct gs_prefix_ranks gs_prefix_ranks;

/* Whether a GPU is asked, which reads all keys at once; if not, there is no use in the
 * rest. */
bool gs_prefix_ranks_are_wanted(const gs_prefix_ranks_options *options);
GS_MUST_CHECK gs_code gs_prefix_ranks_new(gs_prefix_ranks **out,
                                          const gs_prefix_ranks_options *options,
                                          gs_status *st);
void gs_prefix_ranks_free(gs_prefix_ranks *r); /* NULL is fine */

/* Whether find can be called: there is a GPU by now. */
bool gs_prefix_ranks_is_ready(gs_prefix_ranks *r);
/* ranks[i] = how many keys are less than queries[i]; false if it is for the caller. */
GS_MUST_CHECK bool gs_prefix_ranks_find(gs_prefix_ranks *r, const uint64_t *queries,
                                        size_t query_count, uint32_t *ranks);

#endif
