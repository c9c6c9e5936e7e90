/* SPDX-License-Identifier: MIT */
/*
 * Zipf numbers: the first ranks, which are the frequent ones, and Poisson numbers come
 * from a table of the distribution function, searched from where a guide points:
 *
 *      guide    0      |      1      |      2      | ...     by the top bits of x
 *               v             v             v
 *      limits   l0   l1   l2   l3 l4 l5 l6 l7 ...            the first above x is drawn
 *
 * The other ranks come by rejection-inversion (Hörmann and Derflinger, 1996): the chances
 * 1/k^s lie under the curve x^-s, whose integral H can be inverted; a point under the
 * curve picks k, and is refused when it lies outside k's bar, which is rare. No table, so
 * any number of ranks.
 */
#include "lib/data/gen_dist.h"

#include <math.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/data/gen_math.h"

GS_GEN_EXACT_MATH

enum {
    GUIDE_BITS = 16,
    GUIDE_COUNT = 1 << GUIDE_BITS,
    ZIPF_TABLE_MAX = 1 << 16,
};

static const char *const names[] = {"uniform",  "gaussian", "zipf",  "poisson", "sorted",
                                    "reversed", "almost",   "equal", "few"};
_Static_assert(sizeof names / sizeof *names == GS_GEN_SHAPE_COUNT, "a name each");

const char *gs_gen_shape_name(gs_gen_shape shape)
{
    return (unsigned)shape < GS_GEN_SHAPE_COUNT ? names[shape] : NULL;
}

/* The integral of x^-s, and its inverse. */
static double zipf_h(const gs_gen_dist *d, double x)
{
    const double log_x = gs_gen_log(x);
    if (d->one_minus_s == 0)
        return log_x;
    return (gs_gen_exp(d->one_minus_s * log_x) - 1.0) / d->one_minus_s;
}

static double zipf_h_inverse(const gs_gen_dist *d, double y)
{
    if (d->one_minus_s == 0)
        return gs_gen_exp(y);
    double base = 1.0 + d->one_minus_s * y;
    if (base < 1e-300)
        base = 1e-300;
    return gs_gen_exp(gs_gen_log(base) / d->one_minus_s);
}

static double zipf_weight(const gs_gen_dist *d, double x)
{
    return gs_gen_exp(-d->options.exponent * gs_gen_log(x));
}

/* Makes limits and guide from chances in any unit. The last limit stands for `rest`
 * too, which is the chance of what is not in the table. */
static gs_code table_init(gs_gen_dist *d, const double *chance, size_t count, double rest,
                          gs_status *st)
{
    GS_TRY(gs_mem_new(&d->limits, (count + 1) * sizeof *d->limits, "chance table", st));
    GS_TRY(gs_mem_new(&d->guide, GUIDE_COUNT * sizeof *d->guide, "chance guide", st));
    d->limit_count = count;
    double total = rest, sum = 0;
    for (size_t i = 0; i < count; i++)
        total += chance[i];
    for (size_t i = 0; i < count; i++) {
        sum += chance[i];
        const double part = sum / total * 0x1p64;
        d->limits[i] = part < 0x1p64 ? (uint64_t)part : UINT64_MAX;
    }
    d->limits[count] = UINT64_MAX; /* what is not in the table */
    size_t at = 0;
    for (uint64_t x = 0; x < GUIDE_COUNT; x++) {
        while (at < count && d->limits[at] <= x << (64 - GUIDE_BITS))
            at++;
        d->guide[x] = (uint32_t)at;
    }
    return GS_OK;
}

/* The place drawn by x: limit_count stands for what is not in the table. */
static size_t table_find(const gs_gen_dist *d, uint64_t x)
{
    size_t at = d->guide[x >> (64 - GUIDE_BITS)];
    while (at < d->limit_count && d->limits[at] <= x)
        at++;
    return at;
}

static gs_code zipf_init(gs_gen_dist *d, gs_status *st)
{
    const uint64_t distinct = d->options.distinct;
    d->one_minus_s = 1.0 - d->options.exponent;
    if (d->one_minus_s < 1e-9 && d->one_minus_s > -1e-9)
        d->one_minus_s = 0;
    const size_t count = distinct < ZIPF_TABLE_MAX ? (size_t)distinct : ZIPF_TABLE_MAX;
    double *chance = NULL;
    GS_TRY(gs_mem_new(&chance, count * sizeof(double), "zipf chances", st));
    for (size_t i = 0; i < count; i++)
        chance[i] = zipf_weight(d, (double)(i + 1));
    /* The curve between the bars' edges; past the table it is as good as their sum. */
    const double edge = (double)count + 0.5;
    d->h_first = zipf_h(d, edge);
    d->h_last = zipf_h(d, (double)distinct + 0.5);
    const double bar = (double)count + 1.0;
    d->shortcut = bar - zipf_h_inverse(d, zipf_h(d, bar + 0.5) - zipf_weight(d, bar));
    const double rest = distinct > count ? d->h_last - d->h_first : 0;
    const gs_code code = table_init(d, chance, count, rest, st);
    gs_mem_free(chance);
    return code;
}

static uint64_t zipf_draw(const gs_gen_dist *d, gs_gen_random *random)
{
    const size_t at = table_find(d, gs_gen_next(random));
    if (at < d->limit_count)
        return at;
    const uint64_t distinct = d->options.distinct;
    for (;;) {
        const double u = d->h_last + gs_gen_unit(random) * (d->h_first - d->h_last);
        const double x = zipf_h_inverse(d, u);
        uint64_t k = (uint64_t)(x + 0.5);
        if (k <= d->limit_count)
            k = d->limit_count + 1;
        if (k > distinct)
            k = distinct;
        const double whole = (double)k;
        if (whole - x <= d->shortcut ||
            u >= zipf_h(d, whole + 0.5) - zipf_weight(d, whole))
            return k - 1;
    }
}

