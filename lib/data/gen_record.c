/* SPDX-License-Identifier: MIT */
#include "lib/data/gen_record.h"

#include <string.h>

enum {
    NUMBER_AT = 12,
    NUMBER_DIGITS = 32,
    BINARY_FILLER_AT = 48,
    TEXT_FILLER_AT = 46,
    BASE = 95, /* printable characters: ' ' to '~' */
};

static const gs_gen_u128 factor =
    (gs_gen_u128)UINT64_C(0x2360ed051fc65da4) << 64 | UINT64_C(0x4385df649fccf645);
static const gs_gen_u128 addend =
    (gs_gen_u128)UINT64_C(0x4a696d4772617952) << 64 | UINT64_C(0x4950202020202001);

gs_gen_u128 gs_gen_sequence_next(gs_gen_u128 x)
{
    return x * factor + addend;
}

gs_gen_u128 gs_gen_sequence_at(gs_gen_u128 steps)
{
    /* The step x -> a x + c, taken twice, is x -> a^2 x + (a c + c): square and apply. */
    gs_gen_u128 a = factor, c = addend, x = 0;
    for (; steps != 0; steps >>= 1) {
        if (steps & 1)
            x = x * a + c;
        c = a * c + c;
        a = a * a;
    }
    return x;
}

static void put_number(uint8_t *to, uint64_t number)
{
    static const char digits[] = "0123456789ABCDEF";
    memset(to, '0', NUMBER_DIGITS);
    for (unsigned i = NUMBER_DIGITS; number != 0; i--, number >>= 4)
        to[i - 1] = (uint8_t)digits[number & 15];
}

void gs_gen_put_record(uint8_t *to, gs_gen_u128 x, uint64_t number, bool is_text)
{
    uint64_t high = (uint64_t)(x >> 64), low = (uint64_t)x;
    put_number(to + NUMBER_AT, number);
    if (is_text) {
        const uint64_t filler = low;
        for (unsigned i = 0; i < 8; i++, high /= BASE)
            to[i] = (uint8_t)(' ' + high % BASE);
        for (unsigned i = 8; i < 10; i++, low /= BASE)
            to[i] = (uint8_t)(' ' + low % BASE);
        memset(to + 10, ' ', 2);
        memset(to + NUMBER_AT + NUMBER_DIGITS, ' ', 2);
        for (unsigned i = 0; i < 13; i++)
            memset(to + TEXT_FILLER_AT + 4 * i,
                   (int)('A' + (filler >> (48 - 4 * i) & 15)), 4);
        memcpy(to + 98, "\r\n", 2);
        return;
    }
    for (unsigned i = 0; i < 8; i++)
        to[i] = (uint8_t)(high >> (56 - 8 * i));
    to[8] = (uint8_t)(low >> 56);
    to[9] = (uint8_t)(low >> 48);
    memcpy(to + 10, "\x00\x11", 2);
    memcpy(to + NUMBER_AT + NUMBER_DIGITS, "\x88\x99\xaa\xbb", 4);
    for (unsigned i = 0; i < 12; i++) {
        const unsigned digit = (unsigned)(low >> (44 - 4 * i)) & 15;
        memset(to + BINARY_FILLER_AT + 4 * i,
               (int)(digit < 10 ? '0' + digit : 'A' + digit - 10), 4);
    }
    memcpy(to + 96, "\xcc\xdd\xee\xff", 4);
}

void gs_gen_put_record_key(uint8_t *to, uint64_t value, bool is_text)
{
    if (is_text) {
        for (unsigned i = GS_GEN_RECORD_KEY_BYTES; i > 0; i--, value /= BASE)
            to[i - 1] = (uint8_t)(' ' + value % BASE);
        return;
    }
    for (unsigned i = 0; i < 8; i++)
        to[i] = (uint8_t)(value >> (56 - 8 * i));
    memset(to + 8, 0, 2);
}
