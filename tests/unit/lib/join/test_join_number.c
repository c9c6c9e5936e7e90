/* SPDX-License-Identifier: MIT */
/*
 * join_number: texts against digits that are added one by one; strings are in the order
 * of the numbers, none is the beginning of another, and they give the number back.
 */
#include <string.h>

#include "lib/base/mem.h"
#include "lib/join/join_number.h"
#include "lib/sort/key/keys.h"
#include "tests/check.h"

static const int64_t one = 1000000000000000000;

static bool parse(const char *text, gs_join_number *out)
{
    return gs_join_number_parse((const uint8_t *)text, strlen(text), out);
}

static void texts_are_numbers(void)
{
    static const struct {
        const char *text;
        int64_t whole, rest; /* in units, of the same sign */
    } cases[] = {
        {"0", 0, 0},
        {"-0", 0, 0},
        {" +7\t", 7, 0},
        {"007.50", 7, one / 2},
        {"-7.5", -7, -one / 2},
        {".5", 0, one / 2},
        {"5.", 5, 0},
        {"1e3", 1000, 0},
        {"1E+3", 1000, 0},
        {"2.5e-1", 0, one / 4},
        {"0.000000000000000000000025e22", 0, one / 4},
        {"25000000000000000000000e-22", 2, one / 2},
        {"0e99999999999999999999", 0, 0},
        {"1e-99999999999999999999", 0, 0},
        {"0.0000000000000000004", 0, 0},
        {"0.0000000000000000005", 0, 1},
        {"-0.0000000000000000005", 0, -1},
        {"0.9999999999999999995", 1, 0},
        {"9223372036854775807.999999999999999999", INT64_MAX, 999999999999999999},
        {"-9223372036854775808", INT64_MIN, 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        gs_join_number got = 0;
        CHECK(parse(cases[i].text, &got));
        CHECK(got == (gs_join_number)cases[i].whole * one + cases[i].rest);
    }
}

static void others_are_none(void)
{
    static const char *const texts[] = {
        "",
        " ",
        "-",
        ".",
        "+.",
        "e1",
        "1e",
        "1e+",
        "1.2.3",
        "--1",
        "1 2",
        "0x1",
        "nan",
        "inf",
        "1,5",
        "1e1e1",
        "1e5x",
        "x",
        "9223372036854775808",
        "-9223372036854775808.000000000000000001",
        "9223372036854775807.9999999999999999999",
        "1e19",
        "1e99999999999999999999",
        "99999999999999999999",
    };
    gs_join_number got;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        CHECK(!parse(texts[i], &got));
}

static size_t digits_of(gs_join_number whole, char *to)
{
    char back[48];
    size_t n = 0;
    for (; whole > 0 || n == 0; whole /= 10)
        back[n++] = (char)('0' + (int)(whole % 10));
    for (size_t i = 0; i < n; i++)
        to[i] = back[n - 1 - i];
    return n;
}

/* A number near others, or anywhere. */
static gs_join_number draw(uint64_t *state)
{
    const int64_t wholes[] = {0,         1,         -1,
                              INT64_MIN, INT64_MAX, (int64_t)check_random(state)};
    const int64_t rests[] = {0, 1, one - 1,
                             (int64_t)(check_random(state) % (uint64_t)one)};
    return (gs_join_number)wholes[check_random(state) % 6] * one +
           rests[check_random(state) % 4];
}

/* As a text, with the point anywhere. */
static size_t write(gs_join_number number, uint64_t *state, char *text)
{
    const bool is_minus = number < 0;
    size_t n = 0;
    if (is_minus)
        text[n++] = '-';
    n += digits_of(is_minus ? -number : number, text + n);
    text[n++] = 'e';
    const unsigned zeros = (unsigned)(check_random(state) % 20);
    memmove(text + is_minus + 2 + zeros, text + is_minus, n - is_minus);
    memcpy(text + is_minus, "0.", 2);
    memset(text + is_minus + 2, '0', zeros);
    const size_t digits = n - is_minus - 1;
    n += 2 + zeros;
    const int exponent = (int)(digits + zeros) - 18;
    return n + (size_t)sprintf(text + n, "%d", exponent);
}

static void random_ones_come_back(uint64_t *state)
{
    gs_join_number last = 0;
    uint8_t last_string[GS_JOIN_NUMBER_BYTES];
    size_t last_bytes = gs_join_number_encode(last, last_string);
    for (unsigned round = 0; round < 200000; round++) {
        const gs_join_number number = draw(state);
        char text[160];
        uint8_t string[GS_JOIN_NUMBER_BYTES];
        gs_join_number got;
        const size_t text_bytes = write(number, state, text);
        CHECK(gs_join_number_parse((const uint8_t *)text, text_bytes, &got));
        CHECK(got == number);
        const size_t bytes = gs_join_number_encode(number, string);
        CHECK(gs_join_number_decode(string) == number);
        const size_t both = bytes < last_bytes ? bytes : last_bytes;
        const int order = memcmp(last_string, string, both);
        CHECK((order < 0) == (last < number) && (order > 0) == (last > number));
        last = number;
        last_bytes = bytes;
        memcpy(last_string, string, bytes);
    }
}

/* Whatever the bytes are: what is read is read within them. */
static void any_bytes_will_do(uint64_t *state)
{
    gs_status st = {.code = GS_OK};
    for (unsigned round = 0; round < 50000; round++) {
        const size_t bytes = check_random(state) % 25;
        const unsigned most = round % 3 == 0   ? 10
                              : round % 3 == 1 ? 18
                                               : 20; /* digits alone */
        uint8_t *text;
        gs_join_number got;
        REQUIRE_OK(gs_mem_new(&text, bytes, "text", &st), &st);
        for (size_t i = 0; i < bytes; i++)
            text[i] = (uint8_t) "0123456789.-+eE x\0:/"[check_random(state) % most];
        uint8_t want[GS_JOIN_NUMBER_BYTES], direct[GS_JOIN_NUMBER_BYTES];
        const bool is_number = gs_join_number_parse(text, bytes, &got);
        const size_t want_bytes = is_number ? gs_join_number_encode(got, want) : 0;
        CHECK(!is_number || memchr(text, 'x', bytes) == NULL);
        CHECK(gs_join_number_encode_text(text, bytes, direct) == want_bytes);
        CHECK(memcmp(direct, want, want_bytes) == 0);
        gs_mem_free(text);
    }
}

/* What is taken off the front is what the same digits alone are; whatever stands behind
 * them, and however the bytes behind the line look. */
static void whole_ones_are_taken(uint64_t *state)
{
    static const char other[] = ",,,, -+.e\nx\xff";
    unsigned taken = 0;
    for (unsigned round = 0; round < 50000; round++) {
        uint8_t text[20 + GS_KEY_READ_SLACK];
        const size_t bytes = check_random(state) % 20;
        const size_t digits = check_random(state) % 20;
        for (size_t i = 0; i < sizeof text; i++) {
            const char *const from = i < digits ? "0123456789" : other;
            text[i] = (uint8_t)from[check_random(state) % (i < digits ? 10 : 12)];
        }
        int64_t got = -1;
        const size_t all = digits < bytes ? digits : bytes;
        const bool ends = all == bytes || text[all] == ',';
        /* Digits behind the line: it may say no. */
        const bool must = all > 0 && all < 16 && ends && digits <= bytes;
        const bool is_taken = gs_join_number_take_whole(text, bytes, ',', &got);
        gs_join_number want = 0;
        CHECK(is_taken || !must);
        CHECK(!is_taken || (ends && all > 0));
        CHECK(!is_taken || (gs_join_number_parse(text, all, &want) &&
                            gs_join_number_of_whole(got) == want));
        uint8_t whole[GS_JOIN_NUMBER_BYTES], same[GS_JOIN_NUMBER_BYTES];
        if (is_taken)
            CHECK(gs_join_number_encode_whole(got, whole) ==
                      gs_join_number_encode(want, same) &&
                  memcmp(whole, same, sizeof(uint64_t)) == 0);
        taken += is_taken;
    }
    CHECK(taken > 5000);
}

int main(void)
{
    uint64_t state = check_seed(21);
    texts_are_numbers();
    others_are_none();
    random_ones_come_back(&state);
    any_bytes_will_do(&state);
    whole_ones_are_taken(&state);
    CHECK(gs_mem_held_bytes() == 0);
    return check_result();
}
