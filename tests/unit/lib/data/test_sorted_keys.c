/* SPDX-License-Identifier: MIT */
/*
 * sorted_keys: keys must ascend and be unique, and each query's rank must be what
 * counting gives, or a benchmark would blame a search that is right. The same seed must
 * give the same keys and queries, in whatever pieces they are asked for.
 */
#include <string.h>

#include "lib/data/sorted_keys.h"
#include "tests/check.h"

enum { KEYS_MAX = 3000, QUERIES = 500 };

static void one_size(size_t key_count, uint64_t seed)
{
    static uint64_t keys[KEYS_MAX], again[KEYS_MAX];
    uint64_t queries[QUERIES], part[QUERIES];
    uint32_t ranks[QUERIES], part_ranks[QUERIES];
    gs_sorted_keys_make(keys, key_count, seed);
    gs_sorted_keys_make(again, key_count, seed);
    CHECK(memcmp(keys, again, key_count * sizeof *keys) == 0);
    for (size_t i = 1; i < key_count; i++)
        CHECK(keys[i - 1] < keys[i]);
    gs_sorted_keys_ask(keys, key_count, seed, 7, queries, ranks, QUERIES);
    size_t hits = 0;
    for (size_t q = 0; q < QUERIES; q++) {
        uint32_t less = 0;
        for (size_t i = 0; i < key_count; i++)
            less += keys[i] < queries[q];
        CHECK(ranks[q] == less && less < key_count);
        hits += keys[less] == queries[q];
    }
    CHECK(hits >= QUERIES / 2);
    gs_sorted_keys_ask(keys, key_count, seed, 107, part, part_ranks, QUERIES - 100);
    CHECK(memcmp(part, queries + 100, (QUERIES - 100) * sizeof *part) == 0);
    CHECK(memcmp(part_ranks, ranks + 100, (QUERIES - 100) * sizeof *ranks) == 0);
}

int main(void)
{
    static const size_t sizes[] = {1, 2, 3, 10, 1000, KEYS_MAX};
    const uint64_t seed = check_seed(1);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        one_size(sizes[i], seed + i);
    return check_result();
}
