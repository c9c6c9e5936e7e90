/* SPDX-License-Identifier: MIT */
/*
 * How a decimal becomes the nearest double without strtod:
 *
 *      -123.4567     digits w = 1234567, exponent -4
 *
 * w and a power of ten that are both doubles without an error (w below 2^53, the power at
 * most 10^22) need one multiplication or division, which rounds once and rightly. Up to
 * 19 digits and powers up to 10^27, 5^k fits 63 bits: the product is exact in 128 bits,
 * and of the quotient 62 bits and whether there is a remainder are known, which is all
 * that rounding asks. What is longer, and rare, is left to strtod.
 *
 * Up to eight digits are looked at as one word: byte i of it, from the lowest, is digit
 * i, so a shift by the missing bytes makes leading zeros of them.
 */
#include "lib/stream/number_text.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DIGITS_MAX = 19,    /* of any value that fits 64 bits */
    EXACT_TEN_MAX = 22, /* 10^22 is a double without an error */
    FIVE_MAX = 27,      /* 5^27 < 2^63 */
    SLOW_TEXT_MAX = 4000,
    SHORT_DIGITS = 800,        /* more than a number half-way between two doubles has */
    EXPONENT_MAX = 1000000000, /* makes 0 or an infinity of what SHORT_DIGITS have */
};

__extension__ typedef unsigned __int128 gs_wide;

