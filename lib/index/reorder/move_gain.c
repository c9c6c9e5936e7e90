/* SPDX-License-Identifier: MIT */
#include "lib/index/reorder/move_gain.h"

/* log2 of x, which is not 0, times 2^32: the whole part, then a bit for each squaring. */
static uint64_t log2_of(uint32_t x)
{
    enum { ONE_BIT = 31, FRACTION_BITS = 32 };
    const unsigned whole = 31 - (unsigned)__builtin_clz(x);
    uint64_t y = (uint64_t)x << (ONE_BIT - whole); /* in [1, 2), times 2^31 */
    uint64_t result = whole;
    for (unsigned i = 0; i < FRACTION_BITS; i++) {
        y = y * y >> ONE_BIT;
        const uint64_t bit = y >> (ONE_BIT + 1);
        y >>= bit;
        result = result << 1 | bit;
    }
    return result;
}

void gs_gain_table_fill(gs_gain_table *t)
{
    uint64_t before = 0; /* (x - 1) * log2(x) */
    t->h[0] = 0;
    for (uint32_t x = 1; x < GS_GAIN_TABLE; x++) {
        const uint64_t now = x * log2_of(x + 1);
        t->h[x] = (int32_t)((now - before) >> (32 - GS_GAIN_BITS));
        before = now;
    }
    t->gap[0] = 0;
    for (uint32_t x = 1; x <= GS_GAP_TABLE; x++)
        t->gap[x] = (uint32_t)(log2_of(x) >> (32 - GS_GAIN_BITS));
}
