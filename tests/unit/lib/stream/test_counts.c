/* SPDX-License-Identifier: MIT */
/*
 * count_summary, text_counts: a count that is high, or low by more than eps says, or a
 * frequent value that is not there, is wrong without a sign of it. Streams of every shape
 * in windows that are thinned out and put together, against exact counts; and how many
 * counters are held.
 */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/data/gen_dist.h"
#include "lib/stream/count_summary.h"
#include "lib/stream/nth_count.h"
#include "lib/stream/text_counts.h"
#include "tests/check.h"

enum { LENGTH = 30000, TEXT_MAX = 40 };

static int compare(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void nth_is_that_of_a_sort(void)
{
    uint64_t random = check_seed(3);
    uint64_t a[300], sorted[300];
    for (int round = 0; round < 2000; round++) {
        const size_t n = 1 + check_random(&random) % 300;
        const uint64_t range = 1 + (uint64_t)round % 40;
        for (size_t i = 0; i < n; i++)
            a[i] = sorted[i] = check_random(&random) % range;
        qsort(sorted, n, sizeof *sorted, compare);
        const size_t at = check_random(&random) % n;
        CHECK(gs_nth_largest(a, n, at) == sorted[n - 1 - at]);
    }
}

/* --- merging ------------------------------------------------------------------------ */

enum { MERGED = 700 };

/* Keys that ascend: dense, sparse, in turns far apart, and up to the greatest one. */
static size_t make_list(gs_key_count *to, size_t count, unsigned shape, uint64_t *random)
{
    uint64_t key = shape % 5 == 4 ? UINT64_MAX - 40 * count : check_random(random) % 50;
    for (size_t i = 0; i < count; i++) {
        to[i] = (gs_key_count){key, 1 + check_random(random) % 1000};
        const uint64_t far = shape % 5 == 3 && check_random(random) % 40 == 0 ? 900 : 1;
        key += far + check_random(random) % (shape % 5 == 0 ? 1 : 1 + 8 * (shape % 5));
    }
    if (shape % 7 == 6 && count > 0)
        to[count - 1].key = UINT64_MAX;
    return count;
}

/* Nothing is written behind what both have. */
static void merges_are_those_of_the_plain_one(void)
{
    uint64_t random = check_seed(5);
    gs_key_count a[MERGED], b[MERGED], plain[2 * MERGED], to[2 * MERGED + 1];
    const unsigned often = check_often(20000);
    for (unsigned i = 0; i < often; i++) {
        const bool is_short = i % 8 == 0;
        const size_t most = is_short ? 9 : MERGED;
        const size_t n = make_list(a, check_random(&random) % most, i / 8, &random);
        const size_t m = make_list(b, check_random(&random) % most, i / 56, &random);
        for (size_t k = 0; i % 3 == 0 && k < n && k < m; k++)
            b[k].key = a[k].key;
        for (size_t k = n; i % 3 == 0 && n > 0 && k < m; k++)
            b[k].key = a[n - 1].key + (k - n) + 1;
        if (i % 3 == 0 && n > 0 && m > n && a[n - 1].key > UINT64_MAX - m)
            continue;
        to[n + m] = (gs_key_count){7, 7};
        const size_t want = gs_count_merge(GS_COUNT_MERGE_PLAIN, plain, a, n, b, m);
        const size_t got = gs_count_merge(gs_count_merge_best_way(), to, a, n, b, m);
        CHECK(got == want && memcmp(to, plain, got * sizeof *to) == 0);
        CHECK(to[n + m].key == 7 && to[n + m].count == 7);
        uint64_t sum = 0;
        for (size_t k = 0; k < want; k++)
            sum += plain[k].count;
        for (size_t k = 0; k < n; k++)
            sum -= a[k].count;
        for (size_t k = 0; k < m; k++)
            sum -= b[k].count;
        CHECK(sum == 0);
        for (size_t k = 1; k < want; k++)
            CHECK(plain[k - 1].key < plain[k].key);
    }
}

/* --- numbers ------------------------------------------------------------------------ */

static void check_numbers(const gs_count_summary *s, const uint64_t *sorted, size_t n,
                          size_t counters)
{
    size_t at = 0;
    CHECK(s->values == n && s->lost * (counters + 1) <= n);
    for (size_t begin = 0; begin < n;) {
        size_t end = begin + 1;
        while (end < n && sorted[end] == sorted[begin])
            end++;
        while (at < s->count && s->entries[at].key < sorted[begin])
            at++;
        const bool is_there = at < s->count && s->entries[at].key == sorted[begin];
        const uint64_t count = is_there ? s->entries[at].count : 0;
        CHECK(count <= end - begin && count + s->lost >= end - begin);
        begin = end;
    }
    for (size_t i = 0; i < s->count; i++)
        CHECK(i == 0 || s->entries[i - 1].key < s->entries[i].key);
}

static void run_numbers(const uint64_t *values, size_t n, size_t counters, size_t window)
{
    gs_status st = {.code = GS_OK};
    gs_count_summary all = {0}, one = {0}, other = {0};
    uint64_t *copy = NULL;
    REQUIRE_OK(gs_mem_new_array(&copy, n + 1, sizeof *copy, "copy", &st), &st);
    memcpy(copy, values, n * sizeof *copy);
    for (size_t at = 0; at < n; at += window) {
        const size_t part = n - at < window ? n - at : window;
        qsort(copy + at, part, sizeof *copy, compare);
        REQUIRE_OK(gs_count_summary_take(&one, copy + at, part, &st), &st);
        REQUIRE_OK(gs_count_summary_prune(&one, counters, &st), &st);
        CHECK(one.count <= counters);
        REQUIRE_OK(gs_count_summary_merge(&other, &all, &one, &st), &st);
        REQUIRE_OK(gs_count_summary_copy(&all, &other, &st), &st);
        if (all.count > 2 * counters)
            REQUIRE_OK(gs_count_summary_prune(&all, counters, &st), &st);
        CHECK(all.count <= 2 * counters);
    }
    qsort(copy, n, sizeof *copy, compare);
    check_numbers(&all, copy, n, counters);
    gs_count_summary_rank(&all);
    for (size_t i = 1; i < all.count; i++)
        CHECK(all.entries[i - 1].count >= all.entries[i].count);
    gs_count_summary_release(&all);
    gs_count_summary_release(&one);
    gs_count_summary_release(&other);
    gs_mem_free(copy);
}

/* --- texts -------------------------------------------------------------------------- */

/* A text for a number, some of them the beginning of others, and one empty. */
static size_t text_of(uint64_t key, uint8_t text[TEXT_MAX])
{
    if (key % 1000 == 7)
        return (size_t)snprintf((char *)text, TEXT_MAX, "%llu", (unsigned long long)key);
    return key == 0
               ? 0
               : (size_t)snprintf((char *)text, TEXT_MAX, "a%llx/b%llu",
                                  (unsigned long long)key, (unsigned long long)key / 3);
}

static void check_texts(gs_text_counts *t, const uint64_t *sorted, size_t n,
                        size_t counters)
{
    uint8_t text[TEXT_MAX];
    uint64_t sum = 0, all = 0;
    CHECK(t->values == n && t->lost * (counters + 1) <= n);
    for (size_t i = 0; i < t->count; i++)
        sum += t->entries[i].count;
    for (size_t begin = 0; begin < n;) {
        size_t end = begin + 1;
        while (end < n && sorted[end] == sorted[begin])
            end++;
        const size_t bytes = text_of(sorted[begin], text);
        const uint64_t hash = gs_text_hash(text, bytes);
        uint64_t count = 0;
        for (size_t i = 0; i < t->count; i++)
            if (t->entries[i].hash == hash && t->entries[i].bytes == bytes &&
                memcmp(gs_text_counts_text(t, i), text, bytes) == 0)
                count = t->entries[i].count;
        CHECK(count <= end - begin && count + t->lost >= end - begin);
        all += count;
        begin = end;
    }
    CHECK(all == sum); /* no text that did not come */
}

static void run_texts(const uint64_t *values, size_t n, size_t counters, size_t window)
{
    gs_status st = {.code = GS_OK};
    gs_text_counts all = {0}, one = {0};
    uint8_t *texts = NULL;
    uint32_t *ends = NULL;
    uint64_t *sorted = NULL;
    REQUIRE_OK(gs_mem_new_array(&texts, window + 2, TEXT_MAX, "texts", &st), &st);
    REQUIRE_OK(gs_mem_new_array(&ends, window, sizeof *ends, "ends", &st), &st);
    REQUIRE_OK(gs_mem_new_array(&sorted, n + 1, sizeof *sorted, "copy", &st), &st);
    for (size_t at = 0; at < n; at += window) {
        const size_t part = n - at < window ? n - at : window;
        size_t bytes = 0;
        for (size_t i = 0; i < part; i++) {
            bytes += text_of(values[at + i], texts + bytes);
            ends[i] = (uint32_t)bytes;
        }
        gs_text_counts_reset(&one);
        REQUIRE_OK(gs_text_counts_add_all(&one, texts, ends, part, &st), &st);
        REQUIRE_OK(gs_text_counts_prune(&one, counters, &st), &st);
        CHECK(one.count <= counters);
        REQUIRE_OK(gs_text_counts_merge(&all, &one, &st), &st);
        if (all.count > 2 * counters)
            REQUIRE_OK(gs_text_counts_prune(&all, counters, &st), &st);
    }
    memcpy(sorted, values, n * sizeof *sorted);
    qsort(sorted, n, sizeof *sorted, compare);
    check_texts(&all, sorted, n, counters);
    gs_text_counts_rank(&all);
    for (size_t i = 1; i < all.count; i++)
        CHECK(all.entries[i - 1].count >= all.entries[i].count);
    check_texts(&all, sorted, n, counters);
    gs_text_counts_release(&all);
    gs_text_counts_release(&one);
    gs_mem_free(texts);
    gs_mem_free(ends);
    gs_mem_free(sorted);
}

/* --- streams ------------------------------------------------------------------------ */

static void every_stream(void)
{
    static const size_t counters[] = {1, 2, 10, 97, 1000, 100000};
    static const size_t windows[] = {1, 50, 1000, 4096};
    uint64_t seed = check_seed(5);
    uint64_t *values = NULL;
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_mem_new_array(&values, LENGTH, sizeof *values, "values", &st), &st);
    for (int shape = 0; shape < GS_GEN_SHAPE_COUNT + 1; shape++) {
        const size_t n = shape % 3 ? LENGTH : 777;
        gs_gen_dist dist = {0};
        const gs_gen_dist_options options = {.shape = (gs_gen_shape)shape,
                                             .seed = seed,
                                             .range = 3000,
                                             .count = n,
                                             .distinct = 300,
                                             .exponent = 1,
                                             .mean = 1000,
                                             .disorder = 0.1};
        /* Ours: each value just so often that the next window throws it out. */
        const bool is_ours = shape == GS_GEN_SHAPE_COUNT;
        if (!is_ours)
            REQUIRE_OK(gs_gen_dist_init(&dist, &options, &st), &st);
        gs_gen_random random = gs_gen_random_start(check_random(&seed), 0);
        for (size_t i = 0; i < n; i++)
            values[i] =
                is_ours ? (i % 2 ? i / 50 : 7) : gs_gen_dist_draw(&dist, &random, i);
        for (size_t c = 0; c < sizeof counters / sizeof *counters; c++) {
            const size_t w = windows[((size_t)shape + c) % 4];
            run_numbers(values, n, counters[c], w);
            if (c % 2 == (size_t)shape % 2 && w > 1 && n < LENGTH)
                run_texts(values, n, counters[c], w);
        }
        gs_gen_dist_release(&dist);
    }
    for (size_t i = 0; i < LENGTH; i++)
        values[i] = i % 3 ? i % 97 : i % 1201;
    run_texts(values, LENGTH, 300, 4096);
    run_texts(values, LENGTH, 20, 1000);
    gs_mem_free(values);
}

int main(void)
{
    nth_is_that_of_a_sort();
    merges_are_those_of_the_plain_one();
    every_stream();
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
