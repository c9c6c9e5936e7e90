/* SPDX-License-Identifier: MIT */
/*
 * join_tuple: keys of numbers of any size are in the order of the numbers, and equal
 * where these are; the number of a band is the same, or it is told that there is none;
 * text is read back as the same number.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/join/join_tuple.h"
#include "tests/check.h"

enum { ROUNDS = 40000 };

static const gs_join_number one = 1000000000000000000;

/* Writes a whole number as a field of a kind that has room for it. */
static gs_byte_key put_whole(gs_join_number value, uint64_t *state, uint8_t *to)
{
    gs_byte_key field = {.type =
                             value < 0 || (value <= INT64_MAX && check_random(state) % 2)
                                 ? GS_FIELD_SIGNED
                                 : GS_FIELD_UNSIGNED,
                         .is_little_endian = check_random(state) % 2 == 0};
    for (field.length = 1; field.length < 8; field.length *= 2) {
        const unsigned bits = 8 * (unsigned)field.length;
        const gs_join_number half = (gs_join_number)1 << (bits - 1);
        const bool fits = field.type == GS_FIELD_SIGNED ? value >= -half && value < half
                                                        : value < 2 * half;
        if (fits && check_random(state) % 2 == 0)
            break;
    }
    for (size_t i = 0; i < field.length; i++)
        to[field.is_little_endian ? i : field.length - 1 - i] =
            (uint8_t)((uint64_t)value >> 8 * i);
    return field;
}

static gs_join_number draw_whole(uint64_t *state)
{
    const gs_join_number value = check_random(state) >> check_random(state) % 64;
    return check_random(state) % 2 != 0 && value <= INT64_MAX ? -value : value;
}

static gs_byte_key put_float(double value, bool is_narrow, uint8_t *to)
{
    const float narrow = (float)value;
    if (is_narrow)
        memcpy(to, &narrow, sizeof narrow);
    else
        memcpy(to, &value, sizeof value);
    return (gs_byte_key){.type = GS_FIELD_FLOAT,
                         .length = is_narrow ? sizeof narrow : sizeof value,
                         .is_little_endian = true};
}

static int compare(const gs_byte_key *a, const uint8_t *of_a, const gs_byte_key *b,
                   const uint8_t *of_b)
{
    uint8_t key[2][GS_TUPLE_NUMBER_BYTES];
    const size_t bytes = gs_join_tuple_key(a, of_a, key[0]);
    CHECK(gs_join_tuple_key(b, of_b, key[1]) == bytes && gs_join_tuple_is_like(a, b));
    return memcmp(key[0], key[1], bytes);
}

static void whole_ones(uint64_t *state)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint8_t data[2][8];
        const gs_join_number a = draw_whole(state);
        const gs_join_number b = check_random(state) % 3 == 0 ? a : draw_whole(state);
        const gs_byte_key of_a = put_whole(a, state, data[0]);
        const gs_byte_key of_b = put_whole(b, state, data[1]);
        const int order = compare(&of_a, data[0], &of_b, data[1]);
        CHECK((order < 0) == (a < b) && (order > 0) == (a > b));
        gs_join_number got;
        const bool is_number = gs_join_tuple_number(&of_a, data[0], &got);
        CHECK(is_number == (a <= INT64_MAX) && (!is_number || got == a * one));
        char text[GS_TUPLE_TEXT_BYTES];
        CHECK(gs_join_tuple_print(&of_a, data[0], text) == strlen(text));
        CHECK(a < 0 ? strtoll(text, NULL, 10) == a
                    : (gs_join_number)strtoull(text, NULL, 10) == a);
    }
}

static void floats(uint64_t *state)
{
    for (unsigned round = 0; round < ROUNDS; round++) {
        uint8_t data[2][8];
        const bool is_narrow = check_random(state) % 2 == 0;
        const double scale = ldexp(1, (int)(check_random(state) % 100) - 50);
        double a = ((double)(check_random(state) >> 11) - 0x1p52) * scale;
        double b = check_random(state) % 3 == 0 ? a : -a * scale;
        const gs_byte_key of_a = put_float(a, is_narrow, data[0]);
        const gs_byte_key of_b = put_float(b, is_narrow, data[1]);
        if (is_narrow) {
            a = (double)(float)a;
            b = (double)(float)b;
        }
        const int order = compare(&of_a, data[0], &of_b, data[1]);
        CHECK((order < 0) == (a < b) && (order > 0) == (a > b));
        char text[GS_TUPLE_TEXT_BYTES];
        const size_t bytes = gs_join_tuple_print(&of_a, data[0], text);
        const double back = is_narrow ? (double)strtof(text, NULL) : strtod(text, NULL);
        CHECK(bytes == strlen(text) && back >= a && back <= a);
        gs_join_number got, want;
        const bool is_number = gs_join_tuple_number(&of_a, data[0], &got);
        CHECK(is_number == gs_join_number_parse((const uint8_t *)text, bytes, &want));
        CHECK(!is_number || got == want);
    }
    uint8_t data[4][8];
    const gs_byte_key zero = put_float(0, false, data[0]);
    const gs_byte_key minus = put_float(-0.0, true, data[1]);
    const gs_byte_key none = put_float((double)NAN, false, data[2]);
    const gs_byte_key other = put_float(-(double)NAN, true, data[3]);
    gs_join_number number;
    CHECK(compare(&zero, data[0], &minus, data[1]) == 0);
    CHECK(compare(&none, data[2], &other, data[3]) == 0);
    CHECK(compare(&none, data[2], &zero, data[0]) != 0);
    CHECK(!gs_join_tuple_number(&none, data[2], &number));
}

static void few_are_alike(void)
{
    const gs_byte_key u = {.type = GS_FIELD_UNSIGNED, .length = 1},
                      i = {.type = GS_FIELD_SIGNED, .length = 8},
                      f = {.type = GS_FIELD_FLOAT, .length = 8},
                      b = {.type = GS_FIELD_BYTES, .length = 8},
                      c = {.type = GS_FIELD_BYTES, .length = 7};
    CHECK(gs_join_tuple_is_like(&u, &i) && gs_join_tuple_is_like(&b, &b));
    CHECK(!gs_join_tuple_is_like(&u, &f) && !gs_join_tuple_is_like(&f, &b));
    CHECK(!gs_join_tuple_is_like(&b, &c) && !gs_join_tuple_is_like(&b, &i));
}

int main(void)
{
    uint64_t state = check_seed(51);
    whole_ones(&state);
    floats(&state);
    few_are_alike();
    return check_result();
}
