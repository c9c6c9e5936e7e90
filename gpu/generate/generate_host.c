/* SPDX-License-Identifier: MIT */
/*
 * generate_host: the keys of generate.h, made and checked by the CPU in host memory.
 */
#include "gpu/generate/gen_numbers.h"
#include "lib/base/assertion.h"

const char *gs_distribution_name(gs_distribution distribution)
{
    static const char *const names[] = {
        "uniform", "gaussian", "zipf",   "poisson", "sorted",   "descending", "equal",
        "few",     "gaps",     "clumps", "scales",  "hundreds", "stretches"};
    _Static_assert(sizeof names / sizeof *names == GS_DIST_COUNT, "a name each");
    gs_assert((unsigned)distribution < GS_DIST_COUNT);
    return names[distribution];
}

void gs_generate_host(gs_batch_type type, gs_distribution distribution, uint64_t seed,
                      const gs_batch *all, size_t first, size_t count)
{
    for (size_t i = first; i < first + count; i++) {
        const gs_u128 a = gs_gen_number(distribution, seed, i, all->count);
        if (type == GS_BATCH_U128)
            ((gs_u128 *)all->keys)[i] = a;
        else
            ((uint64_t *)all->keys)[i] = a.hi;
        if (type == GS_BATCH_U64_U32)
            all->values[i] = gs_gen_value(seed, i, false);
    }
}

static gs_u128 record_at(gs_batch_type type, const gs_batch *all, size_t i)
{
    if (type == GS_BATCH_U128)
        return ((const gs_u128 *)all->keys)[i];
    const uint64_t key = ((const uint64_t *)all->keys)[i];
    if (type == GS_BATCH_U64)
        return gs_gen_pair(0, key);
    return gs_gen_pair(key >> 32, key << 32 | all->values[i]);
}

void gs_fingerprint_host(gs_batch_type type, const gs_batch *all, size_t first,
                         size_t count, gs_fingerprint *out)
{
    gs_fingerprint here = {0,
                           0}; /* *out may share its cache line with another thread's */
    for (size_t i = first; i < first + count; i++) {
        const gs_u128 a = record_at(type, all, i);
        here.sum += gs_gen_record_hash(a, type != GS_BATCH_U64);
        if (i + 1 == all->count)
            continue;
        const gs_u128 next = record_at(type, all, i + 1);
        here.disorder += next.hi < a.hi || (next.hi == a.hi && next.lo < a.lo);
    }
    out->sum += here.sum;
    out->disorder += here.disorder;
}
