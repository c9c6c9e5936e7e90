/* SPDX-License-Identifier: MIT */
#include "lib/data/gen_math.h"

#include <stdint.h>
#include <string.h>

GS_GEN_EXACT_MATH

/* ln 2 in two parts; the first has so few bits that a whole number times it is exact. */
static const double ln2_high = 0x1.62e42fefa0000p-1, ln2_low = 0x1.cf79abc9e3b3ap-40;

double gs_gen_log(double x)
{
    /* x = m * 2^e with m from sqrt(1/2) to sqrt(2), then
     * log m = 2 atanh(f) = 2 (f + f^3/3 + f^5/5 + ...), f = (m - 1) / (m + 1). */
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    int64_t e = (int64_t)(bits >> 52) - 1023;
    bits = (bits & UINT64_C(0x000fffffffffffff)) | UINT64_C(0x3ff0000000000000);
    double m;
    memcpy(&m, &bits, sizeof m);
    if (m > 1.4142135623730951) {
        m *= 0.5;
        e++;
    }
    const double f = (m - 1.0) / (m + 1.0), f2 = f * f;
    double p = 1.0 / 21.0;
    p = p * f2 + 1.0 / 19.0;
    p = p * f2 + 1.0 / 17.0;
    p = p * f2 + 1.0 / 15.0;
    p = p * f2 + 1.0 / 13.0;
    p = p * f2 + 1.0 / 11.0;
    p = p * f2 + 1.0 / 9.0;
    p = p * f2 + 1.0 / 7.0;
    p = p * f2 + 1.0 / 5.0;
    p = p * f2 + 1.0 / 3.0;
    const double tail = 2.0 * f * f2 * p;
    const double k = (double)e;
    return k * ln2_high + (2.0 * f + (tail + k * ln2_low));
}

double gs_gen_exp(double x)
{
    if (x < -700.0)
        return 0.0;
    /* x = n ln 2 + r with |r| <= ln 2 / 2; e^r by its series, times 2^n. */
    const double scaled = x * 1.4426950408889634;
    const int64_t n = (int64_t)(scaled + (scaled < 0 ? -0.5 : 0.5));
    const double k = (double)n;
    const double r = (x - k * ln2_high) - k * ln2_low;
    double p = 1.0 / 479001600.0;
    p = p * r + 1.0 / 39916800.0;
    p = p * r + 1.0 / 3628800.0;
    p = p * r + 1.0 / 362880.0;
    p = p * r + 1.0 / 40320.0;
    p = p * r + 1.0 / 5040.0;
    p = p * r + 1.0 / 720.0;
    p = p * r + 1.0 / 120.0;
    p = p * r + 1.0 / 24.0;
    p = p * r + 1.0 / 6.0;
    p = p * r + 0.5;
    p = p * r + 1.0;
    p = p * r + 1.0;
    const uint64_t bits = (uint64_t)(n + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return p * power;
}
