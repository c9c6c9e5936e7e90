/* SPDX-License-Identifier: MIT */
#include "lib/sort/key/key_number.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/encode/general_key.h"
#include "lib/encode/month_unit.h"
#include "lib/sort/key/key_digits.h"

enum {
    HEAD_LONG = 0x8a,
    U64_DIGITS = 19, /* always fit */
};

/* Digits of [from, end) two a byte, never 00. */
static uint8_t *put_digit_pairs(uint8_t *to, const uint8_t *from, const uint8_t *end)
{
    unsigned pair = 0; /* of the first digit */
    for (; from < end; from++) {
        const unsigned digit = *from - '0';
        if (pair > 0)
            *to++ = (uint8_t)(pair + digit);
        pair = pair > 0 ? 0 : 1 + 10 * digit;
    }
    if (pair > 0)
        *to++ = (uint8_t)pair;
    return to;
}

size_t gs_number_encode_decimal(const uint8_t *text, const uint8_t *end, uint8_t *to)
{
    text = gs_text_skip_blanks(text, end);
    const bool is_negative = text < end && *text == '-';
    text += is_negative;
    while (text < end && *text == '0')
        text++;
    const uint8_t *const integer = text;
    static const uint32_t powers[] = {1,      10,      100,      1000,     10000,
                                      100000, 1000000, 10000000, 100000000};
    uint64_t value = 0; /* of at most U64_DIGITS digits */
    for (unsigned count = 8; count == 8 && text < end; text += count) {
        const uint64_t eight = gs_digits_load(text);
        count = gs_digits_count(eight);
        if ((size_t)(end - text) < count)
            count = (unsigned)(end - text);
        if (count > 0)
            value = value * powers[count] + gs_digits_join(eight, count);
    }
    const uint64_t digits = (uint64_t)(text - integer);
    const uint8_t *const integer_end = text;
    const uint8_t *fraction = text, *fraction_end = text;
    if (text < end && *text == '.') {
        fraction = fraction_end = ++text;
        while (text < end && gs_text_is_digit(*text)) {
            if (*text++ != '0')
                fraction_end = text;
        }
    }
    if (digits == 0 && fraction == fraction_end) {
        *to = GS_NUMBER_HEAD_ZERO;
        return 1;
    }
    uint8_t *p;
    if (digits <= U64_DIGITS) {
        p = gs_digits_put_value(to, value);
    } else {
        *to = HEAD_LONG;
        p = put_digit_pairs(gs_digits_put_u64(to + 1, digits), integer, integer_end);
    }
    if (fraction < fraction_end)
        p = put_digit_pairs(p, fraction, fraction_end);
    *p++ = 0;
    if (is_negative)
        gs_digits_complement(to, p);
    return (size_t)(p - to);
}

size_t gs_number_encode_human(const uint8_t *text, const uint8_t *end, bool fold,
                              uint8_t *to)
{
    to[0] = (uint8_t)(GS_NUMBER_HEAD_ZERO + gs_unit_of(text, end, fold));
    return 1 + gs_number_encode_decimal(text, end, to + 1);
}

/* The string that lib/encode/general_key.h describes, with a u64 of mantissa more where
 * long double is that wide. */
static uint8_t *put_long_double(uint8_t *to, long double x)
{
    if (x == 0) {
        *to++ = GS_GENERAL_STRING_ZERO;
        return to;
    }
    if (isinf(x)) {
        *to++ = GS_GENERAL_STRING_INFINITE;
        return to;
    }
    int exponent = 0;
    long double mantissa = frexpl(x, &exponent);
    *to++ = GS_GENERAL_STRING_FINITE;
    const uint32_t biased = (uint32_t)(exponent + (1 << 30));
    for (unsigned i = 0; i < 4; i++)
        *to++ = (uint8_t)(biased >> (24 - 8 * i));
    mantissa = ldexpl(mantissa, 64);
    const uint64_t high = (uint64_t)mantissa;
    to = gs_digits_put_u64(to, high);
#if LDBL_MANT_DIG > 64
    to = gs_digits_put_u64(to, (uint64_t)ldexpl(mantissa - (long double)high, 64));
#endif
    return to;
}

static size_t encode_by_strtold(const uint8_t *text, const uint8_t *end, uint8_t *scratch,
                                uint8_t *to)
{
    const size_t bytes = (size_t)(end - text);
    memcpy(scratch, text, bytes);
    scratch[bytes] = '\0';
    char *stop = NULL;
    const long double x = strtold((const char *)scratch, &stop);
    if (stop == (char *)scratch) {
        to[0] = GS_GENERAL_STRING_NONE;
        return 1;
    }
    if (isnan(x)) {
        to[0] = GS_GENERAL_STRING_NAN + !signbit(x);
        return 1;
    }
    to[0] = GS_GENERAL_STRING_NUMBER;
    uint8_t *const p = put_long_double(to + 1, x < 0 ? -x : x);
    if (x < 0)
        gs_digits_complement(to + 1, p);
    return (size_t)(p - to);
}

size_t gs_number_encode_general(const uint8_t *text, const uint8_t *end, uint8_t *scratch,
                                uint8_t *to)
{
#if LDBL_MANT_DIG == 64
    gs_general g;
    gs_general_read(text, end, &g);
    if (g.kind != GS_GENERAL_UNDECIDED) {
        gs_key_writer w = {.to = to};
        gs_general_put(&g, &w);
        return w.bytes;
    }
#endif
    return encode_by_strtold(text, end, scratch, to);
}
