/* SPDX-License-Identifier: MIT */
/*
 * prefix_search: every way must give the ranks that counting the lesser keys gives. What
 * would break: sizes around powers of two, groups that are not full, equal keys, the
 * least and the greatest number, arrays at odd addresses; and keys that are in no order,
 * as a damaged index may have them, must not lead outside.
 */
#include <string.h>

#include "lib/base/mem.h"
#include "lib/index/lookup/prefix_search.h"
#include "tests/check.h"

enum { KEYS_MAX = 5000, QUERIES_MAX = 300, CASES = 600, CANARY = 0x5a5a5a5a };

static uint64_t state;

static uint64_t below(uint64_t n)
{
    return check_random(&state) % n;
}

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* One of five sorts of number: any, few different, the extremes, close, equal. */
static uint64_t number(unsigned kind)
{
    const uint64_t r = check_random(&state);
    switch (kind) {
    case 0: return r;
    case 1: return r % 10 << 60;
    case 2: return r % 3 == 0 ? 0 : r % 3 == 1 ? UINT64_MAX : r;
    case 3: return UINT64_C(0x6162636465666768) + r % 2000;
    default: return 7;
    }
}

static uint32_t count_less(const uint64_t *keys, size_t key_count, uint64_t query)
{
    uint32_t count = 0;
    for (size_t i = 0; i < key_count; i++)
        count += keys[i] < query;
    return count;
}

/* The memory ends where the arrays do, so that a sanitizer sees a step outside. */
static void one_case(unsigned number_of, bool is_sorted)
{
    gs_status st = {.code = GS_OK};
    const unsigned kind = number_of % 5;
    const size_t few = number_of % 3 == 0 ? 70 : KEYS_MAX;
    const size_t key_count = below(few + 1), query_count = below(QUERIES_MAX + 1);
    void *key_memory = NULL, *query_memory = NULL, *rank_memory = NULL;
    REQUIRE_OK(gs_mem_new(&key_memory, (key_count + 1) * 8, "keys", &st), &st);
    REQUIRE_OK(gs_mem_new(&query_memory, (query_count + 1) * 8, "queries", &st), &st);
    REQUIRE_OK(gs_mem_new(&rank_memory, (query_count + 1) * 4, "ranks", &st), &st);
    uint64_t *const keys = (uint64_t *)key_memory + 1; /* no more than 8-byte aligned */
    uint64_t *const queries = (uint64_t *)query_memory + 1;
    uint32_t *const ranks = rank_memory;
    for (size_t i = 0; i < key_count; i++)
        keys[i] = number(kind);
    if (is_sorted)
        qsort(keys, key_count, sizeof *keys, compare);
    for (size_t i = 0; i < query_count; i++) {
        const uint64_t r = check_random(&state);
        queries[i] = key_count > 0 && r % 4 != 0 ? keys[r / 8 % key_count] : number(kind);
        queries[i] += r % 5 == 1 ? 1 : 0;
    }
    for (unsigned way = 0; way <= GS_PREFIX_WAY_COUNT; way++) {
        gs_prefix_search_fn *const fn = way < GS_PREFIX_WAY_COUNT
                                            ? gs_prefix_way_fn((gs_prefix_way)way)
                                            : gs_prefix_search;
        if (fn == NULL)
            continue;
        for (size_t i = 0; i <= query_count; i++)
            ranks[i] = CANARY;
        fn(keys, key_count, queries, query_count, ranks);
        bool is_right = ranks[query_count] == CANARY;
        for (size_t i = 0; i < query_count; i++)
            is_right &= is_sorted ? ranks[i] == count_less(keys, key_count, queries[i])
                                  : ranks[i] <= key_count;
        CHECK(is_right);
    }
    gs_mem_free(key_memory);
    gs_mem_free(query_memory);
    gs_mem_free(rank_memory);
}

int main(void)
{
    state = check_seed(11);
    for (unsigned i = 0; i < CASES; i++)
        one_case(i, i % 8 != 7);
    CHECK(gs_mem_held_bytes() == 0);
    CHECK(gs_prefix_way_fn(GS_PREFIX_BINARY) != NULL);
    CHECK(gs_prefix_way_fn(GS_PREFIX_GROUPS) != NULL);
    CHECK(gs_prefix_way_fn(GS_PREFIX_WAY_COUNT) == NULL);
    return check_result();
}
