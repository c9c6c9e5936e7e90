/* SPDX-License-Identifier: MIT */
#include "lib/join/join_number.h"

#include <endian.h>
#include <string.h>

enum {
    DECIMALS = 18,
    WHOLE_DIGITS = 19, /* of 2^63 */
    EXPONENT_MAX = 1 << 20,
};
static const int64_t one = 1000000000000000000; /* 10^DECIMALS */

typedef struct scan {
    const uint8_t *at, *end;
} scan;

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t';
}

static bool is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* True: it was a minus. */
static bool take_sign(scan *s)
{
    const bool is_minus = s->at < s->end && *s->at == '-';
    s->at += s->at < s->end && (is_minus || *s->at == '+');
    return is_minus;
}

/* Digits, and perhaps a point: how many there are before it. */
static bool take_digits(scan *s, size_t *before_point)
{
    const uint8_t *const begin = s->at;
    size_t digits = 0;
    while (s->at < s->end && is_digit(*s->at))
        s->at++;
    digits = *before_point = (size_t)(s->at - begin);
    if (s->at == s->end || *s->at != '.')
        return digits > 0;
    for (s->at++; s->at < s->end && is_digit(*s->at); s->at++)
        digits++;
    return digits > 0;
}

/* What stands behind an e. A huge one is cut down to one that is too large as well. */
static bool take_exponent(scan *s, int64_t *exponent)
{
    const bool is_minus = take_sign(s);
    const uint8_t *const begin = s->at;
    int64_t value = 0;
    for (; s->at < s->end && is_digit(*s->at); s->at++)
        value = value < EXPONENT_MAX ? 10 * value + (*s->at - '0') : value;
    *exponent = is_minus ? -value : value;
    return s->at > begin;
}

/* Digits in [from, to), of which the first counts `place` times ten (0: ones), in units
 * of 10^-DECIMALS. False: too large. */
static bool add_up(const uint8_t *from, const uint8_t *to, int64_t place,
                   gs_join_number *sum)
{
    gs_join_number units = 0;
    for (; from < to && place >= -DECIMALS - 1; from++) {
        const int digit = *from - '0';
        if (*from == '.')
            continue;
        if (place >= WHOLE_DIGITS && digit != 0)
            return false;
        if (place == -DECIMALS - 1)
            units += digit >= 5;
        else
            units = 10 * units + digit;
        place--;
    }
    for (; place >= -DECIMALS && units > 0; place--)
        units *= 10;
    *sum = units;
    return true;
}

bool gs_join_number_parse(const uint8_t *text, size_t bytes, gs_join_number *out)
{
    scan s = {text, text + bytes};
    while (s.at < s.end && is_blank(*s.at))
        s.at++;
    while (s.at < s.end && is_blank(s.end[-1]))
        s.end--;
    const bool is_minus = take_sign(&s);
    const uint8_t *const digits = s.at;
    size_t before_point;
    int64_t exponent = 0;
    if (!take_digits(&s, &before_point))
        return false;
    const uint8_t *const digits_end = s.at;
    if (s.at < s.end && (*s.at | 0x20) == 'e') {
        s.at++;
        if (!take_exponent(&s, &exponent))
            return false;
    }
    gs_join_number units;
    const int64_t place = (int64_t)before_point - 1 + exponent;
    if (s.at < s.end || !add_up(digits, digits_end, place, &units))
        return false;
    const gs_join_number limit = -(gs_join_number)INT64_MIN * one;
    *out = is_minus ? -units : units;
    return units < limit || (is_minus && units == limit);
}

/* --- strings -------------------------------------------------------------------- */

/* `rest` is less than one. */
static size_t put(int64_t floor, uint64_t rest, uint8_t *to)
{
    const uint64_t big = htobe64((uint64_t)floor ^ (uint64_t)INT64_MIN);
    memcpy(to, &big, sizeof big);
    to[sizeof big] = rest != 0;
    if (rest == 0)
        return sizeof big + 1;
    const uint64_t big_rest = htobe64(rest);
    memcpy(to + sizeof big + 1, &big_rest, sizeof big_rest);
    return GS_JOIN_NUMBER_BYTES;
}

size_t gs_join_number_encode(gs_join_number number, uint8_t *to)
{
    gs_join_number floor = number / one;
    int64_t rest = (int64_t)(number % one);
    if (rest < 0) {
        rest += one;
        floor--;
    }
    return put((int64_t)floor, (uint64_t)rest, to);
}

