/* SPDX-License-Identifier: MIT */
/*
 * number_text: a value that is read as its neighbour, or taken for a number when it is
 * none, makes every answer about a stream wrong, and nobody would see it.
 */
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "lib/stream/number_text.h"
#include "tests/check.h"

static bool read_as(gs_number_type type, const char *text, uint64_t *key)
{
    uint8_t room[6000] = {0};
    const size_t bytes = strlen(text);
    REQUIRE(bytes + GS_NUMBER_SLACK <= sizeof room);
    memcpy(room, text, bytes);
    memset(room + bytes, '7', GS_NUMBER_SLACK); /* what stands behind does not count */
    return gs_number_parse_text(type, room, bytes, key);
}

static void expect_double(const char *text)
{
    uint64_t key = 0;
    const double want = strtod(text, NULL);
    if (!read_as(GS_NUMBER_F64, text, &key) ||
        gs_number_as_double(GS_NUMBER_F64, key) != want) {
        fprintf(stderr, "'%s' is not read as %.17g\n", text, want);
        CHECK(false);
    }
}

/* Random texts of every length, with points and exponents, and those that lie at the
 * border between two doubles. */
static void doubles_are_what_strtod_says(void)
{
    uint64_t random = check_seed(1);
    for (unsigned i = 0; i < check_often(400000); i++) {
        char text[80];
        const uint64_t bits = check_random(&random), how = check_random(&random);
        const uint64_t small = bits >> (how >> 8 & 63);
        double any;
        memcpy(&any, &bits, sizeof any);
        if (isnan(any) || isinf(any))
            any = 1.5;
        const int digits = (int)(how >> 16 & 15) + 4;
        switch (how % 7) {
        case 0: (void)snprintf(text, sizeof text, "%" PRIu64, small); break;
        case 1:
            (void)snprintf(text, sizeof text, "-%" PRIu64 ".%" PRIu64, small >> 40,
                           bits >> 20);
            break;
        case 2: (void)snprintf(text, sizeof text, "%.*g", digits, any); break;
        case 3:
            (void)snprintf(text, sizeof text, "%.*f", digits,
                           (double)(bits >> 11) * 0x1p-53);
            break;
        case 4:
            (void)snprintf(text, sizeof text, "%" PRIu64 "e%d", small,
                           (int)(how >> 32) % 40);
            break;
        case 5:
            (void)snprintf(text, sizeof text, "0.%0*d%" PRIu64, digits, 0, small);
            break;
        default: /* half-way between two doubles, and just beside */
            (void)snprintf(text, sizeof text, "%" PRIu64,
                           ((UINT64_C(1) << 53) + (bits >> 12)) * 2 + 1 + how / 7 % 3);
        }
        expect_double(text);
    }
}

static void odd_texts(void)
{
    static const char *const good[] = {"0",
                                       "-0",
                                       "+5",
                                       ".5",
                                       "5.",
                                       "1e5",
                                       "1E+5",
                                       "1e-400",
                                       "inf",
                                       "-infinity",
                                       "00000000000000000001",
                                       "0.000000000000000000000000000000001",
                                       "123456789012345678901234567890",
                                       "4.9e-324",
                                       "1.7976931348623157e308",
                                       " 7 ",
                                       "8\r"};
    static const char *const bad[] = {
        "",     "-",     ".",   "+",   "e5",  "1e",  "1e+", "nan", "-nan", "1.2.3", "1 2",
        "0x10", "1e999", "12a", "a12", "--1", "1,5", "/",   ":",   "1:",   "\"1\""};
    uint64_t key;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
        expect_double(good[i]);
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        if (read_as(GS_NUMBER_F64, bad[i], &key)) {
            fprintf(stderr, "'%s' is taken for a number\n", bad[i]);
            CHECK(false);
        }
    }
    char text[5001];
    memset(text, '1', sizeof text - 1);
    text[5000] = '\0';
    CHECK(!read_as(GS_NUMBER_F64, text, &key)); /* too large a number */
    text[100] = '\0';
    expect_double(text);
}

/* What is written with more digits than strtod() is given: half-way between two doubles
 * with zeros behind it, and a last digit that is or is not one. */