static gs_code poisson_init(gs_gen_dist *d, gs_status *st)
{
    const double mean = d->options.mean;
    const double reach = 12.0 * sqrt(mean) + 40.0; /* beyond it chances are below 2^-64 */
    const uint64_t mode = (uint64_t)mean;
    d->first = mean > reach ? (uint64_t)(mean - reach) : 0;
    const size_t middle = (size_t)(mode - d->first), count = middle + (size_t)reach;
    double *chance = NULL;
    GS_TRY(gs_mem_new(&chance, count * sizeof(double), "poisson chances", st));
    chance[middle] = 1.0;
    for (size_t i = middle; i + 1 < count; i++)
        chance[i + 1] = chance[i] * mean / (double)(d->first + i + 1);
    for (size_t i = middle; i > 0; i--)
        chance[i - 1] = mean > 0 ? chance[i] * (double)(d->first + i) / mean : 0;
    const gs_code code = table_init(d, chance, count, 0, st);
    gs_mem_free(chance);
    return code;
}

/* A standard normal number, by Marsaglia's polar method. */
static double normal_draw(gs_gen_random *random)
{
    for (;;) {
        const double a = 2.0 * gs_gen_unit(random) - 1.0;
        const double b = 2.0 * gs_gen_unit(random) - 1.0;
        const double s = a * a + b * b;
        if (s < 1.0 && s > 0.0)
            return a * sqrt(-2.0 * gs_gen_log(s) / s);
    }
}

static uint64_t full_range(const gs_gen_dist *d, uint64_t x)
{
    return d->options.range == 0 ? x : gs_gen_scale(x, d->options.range);
}

static uint64_t gaussian_draw(const gs_gen_dist *d, gs_gen_random *random)
{
    for (;;) {
        const double z = normal_draw(random);
        if (z >= 8.0 || z < -8.0)
            continue;
        /* 0 .. 2^64, the middle at 2^63 and the deviation 2^60. */
        const int64_t offset = (int64_t)(z * 0x1p60);
        return full_range(d, (uint64_t)offset + (UINT64_C(1) << 63));
    }
}

static uint64_t ordered_draw(const gs_gen_dist *d, gs_gen_random *random, uint64_t index)
{
    if (d->stride > 0)
        return index * d->stride + gs_gen_below(random, d->stride);
    return (uint64_t)((gs_gen_u128)index * d->options.range / d->options.count);
}

static gs_code tables_init(gs_gen_dist *d, gs_status *st)
{
    switch (d->options.shape) {
    case GS_GEN_ZIPF: return zipf_init(d, st);
    case GS_GEN_POISSON: return poisson_init(d, st);
    case GS_GEN_UNIFORM:
    case GS_GEN_GAUSSIAN:
    case GS_GEN_SORTED:
    case GS_GEN_REVERSED:
    case GS_GEN_ALMOST:
    case GS_GEN_EQUAL:
    case GS_GEN_FEW:
    case GS_GEN_SHAPE_COUNT: break;
    }
    return GS_OK;
}

gs_code gs_gen_dist_init(gs_gen_dist *dist, const gs_gen_dist_options *options,
                         gs_status *st)
{
    *dist = (gs_gen_dist){.options = *options};
    const uint64_t count = options->count > 0 ? options->count : 1;
    dist->options.count = count;
    /* 2^64 does not fit, one less does as well here. */
    dist->stride = (options->range == 0 ? UINT64_MAX : options->range) / count;
    dist->equal = full_range(dist, gs_gen_mix(options->seed + 1));
    const double part = options->disorder * 0x1p64;
    dist->disorder_limit = part < 0x1p64 ? (uint64_t)part : UINT64_MAX;
    if (dist->options.distinct == 0)
        dist->options.distinct = 1;
    const gs_code code = tables_init(dist, st);
    if (code != GS_OK)
        gs_gen_dist_release(dist);
    return code;
}

void gs_gen_dist_release(gs_gen_dist *dist)
{
    gs_mem_free(dist->limits);
    gs_mem_free(dist->guide);
    dist->limits = NULL;
    dist->guide = NULL;
}

uint64_t gs_gen_dist_draw(const gs_gen_dist *dist, gs_gen_random *random, uint64_t index)
{
    const gs_gen_dist_options *const o = &dist->options;
    switch (o->shape) {
    case GS_GEN_UNIFORM: return full_range(dist, gs_gen_next(random));
    case GS_GEN_GAUSSIAN: return gaussian_draw(dist, random);
    case GS_GEN_ZIPF: return zipf_draw(dist, random);
    case GS_GEN_POISSON: return dist->first + table_find(dist, gs_gen_next(random));
    case GS_GEN_SORTED: return ordered_draw(dist, random, index);
    case GS_GEN_REVERSED: return ordered_draw(dist, random, o->count - 1 - index);
    case GS_GEN_ALMOST:
        if (gs_gen_next(random) < dist->disorder_limit)
            return full_range(dist, gs_gen_next(random));
        return ordered_draw(dist, random, index);
    case GS_GEN_EQUAL: return dist->equal;
    case GS_GEN_FEW: {
        const uint64_t which = gs_gen_below(random, o->distinct);
        if (o->range != 0 && o->distinct >= o->range)
            return which % o->range;
        return full_range(dist, gs_gen_mix(gs_gen_mix(o->seed + 1) ^ (which + 1)));
    }
    case GS_GEN_SHAPE_COUNT: break;
    }
    gs_assert_failed("shape", __FILE__, __LINE__);
    return 0;
}
