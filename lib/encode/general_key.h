/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * general_key: numbers as strtold reads them (-g) as byte strings in their order, where
 * long double has a mantissa of 64 bits.
 *
 *      10                     not a number at all
 *      20                     not-a-number with a minus before it
 *      21                     another not-a-number, whatever else stands in it
 *      30 80                  zero of either sign
 *      30 81 | exponent + 2^30 as u32 | mantissa in [0.5, 1) as u64
 *      30 82                  infinity
 *      30 and the rest complemented: negative
 *
 * A decimal is digits * 10^q. Of the digits the first 38 are taken, as a number of 128
 * bits, which is multiplied by the powers of ten that q is made of, each rounded down to
 * 128 bits. All that is cut off on the way comes to less than 128 of the last bits:
 *
 *      m          the 128 bits           m + 128
 *      |------------------|-----------------|
 *            what the text says is in here
 *
 * Mostly both ends round to the same 64 bits, which then are those of the text. Otherwise
 * the digits are divided by the power of ten if that is small, which cuts nothing off. What
 * is still undecided has more than 38 digits, or a large q, and is within 2^-57 of the
 * middle between two numbers: the cores ask strtold, and a device leaves it to them.
 */
/* clang-format on */
#ifndef GS_LIB_ENCODE_GENERAL_KEY_H
#define GS_LIB_ENCODE_GENERAL_KEY_H

#include "lib/encode/key_writer.h"

__extension__ typedef unsigned __int128 gs_wide;

typedef enum gs_general_kind {
    GS_GENERAL_NONE, /* no number at all */
    GS_GENERAL_NAN,
    GS_GENERAL_ZERO,
    GS_GENERAL_FINITE,
    GS_GENERAL_INFINITE,
    GS_GENERAL_UNDECIDED,
} gs_general_kind;

typedef struct gs_general {
    gs_general_kind kind;
    bool is_negative;
    int32_t exponent;  /* of a finite one: mantissa * 2^(exponent - 64), */
    uint64_t mantissa; /* whose highest bit is set */
} gs_general;

enum {
    GS_GENERAL_DIGITS = 38, /* that 128 bits hold */
    GS_GENERAL_ERROR = 128, /* of the last bits, if anything was cut off */
    GS_GENERAL_EXPONENT_MAX = 16384,
    GS_GENERAL_EXPONENT_MIN = -16381, /* less: fewer bits of mantissa */
    GS_GENERAL_FIVES = 27,            /* 5^27 is the last below 2^63 */
    GS_GENERAL_POWERS = 13,           /* 10^(2^0) .. 10^(2^12) */
    GS_GENERAL_EXACT_POWERS = 6,      /* of these, not of their inverses */
};

/* m * 2^(exponent - 128), whose highest bit is set; or a little more. */
typedef struct gs_scaled {
    gs_wide m;
    int64_t exponent;
    bool is_exact;
} gs_scaled;

GS_BOTH unsigned gs_wide_zeros(gs_wide x)
{
    const uint64_t high = (uint64_t)(x >> 64), low = (uint64_t)x;
#ifdef __CUDA_ARCH__
    return high != 0 ? (unsigned)__clzll((long long)high)
                     : 64 + (unsigned)__clzll((long long)low);
#else
    return high != 0 ? (unsigned)__builtin_clzll(high)
                     : 64 + (unsigned)__builtin_clzll(low);
#endif
}

GS_BOTH void gs_scaled_take(gs_scaled *s, gs_wide x, int64_t exponent)
{
    const unsigned zeros = gs_wide_zeros(x);
    s->m = x << zeros;
    s->exponent = exponent + 128 - zeros;
    s->is_exact = true;
}

/* --- powers of ten ------------------------------------------------------------------ */

typedef struct gs_general_power {
    uint64_t high, low;
    int64_t exponent;
} gs_general_power;