static const uint64_t byte_ones = UINT64_C(0x0101010101010101);

/* Of eight digits, a byte each, the lowest first. */
static inline uint64_t eight_value(uint64_t v)
{
    v = v * 10 + (v >> 8); /* every other byte: two digits; then four, then eight */
    v = (v & UINT64_C(0x00ff00ff00ff00ff)) * 100 +
        (v >> 16 & UINT64_C(0x00ff00ff00ff00ff));
    v = (v & UINT64_C(0x0000ffff0000ffff)) * 10000 +
        (v >> 32 & UINT64_C(0x0000ffff0000ffff));
    return v & UINT32_MAX;
}

/* Eight digits at once; false if some are none. */
static bool parse_eight(const uint8_t *text, uint64_t *value)
{
    uint64_t v;
    memcpy(&v, text, sizeof v);
    v = le64toh(v) ^ '0' * byte_ones; /* digits are 0 to 9 now */
    if (((v | (v + (0x80 - 10) * byte_ones)) & 0x80 * byte_ones) != 0)
        return false;
    *value = eight_value(v);
    return true;
}

/* Most numbers are whole, have few digits and nothing else: no sums of 16 bytes for
 * them. */
static bool parse_short(const uint8_t *text, size_t bytes, int64_t *out)
{
    int64_t value = 0;
    size_t i = 0;
    if (bytes == 0 || bytes >= WHOLE_DIGITS)
        return false;
    for (uint64_t eight; i + sizeof eight <= bytes; i += sizeof eight) {
        if (!parse_eight(text + i, &eight))
            return false;
        value = 100000000 * value + (int64_t)eight;
    }
    for (; i < bytes; i++) {
        if (!is_digit(text[i]))
            return false;
        value = 10 * value + (text[i] - '0');
    }
    *out = value;
    return true;
}

/* The digits that a text begins with, up to eight: how many, and what they are. */
static inline unsigned take_eight(const uint8_t *text, uint64_t *value)
{
    const uint64_t others = 0x80 - 10;
    uint64_t v;
    memcpy(&v, text, sizeof v);
    v = le64toh(v) ^ '0' * byte_ones;
    /* The lowest bit is right, whatever carries go up from there. */
    const uint64_t bad = (v | (v + others * byte_ones)) & 0x80 * byte_ones;
    const unsigned digits = bad != 0 ? (unsigned)__builtin_ctzll(bad) / 8 : 8;
    if (digits == 0)
        return 0;
    *value = eight_value(v << 8 * (sizeof v - digits)); /* zeros in front */
    return digits;
}

bool gs_join_number_take_whole(const uint8_t *text, size_t bytes, uint8_t delimiter,
                               int64_t *out)
{
    static const int64_t powers[] = {1, 10, 100, 1000, 10000, 100000, 1000000, 10000000};
    enum { POWERS = sizeof powers / sizeof *powers };
    uint64_t value, more = 0;
    size_t digits = take_eight(text, &value);
    if (digits == POWERS) {
        const unsigned others = take_eight(text + digits, &more);
        if (others == POWERS)
            return false;
        value = value * (uint64_t)powers[others] + (others > 0 ? more : 0);
        digits += others;
    }
    if (digits == 0 || digits > bytes || (digits < bytes && text[digits] != delimiter))
        return false;
    *out = (int64_t)value;
    return true;
}

gs_join_number gs_join_number_of_whole(int64_t whole)
{
    return (gs_join_number)whole * one;
}

size_t gs_join_number_encode_whole(int64_t whole, uint8_t *to)
{
    return put(whole, 0, to);
}

size_t gs_join_number_encode_text(const uint8_t *text, size_t bytes, uint8_t *to)
{
    int64_t whole;
    gs_join_number number;
    if (parse_short(text, bytes, &whole))
        return put(whole, 0, to);
    return gs_join_number_parse(text, bytes, &number) ? gs_join_number_encode(number, to)
                                                      : 0;
}

gs_join_number gs_join_number_decode(const uint8_t *string)
{
    uint64_t big, rest = 0;
    memcpy(&big, string, sizeof big);
    if (string[sizeof big] != 0)
        memcpy(&rest, string + sizeof big + 1, sizeof rest);
    const int64_t floor = (int64_t)(be64toh(big) ^ (uint64_t)INT64_MIN);
    return (gs_join_number)floor * one + (int64_t)be64toh(rest);
}
