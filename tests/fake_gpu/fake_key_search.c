/* SPDX-License-Identifier: MIT */
/*
 * fake_key_search: gpu/search/key_search.h on machines without a GPU (make FAKE_GPU=1).
 *
 * It counts when it is waited for, not when a batch is submitted, and gives ranks that
 * are wrong until then, so that a caller that looks too early is found out.
 * GS_FAKE_GPU_FAIL=STEP:N makes the N-th call of a step fail: keys, queries, ranks.
 */
#include "gpu/search/key_search.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "tests/fake_gpu/fake_calls.h"

struct gs_key_search {
    uint64_t *keys, *queries;
    uint32_t *ranks;
    size_t key_count, query_count, query_count_max;
    bool is_busy;
};

const char *gs_key_way_name(gs_key_way way)
{
    (void)way;
    return "fake";
}

gs_code gs_key_search_new(gs_key_search **out, const gs_key_search_options *options,
                          gs_status *st)
{
    void *memory = NULL;
    *out = NULL;
    wake("gs_key_search_new");
    GS_TRY(pass("keys", st));
    GS_TRY(gs_mem_new(&memory, sizeof(gs_key_search), "fake search", st));
    gs_key_search *const s = memory;
    s->key_count = options->key_count;
    s->query_count_max = options->query_count_max;
    GS_TRY_OR_FAIL(gs_mem_new(&memory, s->key_count * sizeof *s->keys, "fake keys", st));
    s->keys = memory;
    memcpy(s->keys, options->keys, s->key_count * sizeof *s->keys);
    GS_TRY_OR_FAIL(
        gs_mem_new(&memory, s->query_count_max * sizeof *s->queries, "queries", st));
    s->queries = memory;
    GS_TRY_OR_FAIL(
        gs_mem_new(&memory, s->query_count_max * sizeof *s->ranks, "ranks", st));
    s->ranks = memory;
    *out = s;
    return GS_OK;
fail:
    gs_key_search_free(s);
    return st->code;
}

void gs_key_search_free(gs_key_search *s)
{
    if (s == NULL)
        return;
    gs_mem_free(s->keys);
    gs_mem_free(s->queries);
    gs_mem_free(s->ranks);
    gs_mem_free(s);
}

uint64_t *gs_key_search_queries(gs_key_search *s)
{
    return s->queries;
}

const uint32_t *gs_key_search_ranks(const gs_key_search *s)
{
    return s->ranks;
}

size_t gs_key_search_device_bytes(const gs_key_search *s)
{
    return s->key_count * sizeof *s->keys;
}

gs_code gs_key_search_submit(gs_key_search *s, size_t query_count,
                             gs_key_transport transport, unsigned flags, gs_status *st)
{
    (void)transport;
    (void)flags;
    gs_assert(!s->is_busy && query_count <= s->query_count_max);
    GS_TRY(pass("queries", st));
    memset(s->ranks, 0xff, query_count * sizeof *s->ranks);
    s->query_count = query_count;
    s->is_busy = true;
    return GS_OK;
}

gs_code gs_key_search_wait(gs_key_search *s, gs_status *st)
{
    gs_assert(s->is_busy);
    s->is_busy = false;
    GS_TRY(pass("ranks", st));
    for (size_t i = 0; i < s->query_count; i++) {
        size_t low = 0, high = s->key_count;
        while (low < high) {
            const size_t middle = (low + high) / 2;
            if (s->keys[middle] < s->queries[i])
                low = middle + 1;
            else
                high = middle;
        }
        s->ranks[i] = (uint32_t)low;
    }
    return GS_OK;
}

double gs_key_search_device_ms(const gs_key_search *s)
{
    (void)s;
    return 0;
}
