/* SPDX-License-Identifier: MIT */
#include "lib/data/sorted_keys.h"

#include "lib/base/assertion.h"
#include "lib/data/gen_random.h"

void gs_sorted_keys_make(uint64_t *keys, size_t count, uint64_t seed)
{
    gs_assert(count <= (uint64_t)1 << 32);
    gs_gen_random random = gs_gen_random_start(seed, 0);
    /* If all gaps were the largest, the last key would be the greatest number. */
    const uint64_t gap_max = count > 0 ? UINT64_MAX / count : 1;
    uint64_t key = 0;
    for (size_t i = 0; i < count; i++) {
        key += 1 + gs_gen_below(&random, gap_max);
        keys[i] = key;
    }
}

void gs_sorted_keys_ask(const uint64_t *keys, size_t key_count, uint64_t seed,
                        uint64_t first, uint64_t *queries, uint32_t *ranks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        gs_gen_random random = gs_gen_random_start(seed, first + i);
        const size_t at = (size_t)gs_gen_below(&random, key_count);
        const uint64_t gap = keys[at] - (at > 0 ? keys[at - 1] : 0);
        const uint64_t below = gs_gen_below(&random, gap);
        queries[i] = (first + i) % 2 == 0 ? keys[at] : keys[at] - below;
        ranks[i] = (uint32_t)at;
    }
}
