/* SPDX-License-Identifier: MIT */
/*
 * general_key: -g is what strtold says, to the last bit, without strtold. What would
 * break: texts that end where a number might go on, exponents of any size, numbers that
 * are half way between two, too small for all bits of a mantissa, or too large; and that
 * it is given up only where more than 38 digits leave it open.
 */
#include "lib/encode/general_key.h"

#include <float.h>
#include <math.h>
#include <string.h>

#include "tests/check.h"

enum { TEXT_MAX = 256, ROUNDS = 1200000 };

static uint64_t state;

static uint64_t below(uint64_t n)
{
    return check_random(&state) % n;
}

#if LDBL_MANT_DIG == 64
static gs_general by_strtold(const char *text)
{
    char *stop = NULL;
    const long double x = strtold(text, &stop);
    gs_general g = {.is_negative = signbit(x) != 0};
    if (stop == text) {
        g.kind = GS_GENERAL_NONE;
    } else if (isnan(x)) {
        g.kind = GS_GENERAL_NAN;
    } else if (x == 0) {
        g.kind = GS_GENERAL_ZERO;
    } else if (isinf(x)) {
        g.kind = GS_GENERAL_INFINITE;
    } else {
        int exponent = 0;
        const long double mantissa = frexpl(fabsl(x), &exponent);
        g.kind = GS_GENERAL_FINITE;
        g.exponent = exponent;
        g.mantissa = (uint64_t)ldexpl(mantissa, 64);
    }
    return g;
}

static gs_general read(const char *text)
{
    gs_general g;
    const uint8_t *const from = (const uint8_t *)text;
    gs_general_read(from, from + strlen(text), &g);
    return g;
}

static size_t string_of(const gs_general *g, uint8_t to[static 16])
{
    gs_key_writer w = {.to = to};
    gs_general_put(g, &w);
    return w.bytes;
}

static unsigned significant_digits(const char *text)
{
    unsigned count = 0, zeros = 0;
    for (const char *p = text; *p != '\0' && *p != 'e' && *p != 'E'; p++) {
        if (*p == '0') {
            zeros++;
        } else if (*p >= '1' && *p <= '9') {
            count += count > 0 ? 1 + zeros : 1;
            zeros = 0;
        }
    }
    return count;
}

/* Whether it was given up. */
static bool is_as_strtold(const char *text)
{
    uint8_t got[16], want[16];
    const gs_general g = read(text), s = by_strtold(text);
    if (g.kind == GS_GENERAL_UNDECIDED) {
        CHECK(significant_digits(text) > GS_GENERAL_DIGITS);
        return true;
    }
    const size_t n = string_of(&g, got), m = string_of(&s, want);
    if (n != m || memcmp(got, want, n) != 0) {
        fprintf(stderr, "'%s': kind %d of %d, exponent %d of %d, mantissa %llx of %llx\n",
                text, (int)g.kind, (int)s.kind, g.exponent, s.exponent,
                (unsigned long long)g.mantissa, (unsigned long long)s.mantissa);
        check_failures++;
    }
    return false;
}

/* --- texts -------------------------------------------------------------------------- */

static size_t put_wide(gs_wide x, char *to)
{
    char reversed[40];
    size_t n = 0;
    do {
        reversed[n++] = (char)('0' + (int)(x % 10));
        x /= 10;
    } while (x > 0);
    for (size_t i = 0; i < n; i++)
        to[i] = reversed[n - 1 - i];
    return n;
}

/* Bytes of which numbers are made, in any order. */
static void put_soup(char *to)
{
    static const char alphabet[] = "0123456789.eE+-xXpPaAfFiInNtTyY \t\v\r()_";
    const size_t n = below(24);
    for (size_t i = 0; i < n; i++)
        to[i] = alphabet[below(sizeof alphabet - 1)];
    to[n] = '\0';
}

static void put_digits(char *to)
{
    size_t n = 0;
    if (below(2))
        to[n++] = '-';
    for (uint64_t left = below(45); left > 0; left--) {
        to[n++] = (char)('0' + below(10));
        if (below(8) == 0)
            to[n++] = '.';
    }
    (void)snprintf(to + n, TEXT_MAX - n, "e%d", (int)below(10200) - 5100);
}

/* A number in full, or cut off; some with few bits, or none. */
static void put_printed(char *to)
{
    const uint64_t mantissa = check_random(&state) | UINT64_C(1) << 63;
    const long double x = ldexpl((long double)mantissa, (int)below(32900) - 16530);
    (void)snprintf(to, TEXT_MAX, "%.*Le", (int)below(70), x);
}

