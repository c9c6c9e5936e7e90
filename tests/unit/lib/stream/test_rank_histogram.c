/* SPDX-License-Identifier: MIT */
/*
 * rank_summary, rank_histogram: an answer whose rank is further away than eps says is
 * wrong without a sign of it. Every kind of stream, in every order, against exact ranks;
 * and the memory against its bound.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/data/gen_dist.h"
#include "lib/stream/rank_histogram.h"
#include "tests/check.h"

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Is `key`, of these sorted ones, within `error` of the rank, and each bound true? */
static bool is_within(const uint64_t *sorted, size_t n, const gs_rank_entry *e,
                      uint64_t rank, uint64_t error)
{
    size_t below = 0, up_to = n; /* ranks below + 1 to up_to have the key */
    for (size_t high = n; below < high;) {
        const size_t middle = below + (high - below) / 2;
        if (sorted[middle] < e->key)
            below = middle + 1;
        else
            high = middle;
    }
    for (size_t low = below; low < up_to;) {
        const size_t middle = low + (up_to - low) / 2;
        if (sorted[middle] <= e->key)
            low = middle + 1;
        else
            up_to = middle;
    }
    const bool is_there = up_to > below && e->most >= below + 1 && e->least <= up_to;
    return is_there && rank + error >= below + 1 && rank <= up_to + error;
}

static void check_answers(const gs_rank_summary *all, uint64_t *values, size_t n,
                          double eps, const char *what)
{
    const uint64_t allowed = (uint64_t)(eps * (double)n);
    bool is_good = gs_rank_summary_is_sound(all) && all->values == n;
    qsort(values, n, sizeof *values, compare);
    is_good &= all->entries[0].key == values[0];
    is_good &= all->entries[all->count - 1].key == values[n - 1];
    is_good &= gs_rank_summary_error(all) <= allowed;
    for (size_t i = 0; i <= 1000 && is_good; i++) {
        const uint64_t rank = 1 + (uint64_t)((double)(n - 1) * (double)i / 1000);
        is_good &= is_within(values, n, gs_rank_summary_at(all, rank), rank, allowed);
        uint64_t least, most;
        gs_rank_summary_bounds(all, values[rank - 1], &least, &most);
        size_t up_to = rank;
        while (up_to < n && values[up_to] == values[rank - 1])
            up_to++;
        is_good &= least <= up_to && up_to <= most && most - least <= 2 * allowed + 1;
    }
    if (!is_good) {
        fprintf(stderr, "%s: %zu values, eps %g, error %llu\n", what, n, eps,
                (unsigned long long)gs_rank_summary_error(all));
        CHECK(false);
    }
}

static void run(uint64_t *values, size_t n, double eps, size_t window, const char *what)
{
    gs_status st = {.code = GS_OK};
    gs_rank_histogram h;
    gs_rank_summary one = {0}, all = {0};
    uint64_t *copy = NULL;
    REQUIRE_OK(gs_mem_new_array(&copy, n + 1, sizeof *copy, "copy", &st), &st);
    memcpy(copy, values, n * sizeof *copy);
    gs_rank_histogram_init(&h, eps, window);
    for (size_t at = 0; at < n; at += window) {
        const size_t part = n - at < window ? n - at : window;
        qsort(copy + at, part, sizeof *copy, compare);
        REQUIRE_OK(gs_rank_summary_take(&one, copy + at, part,
                                        gs_rank_window_stride(eps, part), &st),
                   &st);
        if (part == window)
            REQUIRE_OK(gs_rank_histogram_add(&h, &one, &st), &st);
        CHECK(gs_rank_histogram_entries(&h) <=
              gs_rank_histogram_entries_max(eps, window, at + part));
    }
    const bool has_last = n % window > 0;
    REQUIRE_OK(gs_rank_histogram_all(&h, has_last ? &one : NULL, &all, &st), &st);
    check_answers(&all, copy, n, eps, what);
    /* What is left of the error is for fewer entries. */
    gs_rank_summary_shrink(&all, (uint64_t)(eps * (double)n));
    CHECK((double)all.count <= 2.5 / eps + 4 || eps * (double)n < 8);
    check_answers(&all, copy, n, eps, what);
    gs_rank_histogram_release(&h);
    gs_rank_summary_release(&one);
    gs_rank_summary_release(&all);
    gs_mem_free(copy);
}

