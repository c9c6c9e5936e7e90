/* SPDX-License-Identifier: MIT */
#include "lib/index/lookup/prefix_search.h"

#include <string.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

/* More would not fit into registers (AVX-512), or no longer gain (plain); 16 in flight
 * take three times as long, 32 half as long again (gpu/NOTES.md). */
enum { GROUP = 64, ALONE_MAX = 7 };

static void search_alone(const uint64_t *keys, size_t key_count, const uint64_t *queries,
                         size_t query_count, uint32_t *ranks)
{
    for (size_t i = 0; i < query_count; i++) {
        const uint64_t query = queries[i];
        size_t at = 0, left = key_count;
        while (left > 0) {
            const size_t half = left / 2;
            const bool goes_right = keys[at + half] < query;
            at = goes_right ? at + half + 1 : at;
            left = goes_right ? left - half - 1 : half;
        }
        ranks[i] = (uint32_t)at;
    }
}

/* A search of GROUP queries. There is at least one key. Of `left` keys from at[i] on, the
 * first that is not less is one of them, or behind the last. */
typedef void group_fn(const uint64_t *keys, size_t key_count, const uint64_t *queries,
                      uint32_t *ranks);

static void search_groups(group_fn *group, const uint64_t *keys, size_t key_count,
                          const uint64_t *queries, size_t query_count, uint32_t *ranks)
{
    size_t i = 0;
    if (key_count > 0) {
        for (; i + GROUP <= query_count; i += GROUP)
            group(keys, key_count, queries + i, ranks + i);
    }
    const size_t rest = query_count - i;
    if (key_count == 0 || rest <= ALONE_MAX) {
        search_alone(keys, key_count, queries + i, rest, ranks + i);
        return;
    }
    uint64_t filled[GROUP] = {0};
    uint32_t found[GROUP];
    memcpy(filled, queries + i, rest * sizeof *filled);
    group(keys, key_count, filled, found);
    memcpy(ranks + i, found, rest * sizeof *found);
}

static void plain_group(const uint64_t *keys, size_t key_count, const uint64_t *queries,
                        uint32_t *ranks)
{
    uint32_t at[GROUP] = {0};
    for (size_t left = key_count; left > 1; left -= left / 2) {
        const uint32_t half = (uint32_t)(left / 2);
        const uint64_t *const middle = keys + half - 1;
        for (size_t i = 0; i < GROUP; i++) {
            uint32_t is_less = middle[at[i]] < queries[i];
            __asm__("" : "+r"(is_less)); /* compilers like to branch on it */
            at[i] += half & (0 - is_less);
        }
    }
    for (size_t i = 0; i < GROUP; i++)
        ranks[i] = at[i] + (keys[at[i]] < queries[i]);
}

static void search_plain(const uint64_t *keys, size_t key_count, const uint64_t *queries,
                         size_t query_count, uint32_t *ranks)
{
    search_groups(plain_group, keys, key_count, queries, query_count, ranks);
}

#if defined(__x86_64__)
enum { LANES = 8, VECTORS = GROUP / LANES };

__attribute__((target("avx512f"))) static void avx512_group(const uint64_t *keys,
                                                            size_t key_count,
                                                            const uint64_t *queries,
                                                            uint32_t *ranks)
{
    __m512i at[VECTORS], query[VECTORS];
    for (size_t v = 0; v < VECTORS; v++) {
        at[v] = _mm512_setzero_si512();
        query[v] = _mm512_loadu_si512(queries + v * LANES);
    }
    for (size_t left = key_count; left > 1; left -= left / 2) {
        const uint64_t *const middle = keys + left / 2 - 1;
        const __m512i half = _mm512_set1_epi64((long long)(left / 2));
        for (size_t v = 0; v < VECTORS; v++) {
            const __m512i key = _mm512_i64gather_epi64(at[v], middle, 8);
            const __mmask8 is_less = _mm512_cmplt_epu64_mask(key, query[v]);
            at[v] = _mm512_mask_add_epi64(at[v], is_less, at[v], half);
        }
    }
    for (size_t v = 0; v < VECTORS; v++) {
        const __m512i key = _mm512_i64gather_epi64(at[v], keys, 8);
        const __mmask8 is_less = _mm512_cmplt_epu64_mask(key, query[v]);
        at[v] = _mm512_mask_add_epi64(at[v], is_less, at[v], _mm512_set1_epi64(1));
        const __m256i narrow = _mm512_cvtepi64_epi32(at[v]);
        memcpy(ranks + v * LANES, &narrow, sizeof narrow);
    }
}

static void search_avx512(const uint64_t *keys, size_t key_count, const uint64_t *queries,
                          size_t query_count, uint32_t *ranks)
{
    search_groups(avx512_group, keys, key_count, queries, query_count, ranks);
}
#endif

const char *gs_prefix_way_name(gs_prefix_way way)
{
    static const char *const names[] = {"binary", "groups", "avx512"};
    _Static_assert(sizeof names / sizeof *names == GS_PREFIX_WAY_COUNT, "a name each");
    return way < GS_PREFIX_WAY_COUNT ? names[way] : "none";
}

gs_prefix_search_fn *gs_prefix_way_fn(gs_prefix_way way)
{
    if (way == GS_PREFIX_BINARY)
        return search_alone;
    if (way == GS_PREFIX_GROUPS)
        return search_plain;
#if defined(__x86_64__)
    if (way == GS_PREFIX_AVX512 && __builtin_cpu_supports("avx512f"))
        return search_avx512;
#endif
    return NULL;
}

void gs_prefix_search(const uint64_t *keys, size_t key_count, const uint64_t *queries,
                      size_t query_count, uint32_t *ranks)
{
    gs_prefix_search_fn *fn = gs_prefix_way_fn(GS_PREFIX_AVX512);
    if (fn == NULL)
        fn = gs_prefix_way_fn(GS_PREFIX_GROUPS);
    fn(keys, key_count, queries, query_count, ranks);
}