/* A mantissa and half of its last bit, times a power of two: half way between two. */
static void put_half_way(char *to)
{
    const gs_wide half_way = (gs_wide)(check_random(&state) | UINT64_C(1) << 63) << 1 | 1;
    if (below(2)) {
        to[put_wide(half_way << below(61), to)] = '\0';
    } else { /* the same, shifted down: so many digits behind the point */
        const unsigned places = 1 + (unsigned)below(40);
        gs_wide rest = half_way & (((gs_wide)1 << places) - 1);
        size_t n = put_wide(half_way >> places, to);
        to[n++] = '.';
        for (unsigned i = 0; i < places; i++) {
            rest *= 10;
            to[n++] = (char)('0' + (int)(rest >> places));
            rest &= ((gs_wide)1 << places) - 1;
        }
        to[n] = '\0';
    }
    if (below(2))
        strcat(to, strchr(to, '.') ? "00000" : ".00000");
    if (below(3) == 0)
        strcat(to, strchr(to, '.') ? "00000000000000000001" : ".00000000000000000001");
}

static void put_hexadecimal(char *to)
{
    static const char digits[] = "0123456789abcdefABCDEF.";
    size_t n = (size_t)snprintf(to, TEXT_MAX, "0x");
    for (uint64_t left = below(40); left > 0; left--)
        to[n++] = digits[below(left % 5 ? sizeof digits - 2 : sizeof digits - 1)];
    to[n] = '\0';
    if (below(2))
        (void)snprintf(to + n, TEXT_MAX - n, "p%d", (int)below(33200) - 16600);
}

static void any_text_is_as_strtold(void)
{
    static void (*const kinds[])(char *) = {put_soup, put_digits, put_printed,
                                            put_half_way, put_hexadecimal};
    const unsigned rounds = check_often(ROUNDS);
    unsigned given_up[5] = {0};
    for (unsigned i = 0; i < rounds && check_failures < 20; i++) {
        char text[TEXT_MAX] = "";
        kinds[i % 5](text);
        given_up[i % 5] += is_as_strtold(text);
    }
    /* A twentieth of those that are half way, of which most have few digits; no other. */
    CHECK(given_up[0] + given_up[1] + given_up[2] + given_up[4] == 0);
    CHECK(given_up[3] > 0 && given_up[3] < rounds / 5 / 4);
}

/* Ends of what there is, and texts that are almost numbers. */
static void odd_texts_are_as_strtold(void)
{
    static const char *const texts[] = {
        "1.18973149535723176502e4932",
        "1.18973149535723176508e4932",
        "1.1897314953572317651e4932",
        "2e4932",
        "1e4933",
        "1e99999999999999999999",
        "0e99999999999999999999",
        "1e-99999999999999999999",
        "3.3621031431120935063e-4932",
        "3.6451995318824746025e-4951",
        "1.8225997659412373012e-4951",
        "1.8225997659412373013e-4951",
        "5.4677992978237119037e-4951",
        "1e-4951",
        "1e-4952",
        "0x1p-16445",
        "0x1p-16446",
        "0x1.00000000000000000000001p-16446",
        "0x3p-16446",
        "0x1p16383",
        "0x1p16384",
        "0x1.ffffffffffffffffp16383",
        "0x1.fffffffffffffffep16383",
        "0x1.fffffffffffffffdp16383",
        "0x0.00000000000000000000000000000000001p140",
        "0x",
        "0x.",
        "0xp5",
        "0x.p3",
        "0xg",
        "0X1P3",
        "-0x1.8",
        "0x1p",
        "0x1p+",
        "",
        " ",
        "-",
        "+",
        ".",
        "-.",
        ".e5",
        "5.",
        ".5",
        "+.5e1",
        "1e",
        "1e+",
        "1e+x",
        "1.5.5",
        "- 5",
        "+-5",
        "1,5",
        "\v\f\r5",
        "i",
        "in",
        "inf",
        "-INFINITY",
        "infin",
        "n",
        "na",
        "nan",
        "-nan",
        "+NaN(12)",
        "nan(",
        "0",
        "-0",
        "000.000",
        "00012",
        "9223372036854775808.5",
        "9223372036854775807.5",
        "18446744073709551615.5",
        "18446744073709551616.5",
        "18446744073709551617",
        "36893488147419103234",
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        CHECK(!is_as_strtold(texts[i]));
    /* Zeros that are passed, and that count. */
    static char zeros[5000];
    memset(zeros, '0', sizeof zeros);
    memcpy(zeros, "0.", 2);
    memcpy(zeros + 4800, "1e4799", sizeof "1e4799");
    CHECK(!is_as_strtold(zeros));
    memset(zeros, '0', sizeof zeros);
    zeros[0] = '1';
    memcpy(zeros + 4800, "e-4799", sizeof "e-4799");
    CHECK(!is_as_strtold(zeros));
}

int main(void)
{
    state = check_seed(17);
    odd_texts_are_as_strtold();
    any_text_is_as_strtold();
    return check_result();
}
#else
int main(void)
{
    printf("long double has %d bits of mantissa here, and -g is by strtold\n",
           LDBL_MANT_DIG);
    return 77;
}
#endif