/* 10^(2^k), or its inverse. */
GS_BOTH gs_general_power gs_general_power_of(unsigned k, bool is_inverse)
{
    static const gs_general_power powers[2][GS_GENERAL_POWERS] = {
        {{0xa000000000000000, 0x0000000000000000, 4},
         {0xc800000000000000, 0x0000000000000000, 7},
         {0x9c40000000000000, 0x0000000000000000, 14},
         {0xbebc200000000000, 0x0000000000000000, 27},
         {0x8e1bc9bf04000000, 0x0000000000000000, 54},
         {0x9dc5ada82b70b59d, 0xf020000000000000, 107},
         {0xc2781f49ffcfa6d5, 0x3cbf6b71c76b25fb, 213},
         {0x93ba47c980e98cdf, 0xc66f336c36b10137, 426},
         {0xaa7eebfb9df9de8d, 0xddbb901b98feeab7, 851},
         {0xe319a0aea60e91c6, 0xcc655c54bc5058f8, 1701},
         {0xc976758681750c17, 0x650d3d28f18b50ce, 3402},
         {0x9e8b3b5dc53d5de4, 0xa74d28ce329ace52, 6804},
         {0xc46052028a20979a, 0xc94c153f804a4a92, 13607}},
        {{0xcccccccccccccccc, 0xcccccccccccccccc, -3},
         {0xa3d70a3d70a3d70a, 0x3d70a3d70a3d70a3, -6},
         {0xd1b71758e219652b, 0xd3c36113404ea4a8, -13},
         {0xabcc77118461cefc, 0xfdc20d2b36ba7c3d, -26},
         {0xe69594bec44de15b, 0x4c2ebe687989a9b3, -53},
         {0xcfb11ead453994ba, 0x67de18eda5814af2, -106},
         {0xa87fea27a539e9a5, 0x3f2398d747b36224, -212},
         {0xddd0467c64bce4a0, 0xac7cb3f6d05ddbde, -425},
         {0xc0314325637a1939, 0xfa911155fefb5308, -850},
         {0x9049ee32db23d21c, 0x7132d332e3f204d4, -1700},
         {0xa2a682a5da57c0bd, 0x87a601586bd3f698, -3401},
         {0xceae534f34362de4, 0x492512d4f2ead2cb, -6803},
         {0xa6dd04c8d2ce9fde, 0x2de38123a1c3cffc, -13606}},
    };
    return powers[is_inverse][k];
}

GS_BOTH void gs_scaled_multiply(gs_scaled *s, unsigned k, bool is_inverse)
{
    const gs_general_power p = gs_general_power_of(k, is_inverse);
    const uint64_t high = (uint64_t)(s->m >> 64), low = (uint64_t)s->m;
    const gs_wide a = (gs_wide)high * p.high, b = (gs_wide)high * p.low,
                  c = (gs_wide)low * p.high, d = (gs_wide)low * p.low;
    const gs_wide middle = (d >> 64) + (uint64_t)b + (uint64_t)c;
    gs_wide top = a + (b >> 64) + (c >> 64) + (middle >> 64);
    gs_wide rest = middle << 64 | (uint64_t)d;
    s->exponent += p.exponent;
    if (top >> 127 == 0) {
        top = top << 1 | rest >> 127;
        rest <<= 1;
        s->exponent--;
    }
    s->m = top;
    s->is_exact = s->is_exact && rest == 0 && k < GS_GENERAL_EXACT_POWERS && !is_inverse;
}

/* digits * 10^q */
GS_BOTH void gs_scaled_power(gs_scaled *s, gs_wide digits, int64_t q)
{
    gs_scaled_take(s, digits, 0);
    const uint64_t powers = (uint64_t)(q < 0 ? -q : q);
    for (unsigned k = 0; powers >> k != 0; k++) {
        if ((powers >> k & 1) != 0)
            gs_scaled_multiply(s, k, q < 0);
    }
}

/* digits / 10^n. What does not come out even leaves a bit behind, far below those of the
 * mantissa; returns whether it did come out even. */
GS_BOTH_CALLED bool gs_scaled_divide(gs_scaled *s, gs_wide digits, unsigned n)
{
    uint64_t fives = 1;
    for (unsigned i = 0; i < n; i++)
        fives *= 5;
    const unsigned zeros = gs_wide_zeros(digits);
    const gs_wide shifted = digits << zeros, quotient = shifted / fives;
    gs_scaled_take(s, quotient, -(int64_t)zeros - (int64_t)n);
    const bool is_even = quotient * fives == shifted;
    s->m |= !is_even;
    return is_even;
}

/* With digits that were not taken it is more than they say, if that was exact. */
GS_BOTH void gs_scaled_more(gs_scaled *s, bool has_more)
{
    s->m |= has_more && s->is_exact;
    s->is_exact = s->is_exact && !has_more;
}

/* --- rounding ----------------------------------------------------------------------- */

