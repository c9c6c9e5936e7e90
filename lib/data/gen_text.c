/* SPDX-License-Identifier: MIT */
#include "lib/data/gen_text.h"

#include <string.h>

#include "lib/base/assertion.h"

bool gs_gen_alphabet_init(gs_gen_alphabet *alphabet, const char *symbols)
{
    bool has[256] = {false};
    alphabet->count = 0;
    for (const char *p = symbols; *p; p++) {
        if (has[(uint8_t)*p] || alphabet->count == GS_GEN_ALPHABET_MAX)
            return false;
        has[(uint8_t)*p] = true;
        alphabet->count++;
    }
    if (alphabet->count == 0)
        return false;
    size_t n = 0;
    for (unsigned c = 0; c < 256; c++)
        if (has[c])
            alphabet->symbols[n++] = (uint8_t)c;
    for (size_t i = 0; i < 4096; i++) {
        const size_t pair = i * n * n >> 12;
        alphabet->pairs[i][0] = alphabet->symbols[pair / n];
        alphabet->pairs[i][1] = alphabet->symbols[pair % n];
    }
    return true;
}

uint8_t *gs_gen_put_random(uint8_t *to, size_t bytes, const gs_gen_alphabet *alphabet,
                           gs_gen_random *random)
{
    for (size_t at = 0; at < bytes; at += 10) {
        uint64_t bits = gs_gen_next(random);
        for (size_t i = 0; i < 10; i += 2, bits >>= 12)
            memcpy(to + at + i, alphabet->pairs[bits & 4095], 2);
    }
    return to + bytes;
}

uint8_t *gs_gen_put_fraction(uint8_t *to, size_t digits, const gs_gen_alphabet *alphabet,
                             uint64_t x)
{
    for (size_t i = 0; i < digits; i++) {
        const gs_gen_u128 product = (gs_gen_u128)x * alphabet->count;
        to[i] = alphabet->symbols[(uint64_t)(product >> 64)];
        x = (uint64_t)product;
    }
    return to + digits;
}

/*
 * Ranks fall into classes by length. Inside a class the index is multiplied by a factor
 * that shares no divisor with 26, modulo 26^length, which maps no two to the same word.
 */
uint8_t *gs_gen_put_term(uint8_t *to, uint64_t rank)
{
    static const struct {
        uint64_t first, words, factor;
        unsigned letters;
    } classes[] = {
        {0, 676, 417, 2},
        {30, 17576, 10861, 3},
        {530, 456976, 282427, 4},
        {4000, 11881376, 7343095, 5},
        {20000, 308915776, 190920451, 6},
        {80000, 8031810176, 4963931697, 7},
        {250000, 208827064576, 129062224123, 8},
        {1000000, 5429503678976, 42000000037, 9},
        {10000000, 141167095653376, 6100000001, 10},
        {1000000000, 95428956661682176, 58978338930919381, 12},
    };
    const unsigned last = sizeof classes / sizeof classes[0] - 1;
    unsigned c = last;
    while (rank < classes[c].first)
        c--;
    const uint64_t index = rank - classes[c].first + 1;
    uint64_t code;
    if (c < last) /* chosen so that the product fits */
        code = index * classes[c].factor % classes[c].words;
    else
        code = (uint64_t)((gs_gen_u128)index * classes[c].factor % classes[c].words);
    unsigned i = classes[c].letters;
    for (; i > 1; i -= 2, code /= 676) {
        const uint32_t pair = (uint32_t)(code % 676);
        to[i - 2] = (uint8_t)('a' + pair / 26);
        to[i - 1] = (uint8_t)('a' + pair % 26);
    }
    if (i == 1)
        to[0] = (uint8_t)('a' + code);
    return to + classes[c].letters;
}

uint8_t *gs_gen_put_decimal(uint8_t *to, uint64_t x)
{
    uint8_t digits[GS_GEN_DECIMAL_BYTES_MAX];
    size_t n = sizeof digits;
    for (; x >= 100; x /= 100) {
        const uint32_t pair = (uint32_t)(x % 100);
        digits[--n] = (uint8_t)('0' + pair % 10);
        digits[--n] = (uint8_t)('0' + pair / 10);
    }
    if (x >= 10) {
        digits[--n] = (uint8_t)('0' + x % 10);
        x /= 10;
    }
    digits[--n] = (uint8_t)('0' + x);
    memcpy(to, digits + n, sizeof digits - n);
    return to + (sizeof digits - n);
}

uint8_t *gs_gen_put_padded(uint8_t *to, uint64_t x, unsigned digits)
{
    for (unsigned i = digits; i > 0; i--, x /= 10)
        to[i - 1] = (uint8_t)('0' + x % 10);
    return to + digits;
}

uint8_t *gs_gen_put_string(uint8_t *to, const char *text)
{
    const size_t n = strlen(text);
    memcpy(to, text, n);
    return to + n;
}
