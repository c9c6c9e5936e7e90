/* SPDX-License-Identifier: MIT */
/*
 * band_sieve: no number that has a partner is lost, whatever the band and the numbers; of
 * numbers that are far from all others few stay, also where all are multiples of the same
 * one; where nearly all stay it goes to sleep, and wakes up when that changes.
 */
#include "lib/base/mem.h"
#include "lib/join/band_sieve.h"
#include "tests/check.h"

enum { NUMBERS = 3000, AT_ONCE = GS_BAND_SIEVE_NUMBERS };

static const gs_join_number one = 1000000000000000000;

static gs_join_number draw(uint64_t *state, gs_join_number width)
{
    gs_join_number n =
        (gs_join_number)check_random(state) << 62 | check_random(state) >> 2;
    return n % (2 * width + 1) - width;
}

static gs_band_sieve *make(gs_join_number low, gs_join_number high, size_t bytes,
                           const gs_join_number *numbers, size_t count)
{
    gs_status st = {.code = GS_OK};
    gs_band_sieve *s;
    REQUIRE_OK(gs_band_sieve_new(&s, low, high, bytes, &st), &st);
    for (size_t i = 0; i < count; i += AT_ONCE)
        gs_band_sieve_mark(s, numbers + i, count - i < AT_ONCE ? count - i : AT_ONCE);
    return s;
}

static size_t ask(gs_band_sieve *s, const gs_join_number *numbers, size_t count)
{
    size_t pass = 0;
    for (size_t i = 0; i < count; i += AT_ONCE) {
        const size_t n = count - i < AT_ONCE ? count - i : AT_ONCE;
        bool passes[AT_ONCE];
        gs_band_sieve_ask(s, numbers + i, n, passes);
        for (size_t k = 0; k < n; k++)
            pass += passes[k];
    }
    return pass;
}

static void partners_are_not_lost(uint64_t *state)
{
    static gs_join_number left[NUMBERS], right[3 * NUMBERS];
    static const gs_join_number widths[] = {1, 1000, INT64_MAX};
    for (unsigned round = 0; round < 300; round++) {
        const gs_join_number width = widths[round % 3] * (round % 2 ? one : one / 1000);
        const gs_join_number a = draw(state, width) / 4, b = draw(state, width) / 4;
        const bool is_point = check_random(state) % 4 == 0;
        const gs_join_number low = a < b ? a : b, high = a < b && !is_point ? b : low;
        const size_t count = check_random(state) % NUMBERS;
        for (size_t i = 0; i < count; i++) {
            const gs_join_number step = draw(state, high - low);
            left[i] = draw(state, width);
            right[3 * i] = left[i] + low;
            right[3 * i + 1] = left[i] + high;
            right[3 * i + 2] = left[i] + low + (step < 0 ? -step : step);
        }
        gs_band_sieve *const s =
            make(low, high, check_random(state) % 20000, left, count);
        CHECK(ask(s, right, 3 * count) == 3 * count);
        gs_band_sieve_free(s);
    }
}

static size_t others_that_stay(uint64_t *state, gs_join_number unit, gs_join_number half)
{
    static gs_join_number numbers[NUMBERS];
    for (size_t i = 0; i < NUMBERS; i++)
        numbers[i] = draw(state, 1000000) * unit;
    gs_band_sieve *const s = make(-half, half, 4 * NUMBERS, numbers, NUMBERS);
    for (size_t i = 0; i < NUMBERS; i++)
        numbers[i] = (draw(state, 1000000) + 3000000) * unit;
    const size_t stay = ask(s, numbers, NUMBERS);
    gs_band_sieve_free(s);
    return stay;
}

static void few_others_stay(uint64_t *state)
{
    CHECK(others_that_stay(state, one, one) < NUMBERS / 5);
    CHECK(others_that_stay(state, one, 0) < NUMBERS / 10);
    CHECK(others_that_stay(state, 1, 0) < NUMBERS / 10);
    CHECK(others_that_stay(state, (gs_join_number)1 << 40, 0) < NUMBERS / 10);
    CHECK(others_that_stay(state, one / 100, one / 7) < NUMBERS / 5);
    gs_join_number none = 0;
    gs_band_sieve *const s = make(-one, one, 100, &none, 0);
    CHECK(ask(s, &none, 1) == 0);
    gs_band_sieve_free(s);
}

static void it_sleeps_and_wakes_up(uint64_t *state)
{
    enum { ROUNDS = 40 };
    static gs_join_number same[NUMBERS], others[NUMBERS];
    for (size_t i = 0; i < NUMBERS; i++) {
        same[i] = draw(state, 1000000) * one;
        others[i] = same[i] + one / 2;
    }
    gs_band_sieve *const s = make(0, 0, 8 * NUMBERS, same, NUMBERS);
    CHECK(ask(s, others, NUMBERS) < NUMBERS / 5);
    for (unsigned i = 0; i < ROUNDS; i++)
        CHECK(ask(s, same, NUMBERS) == NUMBERS);
    CHECK(ask(s, others, NUMBERS) > NUMBERS * 3 / 4);
    for (unsigned i = 0; i < ROUNDS; i++)
        (void)ask(s, others, NUMBERS);
    CHECK(ask(s, others, NUMBERS) < NUMBERS / 5);
    gs_band_sieve_free(s);
}

int main(void)
{
    uint64_t state = check_seed(33);
    partners_are_not_lost(&state);
    few_others_stay(&state);
    it_sleeps_and_wakes_up(&state);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