/* Halves that come from outside to the middle, and runs that each lie within the gap that
 * the one before left. */
static uint64_t adversary(size_t i, size_t n, bool nests)
{
    if (!nests)
        return i % 2 ? i : 2 * n - i;
    const unsigned run = (unsigned)(i / (n / 16 + 1));
    return ((uint64_t)1 << 40) + ((uint64_t)i << (36 - 2 * run));
}

static void every_stream(void)
{
    static const double errors[] = {0.1, 0.03, 0.01, 1e-3, 1e-4, 1e-6};
    static const size_t windows[] = {64, 1000, 4096};
    static const size_t lengths[] = {1, 2, 63, 65, 5000, 40000};
    uint64_t seed = check_seed(7);
    uint64_t *values = NULL;
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_mem_new_array(&values, 40000, sizeof *values, "values", &st), &st);
    for (int shape = 0; shape < GS_GEN_SHAPE_COUNT + 2; shape++)
        for (size_t l = 0; l < sizeof lengths / sizeof *lengths; l++) {
            const size_t n = lengths[l];
            if (check_is_short() && n > 5000 && shape % 2 != 0)
                continue;
            gs_gen_dist dist = {0};
            const gs_gen_dist_options options = {.shape = (gs_gen_shape)shape,
                                                 .seed = seed,
                                                 .range = shape % 2 ? 1000 : 0,
                                                 .count = n,
                                                 .distinct = 300,
                                                 .exponent = 1,
                                                 .mean = 1000,
                                                 .disorder = 0.1};
            const bool is_ours = shape >= GS_GEN_SHAPE_COUNT;
            if (!is_ours)
                REQUIRE_OK(gs_gen_dist_init(&dist, &options, &st), &st);
            gs_gen_random random = gs_gen_random_start(check_random(&seed), 0);
            for (size_t i = 0; i < n; i++)
                values[i] = is_ours ? adversary(i, n, shape == GS_GEN_SHAPE_COUNT)
                                    : gs_gen_dist_draw(&dist, &random, i);
            for (size_t e = 0; e < sizeof errors / sizeof *errors; e++) {
                const size_t w = check_is_long() ? 3 : 1;
                for (size_t k = 0; k < w; k++)
                    run(values, n, errors[e], windows[(e + l + k) % 3],
                        is_ours ? "adversary" : gs_gen_shape_name((gs_gen_shape)shape));
            }
            gs_gen_dist_release(&dist);
        }
    gs_mem_free(values);
}

/* Summaries of several machines: the bound of each holds for all together. */
static void merged_summaries_keep_the_bound(void)
{
    enum { PARTS = 5, EACH = 3000 };
    uint64_t random = check_seed(11);
    static uint64_t values[PARTS * EACH];
    gs_rank_summary all = {0}, one = {0}, both = {0};
    gs_status st = {.code = GS_OK};
    const double eps = 0.01;
    for (size_t p = 0; p < PARTS; p++) {
        uint64_t *const part = values + p * EACH;
        for (size_t i = 0; i < EACH; i++)
            part[i] = check_random(&random) >> (40 + p);
        qsort(part, EACH, sizeof *part, compare);
        REQUIRE_OK(gs_rank_summary_take(&one, part, EACH, 1, &st), &st);
        gs_rank_summary_shrink(&one, (uint64_t)(eps * EACH));
        CHECK(one.count < 70);
        REQUIRE_OK(gs_rank_summary_merge(&both, &all, &one, &st), &st);
        const gs_rank_summary other = all;
        all = both;
        both = other;
    }
    check_answers(&all, values, PARTS * EACH, eps, "merged");
    gs_rank_summary_release(&all);
    gs_rank_summary_release(&one);
    gs_rank_summary_release(&both);
}

int main(void)
{
    every_stream();
    merged_summaries_keep_the_bound();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
