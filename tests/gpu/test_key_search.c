/* SPDX-License-Identifier: MIT */
/*
 * key_search: every way to search on the GPU must give the ranks that a search on the CPU
 * gives. What would break: numbers of keys around powers of a node's size, batches that
 * end inside a warp, equal keys, the least and the greatest number, a search used again;
 * and keys in no order, which must not lead outside.
 *
 *     test_key_search [--few]        --few: a handful, for compute-sanitizer
 *
 * Exits 77 without a GPU.
 */
#define CHECK_STARTS_THREADS

#include <stdbool.h>
#include <string.h>

#include "gpu/device/device.h"
#include "gpu/search/key_search.h"
#include "tests/check.h"

enum { KEYS_MAX = 3 << 20, QUERIES_MAX = 1 << 20, KINDS = 5, CANARY = 0x5a };

static uint64_t state;
static uint64_t *keys;
static uint32_t *wanted;
static unsigned long cases;

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

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

static size_t reference(size_t key_count, uint64_t query)
{
    size_t low = 0, high = key_count;
    while (low < high) {
        const size_t middle = (low + high) / 2;
        if (keys[middle] < query)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static void one_batch(gs_key_search *s, gs_key_way way, size_t key_count,
                      size_t query_count, unsigned kind, bool is_sorted)
{
    gs_status st = {.code = GS_OK};
    uint64_t *const queries = gs_key_search_queries(s);
    uint32_t *const ranks = (uint32_t *)(uintptr_t)gs_key_search_ranks(s);
    for (size_t i = 0; i < query_count; i++) {
        const uint64_t r = check_random(&state);
        queries[i] = key_count > 0 && r % 4 != 0 ? keys[r / 8 % key_count] : number(kind);
        queries[i] += r % 5 == 1 ? 1 : 0;
        wanted[i] = is_sorted ? (uint32_t)reference(key_count, queries[i]) : 0;
    }
    for (unsigned t = GS_KEY_DIRECT; t <= GS_KEY_COPIED; t++) {
        memset(ranks, CANARY, query_count * sizeof *ranks);
        REQUIRE_OK(gs_key_search_submit(s, query_count, (gs_key_transport)t,
                                        t == GS_KEY_COPIED ? GS_KEY_TIMED : 0, &st),
                   &st);
        REQUIRE_OK(gs_key_search_wait(s, &st), &st);
        cases++;
        size_t i = 0;
        while (i < query_count &&
               (is_sorted ? ranks[i] == wanted[i] : ranks[i] <= key_count))
            i++;
        if (i == query_count)
            continue;
        fprintf(stderr,
                "%s, %zu keys of kind %u, %zu queries, transport %u: %zu is wrong\n",
                gs_key_way_name(way), key_count, kind, query_count, t, i);
        check_failures++;
    }
    CHECK(query_count == 0 || gs_key_search_device_ms(s) > 0);
}

static void one_array(size_t key_count, unsigned kind, bool is_sorted, size_t query_max)
{
    static const size_t counts[] = {0, 1, 15, 31, 32, 33, 257, 4097, 100003, QUERIES_MAX};
    for (size_t i = 0; i < key_count; i++)
        keys[i] = number(kind);
    if (is_sorted)
        qsort(keys, key_count, sizeof *keys, compare);
    for (unsigned way = GS_KEY_AUTO; way < GS_KEY_WAY_COUNT; way++) {
        gs_status st = {.code = GS_OK};
        gs_key_search *s = NULL;
        const gs_key_search_options options = {.way = (gs_key_way)way,
                                               .keys = keys,
                                               .key_count = key_count,
                                               .query_count_max = query_max};
        REQUIRE_OK(gs_key_search_new(&s, &options, &st), &st);
        for (size_t c = 0; c < sizeof counts / sizeof *counts; c++) {
            if (counts[c] <= query_max)
                one_batch(s, (gs_key_way)way, key_count, counts[c], kind, is_sorted);
        }
        gs_key_search_free(s);
    }
}

static void refuses_what_it_cannot_hold(void)
{
    gs_status st = {.code = GS_OK};
    gs_key_search *s = NULL;
    gs_key_search_options options = {.keys = keys,
                                     .key_count = (size_t)GS_KEY_SEARCH_KEYS_MAX + 1};
    CHECK(gs_key_search_new(&s, &options, &st) == GS_ERR_LIMIT && s == NULL);
    gs_status_clear(&st);
    options = (gs_key_search_options){.device = 1000, .keys = keys, .key_count = 1};
    CHECK(gs_key_search_new(&s, &options, &st) == GS_ERR_ARG && s == NULL);
}

int main(int argc, char **argv)
{
    /* Around what one, two and three levels of a tree hold. */
    static const size_t sizes[] = {
        0,    1,    2,     3,     4,     5,       7,       8,    9,    15,
        16,   17,   31,    32,    33,    63,      64,      65,   80,   255,
        256,  257,  511,   512,   513,   1000,    1023,    1024, 1025, 4095,
        4096, 4097, 32767, 32768, 65537, 1000003, KEYS_MAX};
    const bool is_few = argc > 1 && strcmp(argv[1], "--few") == 0;
    if (gs_device_count() == 0) {
        printf("no GPU: skipped\n");
        return 77;
    }
    state = check_seed(5);
    keys = malloc(KEYS_MAX * sizeof *keys);
    wanted = malloc(QUERIES_MAX * sizeof *wanted);
    REQUIRE(keys != NULL && wanted != NULL);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        const bool is_large = sizes[i] > 100000;
        if (is_few && (i % 6 != 0 || is_large))
            continue;
        for (unsigned kind = 0; kind < KINDS; kind += is_few || is_large ? 2u : 1u)
            one_array(sizes[i], kind, true, is_large ? QUERIES_MAX : 4097);
        one_array(sizes[i], (unsigned)(i % KINDS), false, 4097);
    }
    refuses_what_it_cannot_hold();
    free(keys);
    free(wanted);
    printf("%lu batches searched\n", cases);
    return check_result();
}
