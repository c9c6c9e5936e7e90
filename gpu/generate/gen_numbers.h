/* SPDX-License-Identifier: MIT */
/*
 * gen_numbers: the generated keys and the hash of a record, as C that a kernel and the
 * host both run. The last bits of logarithms may differ between the two.
 */
#ifndef GS_GPU_GEN_NUMBERS_H
#define GS_GPU_GEN_NUMBERS_H

#include <math.h>

#include "gpu/generate/generate.h"

#ifdef __CUDACC__
#define GS_GEN static __host__ __device__ inline
#else
#define GS_GEN static inline
#endif

enum {
    GS_ZIPF_TERM_BITS = 22,
    GS_FEW_VALUES = 1000,
    GS_HUNDREDS_VALUES = 250,
    GS_STRETCHES = 3,
};

GS_GEN uint64_t gs_gen_hash(uint64_t a)
{
    a += UINT64_C(0x9e3779b97f4a7c15);
    a = (a ^ (a >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    a = (a ^ (a >> 27)) * UINT64_C(0x94d049bb133111eb);
    return a ^ (a >> 31);
}

/* Between 0 and 1, and neither of them. */
GS_GEN double gs_gen_unit(uint64_t a)
{
    return ((double)(a >> 11) + 0.5) * 0x1p-53;
}

GS_GEN double gs_gen_normal(uint64_t a)
{
    const double pi = 3.14159265358979323846;
    return sqrt(-2 * log(gs_gen_unit(gs_gen_hash(a)))) *
           cos(2 * pi * gs_gen_unit(gs_gen_hash(~a)));
}

/* A term of 2^GS_ZIPF_TERM_BITS, the first the most frequent, as Zipf's law has it. */
GS_GEN uint64_t gs_gen_zipf(uint64_t a)
{
    const double terms = (double)(1 << GS_ZIPF_TERM_BITS);
    return (uint64_t)(exp(gs_gen_unit(a) * log(terms)) - 1.0);
}

GS_GEN gs_u128 gs_gen_pair(uint64_t hi, uint64_t lo)
{
    gs_u128 pair;
    pair.hi = hi;
    pair.lo = lo;
    return pair;
}

/* Of GS_STRETCHES: what each one has is between what the others have. */
GS_GEN gs_u128 gs_gen_stretch(uint64_t i, uint64_t count)
{
    const uint64_t part = count / GS_STRETCHES + 1;
    const uint64_t rank = i % part * GS_STRETCHES + i / part;
    return gs_gen_pair(rank * (~UINT64_C(0) / (part * GS_STRETCHES)), rank);
}

/* Key number i of `count`; a key of 64 bits is the high half. */
GS_GEN gs_u128 gs_gen_number(gs_distribution distribution, uint64_t seed, uint64_t i,
                             uint64_t count)
{
    const uint64_t r = gs_gen_hash(gs_gen_hash(seed) + i), stride = ~UINT64_C(0) / count;
    switch (distribution) {
    case GS_DIST_GAUSSIAN: {
        const double a = 0x1p63 + 0x1p60 * gs_gen_normal(r);
        return gs_gen_pair((uint64_t)fmin(fmax(a, 0.0), 0x1.fffffffffffffp63),
                           gs_gen_hash(r));
    }
    case GS_DIST_ZIPF:
        return gs_gen_pair(gs_gen_zipf(gs_gen_hash(r)) << 32 | (r >> 32), r & 0xffff);
    case GS_DIST_POISSON:
        return gs_gen_pair((uint64_t)fmax(0.0, rint(1e6 + 1e3 * gs_gen_normal(r))), 0);
    case GS_DIST_SORTED: return gs_gen_pair(i * stride, i);
    case GS_DIST_DESCENDING: return gs_gen_pair((count - 1 - i) * stride, count - i);
    case GS_DIST_STRETCHES: return gs_gen_stretch(i, count);
    case GS_DIST_EQUAL:
        return gs_gen_pair(UINT64_C(0x0123456789abcdef), UINT64_C(0xfedcba9876543210));
    case GS_DIST_FEW: return gs_gen_pair(gs_gen_hash(r % GS_FEW_VALUES), 5);
    case GS_DIST_HUNDREDS: return gs_gen_pair(gs_gen_hash(r % GS_HUNDREDS_VALUES), 5);
    case GS_DIST_GAPS:
        return gs_gen_pair(gs_gen_zipf(gs_gen_hash(r)) << 32 | (r >> 40), r & 0xffff);
    case GS_DIST_CLUMPS:
        return gs_gen_pair(gs_gen_hash(r >> 44) + (r & 0xff), r & 0xff00);
    case GS_DIST_SCALES:
        return gs_gen_pair(r >> (gs_gen_hash(r) % 64),
                           gs_gen_hash(~r) >> (gs_gen_hash(r) >> 58));
    case GS_DIST_UNIFORM:
    case GS_DIST_COUNT:
    default: return gs_gen_pair(r, gs_gen_hash(r));
    }
}

/* The value of key number i. */
GS_GEN uint32_t gs_gen_value(uint64_t seed, uint64_t i, bool is_random)
{
    return is_random ? (uint32_t)gs_gen_hash(i ^ seed) : (uint32_t)i;
}

/* Of a record: for u64 with a value, {key >> 32, key << 32 | value}. */
GS_GEN uint64_t gs_gen_record_hash(gs_u128 a, bool is_wide)
{
    const uint64_t middle = is_wide ? a.hi << 32 | a.lo >> 32 : 0;
    uint64_t sum = gs_gen_hash(gs_gen_hash(a.lo) + gs_gen_hash(~middle));
    if (is_wide)
        sum += gs_gen_hash(a.hi ^ gs_gen_hash(a.lo));
    return sum;
}

#endif
