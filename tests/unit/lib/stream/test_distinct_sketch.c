/* SPDX-License-Identifier: MIT */
/*
 * distinct_sketch: an estimate further off than it says. Sets from one value to millions,
 * and sets that are put together from parts that share values.
 */
#include <math.h>
#include <string.h>

#include "lib/stream/distinct_sketch.h"
#include "lib/stream/text_counts.h"
#include "tests/check.h"

static void check_estimate(const gs_distinct_sketch *s, uint64_t n)
{
    const double off = fabs((double)gs_distinct_estimate(s) - (double)n);
    CHECK(off <= 4 * GS_DISTINCT_ERROR * (double)n);
}

static void every_size(void)
{
    static gs_distinct_sketch all, even, third;
    const uint64_t seed = check_seed(9);
    uint64_t next = 1, n = 0;
    CHECK(gs_distinct_estimate(&all) == 0);
    while (n < 1200000) {
        const uint64_t value = seed ^ n;
        const uint64_t hash = gs_text_hash(&value, sizeof value);
        gs_distinct_add(&all, hash);
        if (n % 2 == 0)
            gs_distinct_add(&even, hash);
        if (n % 2 == 1 || n % 3 == 0)
            gs_distinct_add(&third, hash);
        if (++n == next) {
            gs_distinct_sketch both = even;
            check_estimate(&all, n);
            gs_distinct_merge(&both, &third);
            CHECK(memcmp(&both, &all, sizeof all) == 0);
            next += next / 3 + 1;
        }
    }
}

int main(void)
{
    every_size();
    return check_result();
}