static const double tens[EXACT_TEN_MAX + 1] = {
    1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
    1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static const uint64_t whole_tens[9] = {1,      10,      100,      1000,     10000,
                                       100000, 1000000, 10000000, 100000000};

static const uint64_t fives[FIVE_MAX + 1] = {
    1,
    5,
    25,
    125,
    625,
    3125,
    15625,
    78125,
    390625,
    1953125,
    9765625,
    48828125,
    244140625,
    1220703125,
    UINT64_C(6103515625),
    UINT64_C(30517578125),
    UINT64_C(152587890625),
    UINT64_C(762939453125),
    UINT64_C(3814697265625),
    UINT64_C(19073486328125),
    UINT64_C(95367431640625),
    UINT64_C(476837158203125),
    UINT64_C(2384185791015625),
    UINT64_C(11920928955078125),
    UINT64_C(59604644775390625),
    UINT64_C(298023223876953125),
    UINT64_C(1490116119384765625),
    UINT64_C(7450580596923828125),
};

/* --- keys --------------------------------------------------------------------------- */

static const uint64_t SIGN = UINT64_C(1) << 63;

uint64_t gs_number_of_double(double value)
{
    uint64_t bits;
    value += 0.0; /* -0 is 0 */
    memcpy(&bits, &value, sizeof bits);
    return bits ^ ((uint64_t)((int64_t)bits >> 63) | SIGN);
}

static double double_of(uint64_t key)
{
    const uint64_t bits = key & SIGN ? key ^ SIGN : ~key;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

double gs_number_as_double(gs_number_type type, uint64_t key)
{
    switch (type) {
    case GS_NUMBER_F64: return double_of(key);
    case GS_NUMBER_I64: return (double)(int64_t)(key ^ SIGN);
    case GS_NUMBER_U64:
    case GS_NUMBER_U32:
    case GS_NUMBER_TYPE_COUNT: break;
    }
    return (double)key;
}

bool gs_number_up_to(gs_number_type type, double value, uint64_t *key)
{
    const double whole = floor(value), two_63 = 9223372036854775808.0;
    const bool is_signed = type == GS_NUMBER_I64;
    if (type == GS_NUMBER_F64) {
        *key = gs_number_of_double(value);
        return true;
    }
    if (whole < (is_signed ? -two_63 : 0))
        return false;
    if (whole >= (is_signed ? two_63 : 2 * two_63))
        *key = UINT64_MAX;
    else
        *key = is_signed ? (uint64_t)(int64_t)whole ^ SIGN : (uint64_t)whole;
    return true;
}

const char *gs_number_type_name(gs_number_type type)
{
    static const char *const names[] = {"f64", "i64", "u64", "u32"};
    _Static_assert(sizeof names / sizeof *names == GS_NUMBER_TYPE_COUNT, "a name each");
    return names[type];
}

/* --- digits ------------------------------------------------------------------------- */

static inline uint64_t load_word(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__
    word = __builtin_bswap64(word);
#endif
    return word;
}

/* 1 to 8 digits, whose word is `word`; false if one is none. */
static inline bool read_word(uint64_t word, size_t n, uint64_t *value)
{
    const unsigned missing = 64 - 8 * (unsigned)n;
    const uint64_t zeros = UINT64_C(0x3030303030303030);
    word = (word << missing) | (zeros & ((UINT64_C(1) << missing) - 1));
    const uint64_t digits = word ^ zeros;
    if (((digits + UINT64_C(0x0606060606060606)) | digits) & UINT64_C(0xf0f0f0f0f0f0f0f0))
        return false;
    uint64_t v = digits * 10 + (digits >> 8);
    v = ((v & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x000f424000000064) +
         ((v >> 16) & UINT64_C(0x000000ff000000ff)) * UINT64_C(0x0000271000000001)) >>
        32;
    *value = v;
    return true;
}

/* Up to DIGITS_MAX of them, behind *value. */
static inline bool read_digits(const uint8_t *p, size_t n, uint64_t *value)
{
    uint64_t part;
    while (n > 8) {
        if (!read_word(load_word(p), 8, &part))
            return false;
        *value = *value * whole_tens[8] + part;
        p += 8;
        n -= 8;
    }
    if (n == 0)
        return true;
    if (!read_word(load_word(p), n, &part))
        return false;
    *value = *value * whole_tens[n] + part;
    return true;
}

/* Where the first point is, or n, which is at most 24. */
static inline size_t find_point(const uint8_t *p, size_t n)
{
    const uint64_t ones = UINT64_C(0x0101010101010101), high = ones << 7;
    for (size_t i = 0; i < n; i += 8) {
        const uint64_t x = load_word(p + i) ^ ones * '.';
        const uint64_t zero = (x - ones) & ~x & high;
        if (zero != 0) {
            const size_t at = i + (size_t)__builtin_ctzll(zero) / 8;
            return at < n ? at : n;
        }
    }
    return n;
}

/* --- doubles ------------------------------------------------------------------------ */

/* 2^exponent, where that is a normal double. */
static inline double power_of_two(int exponent)
{
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double power;
    memcpy(&power, &bits, sizeof power);
    return power;
}

/* high * 2^63 / divisor, for high < 2^64 <= 2 * divisor. */
static inline uint64_t divide_wide(uint64_t high, uint64_t divisor, bool *has_rest)
{
#ifdef __x86_64__
    uint64_t quotient, rest;
    __asm__("divq %4"
            : "=a"(quotient), "=d"(rest)
            : "0"(high << 63), "1"(high >> 1), "r"(divisor)
            : "cc");
    *has_rest = rest != 0;
#else
    const gs_wide dividend = (gs_wide)high << 63;
    const uint64_t quotient = (uint64_t)(dividend / divisor);
    *has_rest = quotient * (gs_wide)divisor != dividend;
#endif
    return quotient;
}

/* w / 10^k, for w > 0 and 0 < k <= FIVE_MAX. */
static double divide_by_ten(uint64_t w, unsigned k)
{
    const uint64_t five = fives[k];
    const int w_shift = __builtin_clzll(w), five_shift = __builtin_clzll(five);
    bool has_rest;
    uint64_t quotient = divide_wide(w << w_shift, five << five_shift, &has_rest);
    /* At least 62 bits, of which 53 count: the lowest may say that more follow. */
    quotient |= has_rest;
    return (double)quotient * power_of_two(five_shift - w_shift - 63 - (int)k);
}

static bool make_double(uint64_t w, int exponent, double *value)
{
    const bool is_exact = w <= UINT64_C(1) << 53;
    if (exponent == 0 || w == 0)
        *value = (double)w;
    else if (is_exact && exponent > 0 && exponent <= EXACT_TEN_MAX)
        *value = (double)w * tens[exponent];
    else if (is_exact && exponent < 0 && exponent >= -EXACT_TEN_MAX)
        *value = (double)w / tens[-exponent];
    else if (exponent < 0 && exponent >= -FIVE_MAX)
        *value = divide_by_ten(w, (unsigned)-exponent);
    else if (exponent > 0 && exponent <= FIVE_MAX)
        *value = (double)((gs_wide)w * fives[exponent]) * power_of_two(exponent);
    else
        return false;
    return true;
}

static bool is_digit(const uint8_t *p, const uint8_t *end)
{
    return p < end && *p >= '0' && *p <= '9';
}

/* The exponent that ends a text, behind its e. */
static bool take_exponent(const uint8_t *p, const uint8_t *end, int64_t *exponent)
{
    const bool is_negative = p < end && *p == '-';
    int64_t written = 0;
    p += is_negative || (p < end && *p == '+');
    if (!is_digit(p, end))
        return false;
    for (; is_digit(p, end); p++)
        written = written < INT64_MAX / 20 ? 10 * written + (*p - '0') : written;
    *exponent += is_negative ? -written : written;
    return p == end;
}

/* A decimal of any length as one of at most SLOW_TEXT_MAX bytes that is the same double:
 * no two numbers with these digits in front have one half-way between two doubles between
 * them, so of the digits behind it counts only whether one is not 0. */
static bool shorten(const uint8_t *p, size_t bytes, char to[SLOW_TEXT_MAX + 1])
{
    const uint8_t *const end = p + bytes;
    size_t digits = 0;
    int64_t exponent = 0;
    bool has_point = false, has_digit = false, has_more = false;
    char *t = to;
    if (p < end && (*p == '-' || *p == '+'))
        *t++ = (char)*p++;
    for (; is_digit(p, end) || (p < end && *p == '.' && !has_point); p++) {
        if (*p == '.') {
            has_point = true;
            continue;
        }
        has_digit = true;
        const bool is_kept = (digits > 0 || *p != '0') && digits < SHORT_DIGITS;
        if (is_kept)
            *t++ = (char)*p;
        digits += is_kept;
        has_more |= !is_kept && *p != '0';
        /* Zeros in front and what is kept move the point, if they are behind it; what is
         * left out does, if it is before it. */
        exponent += digits < SHORT_DIGITS || is_kept ? -has_point : !has_point;
    }
    if (!has_digit ||
        (p < end && ((*p | 0x20) != 'e' || !take_exponent(p + 1, end, &exponent))))
        return false;
    *t++ = has_more ? '1' : '0';
    exponent -= 1;
    if (exponent > EXPONENT_MAX || exponent < -EXPONENT_MAX)
        exponent = exponent > 0 ? EXPONENT_MAX : -EXPONENT_MAX;
    (void)snprintf(t, (size_t)(to + SLOW_TEXT_MAX + 1 - t), "e%" PRId64, exponent);
    return true;
}

/* Whatever strtod reads, but a NaN, hexadecimal digits and what overflows. */
static bool parse_slowly(const uint8_t *text, size_t bytes, double *value)
{
    char copy[SLOW_TEXT_MAX + 1], *end = NULL;
    if (bytes == 0)
        return false;
    if (bytes > SLOW_TEXT_MAX) {
        if (!shorten(text, bytes, copy))
            return false;
        *value = strtod(copy, NULL);
        return !isinf(*value);
    }
    if (memchr(text, '\0', bytes) != NULL || memchr(text, 'x', bytes) != NULL ||
        memchr(text, 'X', bytes) != NULL)
        return false;
    memcpy(copy, text, bytes);
    copy[bytes] = '\0';
    *value = strtod(copy, &end);
    const bool says_infinite = memchr(text, 'n', bytes) || memchr(text, 'N', bytes);
    return end == copy + bytes && !isnan(*value) && (!isinf(*value) || says_infinite);
}

/* Digits with a point in them and perhaps an exponent, one by one. */
static bool parse_exponent(const uint8_t *p, const uint8_t *end, double *value)
{
    uint64_t w = 0;
    int exponent = 0, digits = 0;
    bool has_point = false, has_digit = false;
    for (; p < end && ((*p >= '0' && *p <= '9') || (*p == '.' && !has_point)); p++) {
        if (*p == '.') {
            has_point = true;
            continue;
        }
        has_digit = true;
        exponent -= has_point;
        if (w > 0 || *p > '0')
            digits++;
        if (digits > DIGITS_MAX)
            return false;
        w = 10 * w + (uint64_t)(*p - '0');
    }
    if (!has_digit)
        return false;
    if (p < end && (*p | 0x20) == 'e') {
        const bool is_negative = ++p < end && *p == '-';
        int written = 0;
        if (p < end && (*p == '-' || *p == '+'))
            p++;
        if (p == end || end - p > 4)
            return false;
        for (; p < end && *p >= '0' && *p <= '9'; p++)
            written = 10 * written + (*p - '0');
        exponent += is_negative ? -written : written;
    }
    return p == end && make_double(w, exponent, value);
}

static bool parse_double(const uint8_t *text, size_t bytes, double *value)
{
    const uint8_t *p = text, *const end = text + bytes;
    const bool is_negative = bytes > 0 && *p == '-';
    p += is_negative || (bytes > 0 && *p == '+');
    const size_t n = (size_t)(end - p);
    bool is_good = false;
    if (n > 0 && n <= DIGITS_MAX + 1) {
        const size_t point = find_point(p, n);
        const size_t behind = point < n ? n - point - 1 : 0;
        uint64_t w = 0;
        is_good = point + behind > 0 && point + behind <= DIGITS_MAX &&
                  read_digits(p, point, &w) && read_digits(end - behind, behind, &w) &&
                  make_double(w, -(int)behind, value);
    }
    if (!is_good)
        is_good = parse_exponent(p, end, value);
    if (!is_good)
        return parse_slowly(text, bytes, value);
    if (is_negative)
        *value = -*value;
    return true;
}

/* --- integers ----------------------------------------------------------------------- */

static bool parse_whole(const uint8_t *p, const uint8_t *end, uint64_t *value)
{
    if (p == end)
        return false;
    while (end - p > DIGITS_MAX && *p == '0')
        p++;
    const size_t n = (size_t)(end - p);
    const size_t first = n > DIGITS_MAX ? DIGITS_MAX : n;
    *value = 0;
    if (n > DIGITS_MAX + 1 || !read_digits(p, first, value))
        return false;
    if (n == first)
        return true;
    const uint8_t last = (uint8_t)(p[first] - '0');
    return last <= 9 && !__builtin_mul_overflow(*value, 10, value) &&
           !__builtin_add_overflow(*value, last, value);
}

static bool parse_integer(gs_number_type type, const uint8_t *p, size_t bytes,
                          uint64_t *key)
{
    const uint8_t *const end = p + bytes;
    const bool is_negative = bytes > 0 && *p == '-';
    uint64_t size = 0;
    p += is_negative || (bytes > 0 && *p == '+');
    if (!parse_whole(p, end, &size))
        return false;
    if (type == GS_NUMBER_I64) {
        if (size > SIGN - !is_negative)
            return false;
        *key = (is_negative ? 0 - size : size) ^ SIGN;
        return true;
    }
    *key = size;
    return (!is_negative || size == 0) && (type != GS_NUMBER_U32 || size <= UINT32_MAX);
}

static inline bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static inline bool parse_bare(gs_number_type type, const uint8_t *text, size_t bytes,
                              uint64_t *key)
{
    double value;
    if (type != GS_NUMBER_F64)
        return parse_integer(type, text, bytes, key);
    if (!parse_double(text, bytes, &value))
        return false;
    *key = gs_number_of_double(value);
    return true;
}

bool gs_number_parse_text(gs_number_type type, const uint8_t *text, size_t bytes,
                          uint64_t *key)
{
    while (bytes > 0 && is_blank(text[bytes - 1]))
        bytes--;
    while (bytes > 0 && is_blank(*text)) {
        text++;
        bytes--;
    }
    return parse_bare(type, text, bytes, key);
}

bool gs_number_parse_binary(gs_number_type type, const uint8_t *data, size_t count,
                            uint64_t *keys, size_t *bad)
{
    bool is_good = true;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits = 0;
        if (type == GS_NUMBER_U32) {
            for (unsigned b = 0; b < 4; b++)
                bits |= (uint64_t)data[4 * i + b] << 8 * b;
        } else {
            bits = load_word(data + 8 * i);
        }
        if (type == GS_NUMBER_F64) {
            double value;
            memcpy(&value, &bits, sizeof value);
            if (__builtin_expect(isnan(value), 0) && is_good) {
                is_good = false;
                *bad = i;
            }
            bits = gs_number_of_double(value);
        } else if (type == GS_NUMBER_I64) {
            bits ^= SIGN;
        }
        keys[i] = bits;
    }
    return is_good;
}

/* --- to text ------------------------------------------------------------------------ */

static size_t print_double(double value, char text[GS_NUMBER_TEXT_BYTES])
{
    static const double whole_max = 9007199254740992.0; /* 2^53 */
    if (fabs(value) < whole_max && value == floor(value))
        return (size_t)snprintf(text, GS_NUMBER_TEXT_BYTES, "%.0f", value + 0.0);
    int n = 0;
    for (int digits = 15; digits <= 17; digits++) {
        n = snprintf(text, GS_NUMBER_TEXT_BYTES, "%.*g", digits, value);
        if (strtod(text, NULL) == value)
            break;
    }
    return (size_t)n;
}

size_t gs_number_print(gs_number_type type, uint64_t key, char text[GS_NUMBER_TEXT_BYTES])
{
    switch (type) {
    case GS_NUMBER_F64: return print_double(double_of(key), text);
    case GS_NUMBER_I64:
        return (size_t)snprintf(text, GS_NUMBER_TEXT_BYTES, "%" PRId64,
                                (int64_t)(key ^ SIGN));
    case GS_NUMBER_U64:
    case GS_NUMBER_U32:
    case GS_NUMBER_TYPE_COUNT: break;
    }
    return (size_t)snprintf(text, GS_NUMBER_TEXT_BYTES, "%" PRIu64, key);
}
