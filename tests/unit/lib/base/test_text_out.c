/* SPDX-License-Identifier: MIT */
/*
 * text_out: numbers must come out as printf makes them, whatever their length, also where
 * a buffer ends between or before them, and nothing may be lost or come twice.
 */
#include "lib/base/text_out.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/mem.h"
#include "tests/check.h"

enum { ROOM = 4 << 20, NUMBERS = 60000, LONGEST = 64 };

static char got[ROOM], wanted[ROOM];
static size_t got_bytes, wanted_bytes;

static gs_code take(void *context, const void *data, size_t bytes, gs_status *st)
{
    (void)context;
    (void)st;
    REQUIRE(bytes <= sizeof got - got_bytes);
    memcpy(got + got_bytes, data, bytes);
    got_bytes += bytes;
    return GS_OK;
}

static void compare(gs_text_out *out)
{
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_text_out_flush(out, &st), &st);
    CHECK(got_bytes == wanted_bytes && memcmp(got, wanted, got_bytes) == 0);
    got_bytes = wanted_bytes = 0;
}

static void one_number(gs_text_out *out, uint64_t x, char after)
{
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_text_out_number(out, x, after, &st), &st);
    wanted_bytes +=
        (size_t)snprintf(wanted + wanted_bytes, LONGEST, "%" PRIu64 "%c", x, after);
}

static void two_numbers(gs_text_out *out, char before, uint64_t x, uint64_t y)
{
    gs_status st = {.code = GS_OK};
    REQUIRE_OK(gs_text_out_two_numbers(out, before, x, ':', y, &st), &st);
    if (before != 0)
        wanted[wanted_bytes++] = before;
    wanted_bytes +=
        (size_t)snprintf(wanted + wanted_bytes, LONGEST, "%" PRIu64 ":%" PRIu64, x, y);
}

/* On both sides of every power of ten and of two. */
static void every_length(gs_text_out *out)
{
    for (unsigned base = 2; base <= 10; base += 8) {
        uint64_t power = 1;
        for (bool is_last = false; !is_last; power *= base) {
            is_last = power > UINT64_MAX / base;
            for (uint64_t x = power - 1; x <= power + 1; x++) {
                one_number(out, x, '\n');
                two_numbers(out, 0, x, power);
                two_numbers(out, ' ', 1, x);
            }
        }
    }
    for (uint64_t x = 0; x < 20000; x++)
        one_number(out, x, ' ');
    one_number(out, UINT64_MAX, '\t');
    two_numbers(out, ' ', UINT64_MAX, UINT64_MAX);
    compare(out);
}

static void random_ones(gs_text_out *out, uint64_t *seed)
{
    for (size_t i = 0; i < NUMBERS; i++) {
        const uint64_t r = check_random(seed);
        const uint64_t x = check_random(seed) >> r % 64;
        if (r >> 63 != 0)
            one_number(out, x, (char)('a' + r % 26));
        else
            two_numbers(out, (r & 64) != 0 ? ' ' : 0, x,
                        check_random(seed) >> r / 128 % 64);
    }
    compare(out);
}

int main(void)
{
    uint64_t seed = check_seed(11);
    gs_status st = {.code = GS_OK};
    gs_text_out out = {0};
    REQUIRE_OK(gs_text_out_open(&out, take, NULL, &st), &st);
    every_length(&out);
    for (int round = 0; round < 5; round++)
        random_ones(&out, &seed);
    gs_text_out_release(&out);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
