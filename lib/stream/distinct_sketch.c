/* SPDX-License-Identifier: MIT */
#include "lib/stream/distinct_sketch.h"

#include <math.h>
#include <stddef.h>

enum { HASH_BITS = 64 - GS_DISTINCT_BITS };

void gs_distinct_merge(gs_distinct_sketch *to, const gs_distinct_sketch *from)
{
    for (size_t i = 0; i < GS_DISTINCT_REGISTERS; i++)
        if (from->registers[i] > to->registers[i])
            to->registers[i] = from->registers[i];
}

/* What registers that are still empty say, as a series that ends when it stands still. */
static double of_empty(double x)
{
    double power = 1, sum = x, before;
    if (x >= 1)
        return INFINITY;
    do {
        x *= x;
        before = sum;
        sum += x * power;
        power += power;
    } while (sum > before);
    return sum;
}

/* The same of those that are full. */
static double of_full(double x)
{
    double power = 1, sum = 1 - x, before;
    if (x <= 0 || x >= 1)
        return 0;
    do {
        x = sqrt(x);
        before = sum;
        power /= 2;
        sum -= (1 - x) * (1 - x) * power;
    } while (sum < before);
    return sum / 3;
}

uint64_t gs_distinct_estimate(const gs_distinct_sketch *s)
{
    const double m = GS_DISTINCT_REGISTERS;
    uint32_t counts[HASH_BITS + 2] = {0};
    for (size_t i = 0; i < GS_DISTINCT_REGISTERS; i++)
        counts[s->registers[i]]++;
    double z = m * of_full(1 - counts[HASH_BITS + 1] / m);
    for (int k = HASH_BITS; k >= 1; k--)
        z = (z + counts[k]) / 2;
    z += m * of_empty(counts[0] / m);
    return (uint64_t)llround(m * m / (2 * log(2) * z));
}
