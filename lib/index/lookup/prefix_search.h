/* SPDX-License-Identifier: MIT */
/*
 * prefix_search: where numbers belong in a sorted array, many at once on one CPU core.
 *
 * A search for one number waits for memory at nearly every step. Here a group of 64 takes
 * each step together: the steps of all are the same, as they follow from the number of
 * keys alone, and their loads do not depend on each other, so that the core waits for
 * many of them at once.
 *
 * The rank of a query is how many keys are less than it. Keys that are not in order give
 * ranks without meaning, but none above the number of keys.
 */
#ifndef GS_LIB_INDEX_LOOKUP_PREFIX_SEARCH_H
#define GS_LIB_INDEX_LOOKUP_PREFIX_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define GS_PREFIX_KEYS_MAX UINT32_MAX

/* Needs no alignment beyond that of the types; key_count is at most GS_PREFIX_KEYS_MAX.
 */
typedef void gs_prefix_search_fn(const uint64_t *keys, size_t key_count,
                                 const uint64_t *queries, size_t query_count,
                                 uint32_t *ranks);

/* The fastest of those below that this processor has. */
void gs_prefix_search(const uint64_t *keys, size_t key_count, const uint64_t *queries,
                      size_t query_count, uint32_t *ranks);

typedef enum gs_prefix_way {
    GS_PREFIX_BINARY, /* one after the other, for comparison */
    GS_PREFIX_GROUPS, /* 64 together, on any processor */
    GS_PREFIX_AVX512, /* the same as 8 vectors of 8 */
    GS_PREFIX_WAY_COUNT
} gs_prefix_way;

const char *gs_prefix_way_name(gs_prefix_way way);
/* NULL if the processor, or the build, does not have it. */
gs_prefix_search_fn *gs_prefix_way_fn(gs_prefix_way way);

#endif