static void long_texts(void)
{
    enum { LONG = 5500, WRITTEN = 1200 };
    uint64_t random = check_seed(7), key;
    char text[LONG + 1];
    for (unsigned i = 0; i < check_often(2000); i++) {
        const uint64_t bits = check_random(&random), how = check_random(&random);
        const double low = (double)(bits >> 11) * (how & 1 ? 0x1p-60 : 0x1p-1074);
        const double high = nextafter(low, INFINITY);
        const long double half = (long double)low + ((long double)high - low) / 2;
        char written[WRITTEN + 40];
        (void)snprintf(written, sizeof written, "%.*Lf", WRITTEN, half);
        (void)snprintf(text, sizeof text, "%s%s", how & 2 ? "-" : "", written);
        const size_t bytes = strlen(text);
        memset(text + bytes, '0', LONG - bytes);
        text[LONG] = '\0';
        if (how & 4)
            text[bytes + (how >> 8) % (LONG - bytes)] = '1';
        if (how & 8)
            (void)snprintf(text + LONG - 12, 12, "e%d", (int)(how >> 32) % 300);
        expect_double(text);
    }
    static const char *const ends[] = {"", ".", "e-5000", "1e-5200", ".5E-5000", "e+00"};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++) {
        for (int digit = '0'; digit <= '1'; digit++) {
            memset(text, '0', sizeof text);
            text[0] = digit == '1' ? '1' : '.';
            (void)snprintf(text + 5001, sizeof text - 5001, "%s", ends[i]);
            if (strtod(text, NULL) < INFINITY && (text[0] != '.' || *ends[i] != '.'))
                expect_double(text);
            else
                CHECK(!read_as(GS_NUMBER_F64, text, &key));
        }
    }
    memset(text, '1', 5000);
    static const char *const bad[] = {".1.", "e", "e+",   "e1x", "x",
                                      " 1",  "-", "e1.5", "n"};
    text[1] = '.';
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        (void)snprintf(text + 5000, sizeof text - 5000, "%s", bad[i]);
        CHECK(!read_as(GS_NUMBER_F64, text, &key));
    }
    memset(text, '0', 5000);
    text[5000] = '\0';
    expect_double(text);
}

static void expect_whole(gs_number_type type, const char *text, bool is_good)
{
    uint64_t key;
    char back[GS_NUMBER_TEXT_BYTES];
    CHECK(read_as(type, text, &key) == is_good);
    if (!is_good)
        return;
    gs_number_print(type, key, back);
    CHECK(strcmp(back, text) == 0);
}

static void integers(void)
{
    expect_whole(GS_NUMBER_U64, "18446744073709551615", true);
    expect_whole(GS_NUMBER_U64, "18446744073709551616", false);
    expect_whole(GS_NUMBER_U64, "99999999999999999999", false);
    expect_whole(GS_NUMBER_U64, "-1", false);
    expect_whole(GS_NUMBER_I64, "9223372036854775807", true);
    expect_whole(GS_NUMBER_I64, "9223372036854775808", false);
    expect_whole(GS_NUMBER_I64, "-9223372036854775808", true);
    expect_whole(GS_NUMBER_I64, "-9223372036854775809", false);
    expect_whole(GS_NUMBER_I64, "1.5", false);
    expect_whole(GS_NUMBER_U32, "4294967295", true);
    expect_whole(GS_NUMBER_U32, "4294967296", false);
    expect_whole(GS_NUMBER_U64, "", false);
    uint64_t key;
    CHECK(read_as(GS_NUMBER_U64, "000000000000000000000000042", &key) && key == 42);
}

/* Keys compare as numbers do, and come back; so do binary numbers. */
static void keys_keep_the_order(void)
{
    static const double values[] = {-INFINITY, -DBL_MAX, -1.5, -1,  -DBL_MIN, 0,
                                    DBL_MIN,   1,        1.5,  3e9, DBL_MAX,  INFINITY};
    const size_t count = sizeof values / sizeof *values;
    uint64_t keys[sizeof values / sizeof *values];
    size_t bad = 0;
    CHECK(gs_number_parse_binary(GS_NUMBER_F64, (const uint8_t *)values, count, keys,
                                 &bad));
    for (size_t i = 0; i < count; i++) {
        CHECK(gs_number_as_double(GS_NUMBER_F64, keys[i]) == values[i]);
        CHECK(i == 0 || keys[i - 1] < keys[i]);
        char text[GS_NUMBER_TEXT_BYTES];
        gs_number_print(GS_NUMBER_F64, keys[i], text);
        CHECK(strtod(text, NULL) == values[i]);
    }
    CHECK(gs_number_of_double(-0.0) == gs_number_of_double(0.0));
    const double nan[] = {1, NAN, NAN};
    CHECK(!gs_number_parse_binary(GS_NUMBER_F64, (const uint8_t *)nan, 3, keys, &bad));
    CHECK(bad == 1);
    const int64_t whole[] = {INT64_MIN, -1, 0, 1, INT64_MAX};
    CHECK(gs_number_parse_binary(GS_NUMBER_I64, (const uint8_t *)whole, 5, keys, &bad));
    for (size_t i = 1; i < 5; i++)
        CHECK(keys[i - 1] < keys[i]);
    const uint32_t small[] = {7, UINT32_MAX};
    CHECK(gs_number_parse_binary(GS_NUMBER_U32, (const uint8_t *)small, 2, keys, &bad));
    CHECK(keys[0] == 7 && keys[1] == UINT32_MAX);
}

int main(void)
{
    doubles_are_what_strtod_says();
    odd_texts();
    long_texts();
    integers();
    keys_keep_the_order();
    return check_result();
}
