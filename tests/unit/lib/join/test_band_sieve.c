/* SPDX-License-Identifier: MIT */
/*
 * band_sieve: no number that has a partner is lost, whatever the band, the numbers and
 * the portions in which they come; of numbers that are far from all others few stay.
 */
#include <stdlib.h>

#include "lib/join/band_sieve.h"
#include "tests/check.h"

enum { NUMBERS = 3000, PORTION = 700 };

static const gs_join_number one = 1000000000000000000;

static gs_join_number draw(uint64_t *state, gs_join_number width)
{
    gs_join_number n =
        (gs_join_number)check_random(state) << 62 | check_random(state) >> 2;
    return n % (2 * width + 1) - width;
}

static int compare(const void *a, const void *b)
{
    const gs_join_number x = *(const gs_join_number *)a, y = *(const gs_join_number *)b;
    return (x > y) - (x < y);
}

static gs_band_sieve *make(gs_join_number low, gs_join_number high, size_t bytes,
                           gs_join_number *right, size_t count)
{
    gs_status st = {.code = GS_OK};
    gs_band_sieve *s;
    REQUIRE_OK(gs_band_sieve_new(&s, low, high, bytes, &st), &st);
    for (size_t i = 0; i < count; i++)
        gs_band_sieve_note(s, right[i]);
    qsort(right, count, sizeof *right, compare);
    gs_band_sieve_span(s);
    uint64_t next = 0;
    for (size_t i = 0; i < count; i++) {
        next = i % PORTION == 0 ? 0 : next;
        gs_band_sieve_mark(s, right[i], &next);
    }
    gs_band_sieve_end(s);
    return s;
}

static void partners_are_not_lost(uint64_t *state)
{
    static gs_join_number right[NUMBERS];
    static const gs_join_number widths[] = {1, 1000, INT64_MAX};
    for (unsigned round = 0; round < 300; round++) {
        const gs_join_number width = widths[round % 3] * (round % 2 ? one : one / 1000);
        const gs_join_number a = draw(state, width) / 4, b = draw(state, width) / 4;
        const gs_join_number low = a < b ? a : b, high = a < b ? b : a;
        const size_t count = check_random(state) % NUMBERS;
        for (size_t i = 0; i < count; i++)
            right[i] = draw(state, width);
        gs_band_sieve *const s =
            make(low, high, check_random(state) % 20000, right, count);
        for (size_t i = 0; i < count; i++) {
            const gs_join_number r = right[check_random(state) % count];
            const gs_join_number inside = high - low > 0 ? draw(state, high - low) : 0;
            const gs_join_number step = inside < 0 ? -inside : inside;
            CHECK(gs_band_sieve_may_have(s, r - low) &&
                  gs_band_sieve_may_have(s, r - high));
            CHECK(gs_band_sieve_may_have(s, r - low - step));
        }
        gs_band_sieve_free(s);
    }
}

static void few_others_stay(uint64_t *state)
{
    static gs_join_number right[NUMBERS];
    const gs_join_number far = 1000000 * one;
    for (size_t i = 0; i < NUMBERS; i++)
        right[i] = draw(state, far);
    gs_band_sieve *s = make(-one, one, 8 * NUMBERS, right, NUMBERS);
    unsigned stay = 0;
    for (unsigned i = 0; i < NUMBERS; i++)
        stay += gs_band_sieve_may_have(s, draw(state, far));
    CHECK(s->is_of_use && stay < NUMBERS / 10);
    CHECK(!gs_band_sieve_may_have(s, 2 * far) && !gs_band_sieve_may_have(s, -2 * far));
    gs_band_sieve_free(s);
    s = make(-far / 1000, far / 1000, 8 * NUMBERS, right, NUMBERS);
    CHECK(!s->is_of_use); /* nearly all have partners */
    gs_band_sieve_free(s);
    s = make(-one, one, 100, right, 0);
    CHECK(s->is_of_use && !gs_band_sieve_may_have(s, 0));
    gs_band_sieve_free(s);
}

int main(void)
{
    uint64_t state = check_seed(33);
    partners_are_not_lost(&state);
    few_others_stay(&state);
    return check_failures > 0;
}