/* To the nearest number, and to an even one of two. */
GS_BOTH void gs_general_round(gs_general *g, const gs_scaled *s)
{
    int64_t drop = 64; /* bits; of small numbers more */
    g->kind = GS_GENERAL_ZERO;
    if (s->exponent < GS_GENERAL_EXPONENT_MIN)
        drop += GS_GENERAL_EXPONENT_MIN - s->exponent;
    if (drop > 128) {
        const gs_wide beyond = drop == 129 && !s->is_exact ? GS_GENERAL_ERROR : 0;
        if (s->m + beyond < s->m)
            g->kind = GS_GENERAL_UNDECIDED;
        return;
    }
    const gs_wide half = (gs_wide)1 << (drop - 1);
    const gs_wide low = s->m & (half - 1 + half);
    const unsigned error = s->is_exact ? 0 : GS_GENERAL_ERROR;
    gs_wide kept = drop == 128 ? 0 : s->m >> drop;
    if (low <= half && low + error >= half && !s->is_exact) {
        g->kind = GS_GENERAL_UNDECIDED;
        return;
    }
    kept += low > half || (low == half && (kept & 1) != 0);
    if (kept == 0)
        return;
    gs_scaled rounded;
    gs_scaled_take(&rounded, kept, s->exponent - 128 + drop);
    g->kind = rounded.exponent > GS_GENERAL_EXPONENT_MAX ? GS_GENERAL_INFINITE
                                                         : GS_GENERAL_FINITE;
    g->mantissa = (uint64_t)(rounded.m >> 64);
    g->exponent = (int32_t)rounded.exponent;
}

/* --- reading ------------------------------------------------------------------------ */

GS_BOTH unsigned gs_general_lower(const uint8_t *p, const uint8_t *end)
{
    return p < end ? *p | 0x20u : 0;
}

/* The value of a hexadecimal digit; 16: it is none. */
GS_BOTH unsigned gs_general_hex(const uint8_t *p, const uint8_t *end)
{
    if (p >= end)
        return 16;
    if (gs_text_is_digit(*p))
        return *p - (unsigned)'0';
    const unsigned lower = *p | 0x20u;
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 16;
}

/* What stands behind an `e` or `p` at text; 0 if that is no exponent. */
GS_BOTH int64_t gs_general_exponent(const uint8_t *text, const uint8_t *end,
                                    unsigned letter)
{
    const int64_t most = (int64_t)1 << 40; /* more than a text has digits */
    if (gs_general_lower(text, end) != letter)
        return 0;
    text++;
    const bool is_negative = text < end && *text == '-';
    text += text < end && (*text == '-' || *text == '+');
    int64_t value = 0;
    for (; text < end && gs_text_is_digit(*text); text++) {
        if (value < most)
            value = 10 * value + (*text - '0');
    }
    return is_negative ? -value : value;
}

/* Behind the 0x. */
GS_BOTH_CALLED void gs_general_read_hex(const uint8_t *text, const uint8_t *end,
                                        gs_general *g)
{
    gs_wide bits = 0;
    int64_t exponent = 0;
    bool has_point = false, has_more = false;
    for (;; text++) {
        const unsigned digit = gs_general_hex(text, end);
        if (digit == 16) {
            if (has_point || text >= end || *text != '.')
                break;
            has_point = true;
            continue;
        }
        if (bits >> 120 == 0) {
            bits = bits << 4 | digit;
            exponent -= has_point ? 4 : 0;
        } else {
            has_more |= digit != 0;
            exponent += has_point ? 0 : 4;
        }
    }
    g->kind = GS_GENERAL_ZERO;
    if (bits == 0)
        return;
    gs_scaled s;
    gs_scaled_take(&s, bits, exponent + gs_general_exponent(text, end, 'p'));
    s.m |= has_more;
    gs_general_round(g, &s);
}

