/* SPDX-License-Identifier: MIT */
/*
 * month_unit: the number of a month by its name (-M), and of a unit behind a number (-h).
 */
#ifndef GS_LIB_ENCODE_MONTH_UNIT_H
#define GS_LIB_ENCODE_MONTH_UNIT_H

#include "lib/encode/key_reader.h"

#define GS_MONTH_NAME(a, b, c) ((a) << 16 | (b) << 8 | (c))

/* The month, from 1, that a text begins with, blanks aside; 0: none. */
GS_BOTH uint8_t gs_month_of(gs_key_reader text)
{
    int name = gs_key_next(&text);
    while (name != GS_KEY_READ_ALL && gs_text_is_blank((uint8_t)name))
        name = gs_key_next(&text);
    for (unsigned i = 0; i < 3; i++) {
        const int c = i == 0 ? name : gs_key_next(&text);
        if (c == GS_KEY_READ_ALL)
            return 0;
        name = (i == 0 ? 0 : name << 8) | gs_text_upper((uint8_t)c);
    }
    switch (name) {
    case GS_MONTH_NAME('J', 'A', 'N'): return 1;
    case GS_MONTH_NAME('F', 'E', 'B'): return 2;
    case GS_MONTH_NAME('M', 'A', 'R'): return 3;
    case GS_MONTH_NAME('A', 'P', 'R'): return 4;
    case GS_MONTH_NAME('M', 'A', 'Y'): return 5;
    case GS_MONTH_NAME('J', 'U', 'N'): return 6;
    case GS_MONTH_NAME('J', 'U', 'L'): return 7;
    case GS_MONTH_NAME('A', 'U', 'G'): return 8;
    case GS_MONTH_NAME('S', 'E', 'P'): return 9;
    case GS_MONTH_NAME('O', 'C', 'T'): return 10;
    case GS_MONTH_NAME('N', 'O', 'V'): return 11;
    case GS_MONTH_NAME('D', 'E', 'C'): return 12;
    default: return 0;
    }
}

/* The rank of a unit's letter; 0 if it is none. */
GS_BOTH int gs_unit_rank(uint8_t letter)
{
    switch (letter) {
    case 'k':
    case 'K': return 1;
    case 'M': return 2;
    case 'G': return 3;
    case 'T': return 4;
    case 'P': return 5;
    case 'E': return 6;
    case 'Z': return 7;
    case 'Y': return 8;
    case 'R': return 9;
    case 'Q': return 10;
    default: return 0;
    }
}

/* The rank of the unit behind a number that a text begins with, blanks aside: negative
 * for a negative number, 0 for zero whatever its unit. With `fold`, units may be in lower
 * case. */
GS_BOTH int gs_unit_of(const uint8_t *text, const uint8_t *end, bool fold)
{
    const uint8_t *p = gs_text_skip_blanks(text, end);
    const bool is_negative = p < end && *p == '-';
    p += is_negative;
    bool is_zero = true;
    for (; p < end && gs_text_is_digit(*p); p++)
        is_zero &= *p == '0';
    if (p < end && *p == '.') {
        for (p++; p < end && gs_text_is_digit(*p); p++)
            is_zero &= *p == '0';
    }
    if (is_zero || p == end)
        return 0;
    const int rank = gs_unit_rank(fold ? gs_text_upper(*p) : *p);
    return is_negative ? -rank : rank;
}

#endif
