/* SPDX-License-Identifier: MIT */
/*
 * sorted_keys: unique numbers in order, and queries for them whose ranks are known from
 * how they were made: nothing is sorted and nothing is searched.
 *
 * Keys are the sums of random gaps, so they lie as random numbers do after a sort. Of the
 * queries one half are keys drawn at random, with their own places as ranks; the others
 * lie in the gap below such a key, and have its rank too.
 */
#ifndef GS_LIB_DATA_SORTED_KEYS_H
#define GS_LIB_DATA_SORTED_KEYS_H

#include <stddef.h>
#include <stdint.h>

/* count is at most 2^32. */
void gs_sorted_keys_make(uint64_t *keys, size_t count, uint64_t seed);

/* There is at least one key. Queries `first` and on of the sequence of this seed. */
void gs_sorted_keys_ask(const uint64_t *keys, size_t key_count, uint64_t seed,
                        uint64_t first, uint64_t *queries, uint32_t *ranks, size_t count);

#endif
