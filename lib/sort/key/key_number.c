/* SPDX-License-Identifier: MIT */
#include "lib/sort/key/key_number.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/sort/key/key_digits.h"
#include "lib/sort/key/key_text.h"

enum {
    HEAD_ZERO = 0x80,
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
        *to = HEAD_ZERO;
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

/* The rank of a unit letter; 0 if it is none. */
static int unit_rank(uint8_t letter)
{
    static const char letters[] = "KMGTPEZYRQ";
    if (letter == 'k')
        return 1;
    const char *const at = letter ? strchr(letters, letter) : NULL;
    return at ? (int)(at - letters) + 1 : 0;
}

size_t gs_number_encode_human(const uint8_t *text, const uint8_t *end, bool fold,
                              uint8_t *to)
{
    text = gs_text_skip_blanks(text, end);
    const uint8_t *p = text;
    const bool is_negative = p < end && *p == '-';
    p += is_negative;
    bool is_zero = true;
    for (; p < end && gs_text_is_digit(*p); p++)
        is_zero &= *p == '0';
    if (p < end && *p == '.') {
        for (p++; p < end && gs_text_is_digit(*p); p++)
            is_zero &= *p == '0';
    }
    const int rank = !is_zero && p < end ? unit_rank(fold ? gs_text_upper(*p) : *p) : 0;
    to[0] = (uint8_t)(HEAD_ZERO + (is_negative ? -rank : rank));
    return 1 + gs_number_encode_decimal(text, end, to + 1);
}

/*
 *      10                     not a number at all
 *      20                     not-a-number with a minus before it
 *      21                     another not-a-number, whatever else stands in it
 *      30 80                  zero of either sign
 *      30 81 | exponent + 2^30 as u32 | mantissa in [0.5, 1) as u64 (and u64 more where
 *              long double is that wide)
 *      30 82                  infinity
 *      30 and the rest complemented: negative
 */
static uint8_t *put_long_double(uint8_t *to, long double x)
{
    if (x == 0) {
        *to++ = HEAD_ZERO;
        return to;
    }
    if (isinf(x)) {
        *to++ = HEAD_ZERO + 2;
        return to;
    }
    int exponent = 0;
    long double mantissa = frexpl(x, &exponent);
    *to++ = GS_NUMBER_HEAD_POSITIVE;
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

size_t gs_number_encode_general(const uint8_t *text, const uint8_t *end, uint8_t *scratch,
                                uint8_t *to)
{
    enum { NOT_A_NUMBER_AT_ALL = 0x10, NAN_NEGATIVE = 0x20, NUMBER = 0x30 };
    const size_t bytes = (size_t)(end - text);
    memcpy(scratch, text, bytes);
    scratch[bytes] = '\0';
    char *stop = NULL;
    const long double x = strtold((const char *)scratch, &stop);
    if (stop == (char *)scratch) {
        to[0] = NOT_A_NUMBER_AT_ALL;
        return 1;
    }
    if (isnan(x)) {
        to[0] = NAN_NEGATIVE + !signbit(x);
        return 1;
    }
    to[0] = NUMBER;
    uint8_t *const p = put_long_double(to + 1, x < 0 ? -x : x);
    if (x < 0)
        gs_digits_complement(to + 1, p);
    return (size_t)(p - to);
}