GS_BOTH void gs_general_read_decimal(const uint8_t *text, const uint8_t *end,
                                     gs_general *g)
{
    gs_wide wide = 0; /* of the first digits, until there are more than a word holds */
    uint64_t digits = 0, scale = 1;
    int64_t q = 0;
    unsigned count = 0;
    bool has_point = false, has_more = false;
    for (; text < end; text++) {
        const unsigned digit = *text - (unsigned)'0';
        if (digit > 9) {
            if (has_point || *text != '.')
                break;
            has_point = true;
            continue;
        }
        if (count == GS_GENERAL_DIGITS) {
            has_more |= digit != 0;
            q += has_point ? 0 : 1;
            continue;
        }
        if (count == GS_GENERAL_DIGITS / 2) {
            wide = digits;
            digits = 0;
        }
        digits = 10 * digits + digit;
        scale = count >= GS_GENERAL_DIGITS / 2 ? 10 * scale : 1;
        count += count > 0 || digit != 0;
        q -= has_point ? 1 : 0;
    }
    g->kind = GS_GENERAL_ZERO;
    if (count == 0)
        return;
    wide = wide * scale + digits;
    q += gs_general_exponent(text, end, 'e');
    /* Less than half of the least, or more than the greatest. */
    if (q + count <= -4951)
        return;
    g->kind = GS_GENERAL_INFINITE;
    if (q + count > 4933)
        return;
    gs_scaled s;
    gs_scaled_power(&s, wide, q);
    gs_scaled_more(&s, has_more);
    gs_general_round(g, &s);
    if (g->kind != GS_GENERAL_UNDECIDED || q >= 0)
        return;
    for (; q < 0 && wide % 10 == 0; q++)
        wide /= 10;
    if (-q > GS_GENERAL_FIVES)
        return;
    const bool is_even = gs_scaled_divide(&s, wide, (unsigned)-q);
    gs_scaled_more(&s, has_more);
    if (is_even || !has_more)
        gs_general_round(g, &s);
}

/* The number that a text begins with, as strtold finds it. */
GS_BOTH_CALLED void gs_general_read(const uint8_t *text, const uint8_t *end,
                                    gs_general *g)
{
    while (text < end && (*text == ' ' || (*text >= '\t' && *text <= '\r')))
        text++;
    g->is_negative = text < end && *text == '-';
    text += text < end && (*text == '-' || *text == '+');
    g->kind = GS_GENERAL_NONE;
    g->exponent = 0;
    g->mantissa = 0;
    if (text == end)
        return;
    const unsigned first = gs_general_lower(text, end),
                   second = gs_general_lower(text + 1, end);
    if (gs_text_is_digit(*text) ||
        (*text == '.' && text + 1 < end && gs_text_is_digit(text[1]))) {
        if (*text == '0' && second == 'x')
            gs_general_read_hex(text + 2, end, g);
        else
            gs_general_read_decimal(text, end, g);
        return;
    }
    const unsigned third = gs_general_lower(text + 2, end);
    if (first == 'i' && second == 'n' && third == 'f')
        g->kind = GS_GENERAL_INFINITE;
    if (first == 'n' && second == 'a' && third == 'n')
        g->kind = GS_GENERAL_NAN;
}

/* --- the string --------------------------------------------------------------------- */

enum {
    GS_GENERAL_STRING_NONE = 0x10, /* first bytes */
    GS_GENERAL_STRING_NAN = 0x20,
    GS_GENERAL_STRING_NUMBER = 0x30,
    GS_GENERAL_STRING_ZERO = 0x80, /* second ones */
    GS_GENERAL_STRING_FINITE = 0x81,
    GS_GENERAL_STRING_INFINITE = 0x82,
};

/* Of one that is decided. */
GS_BOTH void gs_general_put(const gs_general *g, gs_key_writer *w)
{
    if (g->kind == GS_GENERAL_NONE) {
        gs_key_put(w, GS_GENERAL_STRING_NONE);
        return;
    }
    if (g->kind == GS_GENERAL_NAN) {
        gs_key_put(w, GS_GENERAL_STRING_NAN + !g->is_negative);
        return;
    }
    const unsigned mask = w->mask;
    gs_key_put(w, GS_GENERAL_STRING_NUMBER);
    w->mask ^= g->is_negative && g->kind != GS_GENERAL_ZERO ? 0xffu : 0u;
    if (g->kind == GS_GENERAL_ZERO) {
        gs_key_put(w, GS_GENERAL_STRING_ZERO);
    } else if (g->kind == GS_GENERAL_INFINITE) {
        gs_key_put(w, GS_GENERAL_STRING_INFINITE);
    } else {
        gs_key_put(w, GS_GENERAL_STRING_FINITE);
        gs_key_put_u64((uint32_t)(g->exponent + (1 << 30)), 4, w);
        gs_key_put_u64(g->mantissa, 8, w);
    }
    w->mask = mask;
}

#endif
