/* SPDX-License-Identifier: MIT */
#include "lib/index/format/interpolate.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

#include "lib/base/assertion.h"

void gs_bits_put(gs_bit_writer *w, uint64_t x, unsigned bits)
{
    gs_assert(bits <= GS_BITS_MAX && x >> bits == 0);
    w->word |= x << w->used;
    w->used += bits;
    const uint64_t stored = htole64(w->word);
    memcpy(w->to, &stored, sizeof stored);
    const unsigned whole = w->used / 8;
    w->to += whole;
    w->word = whole == 8 ? 0 : w->word >> (8 * whole);
    w->used %= 8;
}

uint8_t *gs_bits_end(gs_bit_writer *w)
{
    if (w->used > 0)
        *w->to++ = (uint8_t)w->word;
    w->word = w->used = 0;
    return w->to;
}

/* The bits from here on, at least GS_BITS_MAX of them; they are read once, whoever else
 * writes to them. */
static inline uint64_t peek(const gs_bit_reader *r)
{
    const uint64_t bytes = (uint64_t)(r->end - r->begin), at = r->at / 8;
    uint64_t word = 0;
    if (__builtin_expect(at < bytes, 1))
        memcpy(&word, r->begin + at, sizeof word);
    __asm__("" : "+r"(word));
    return le64toh(word) >> (r->at % 8);
}

static inline uint64_t low_bits(uint64_t x, unsigned bits)
{
    return x & ((UINT64_C(1) << bits) - 1);
}

uint64_t gs_bits_get(gs_bit_reader *r, unsigned bits)
{
    gs_assert(bits <= GS_BITS_MAX);
    const uint64_t x = low_bits(peek(r), bits);
    r->at += bits;
    return x;
}

/* One of r choices: `short_count` of them, those in the middle, have a bit less than the
 * others. Choices are numbered from the first of those on. */
typedef struct choices {
    uint64_t short_count, first;
    unsigned bits;
} choices;

static inline choices choices_of(uint64_t r)
{
    const unsigned bits = 64 - (unsigned)__builtin_clzll(r - 1);
    const uint64_t short_count = (UINT64_C(1) << bits) - r;
    return (choices){short_count, (r - short_count) / 2, bits};
}

static void put_choice(gs_bit_writer *w, uint64_t x, uint64_t r)
{
    if (r == 1)
        return;
    const choices c = choices_of(r);
    const uint64_t number = x >= c.first ? x - c.first : x + r - c.first;
    if (number < c.short_count) {
        gs_bits_put(w, number, c.bits - 1);
        return;
    }
    gs_bits_put(w, (number + c.short_count) >> 1, c.bits - 1);
    gs_bits_put(w, (number + c.short_count) & 1, 1);
}

static inline uint64_t get_choice(gs_bit_reader *reader, uint64_t r)
{
    if (r == 1)
        return 0;
    const choices c = choices_of(r);
    const uint64_t word = peek(reader);
    uint64_t number = low_bits(word, c.bits - 1);
    const bool is_long = number >= c.short_count;
    if (is_long)
        number = (number << 1 | (word >> (c.bits - 1) & 1)) - c.short_count;
    reader->at += c.bits - 1 + is_long;
    number += c.first;
    return number >= r ? number - r : number;
}

void gs_interpolate_put(gs_bit_writer *w, const uint64_t *numbers, size_t count,
                        uint64_t low, uint64_t high)
{
    if (count == 0 || high - low + 1 == count)
        return;
    const size_t below = count / 2, above = count - below - 1;
    const uint64_t least = low + below, most = high - above, middle = numbers[below];
    gs_assert(least <= middle && middle <= most);
    put_choice(w, middle - least, most - least + 1);
    if (below > 0)
        gs_interpolate_put(w, numbers, below, low, middle - 1);
    if (above > 0)
        gs_interpolate_put(w, numbers + below + 1, above, middle + 1, high);
}

void gs_interpolate_get(gs_bit_reader *r, uint64_t *numbers, size_t count, uint64_t low,
                        uint64_t high)
{
    if (high - low + 1 == count) { /* also a count of 0, mostly */
        for (size_t i = 0; i < count; i++)
            numbers[i] = low + i;
        return;
    }
    if (count == 0)
        return;
    const size_t below = count / 2, above = count - below - 1;
    const uint64_t least = low + below, most = high - above;
    const uint64_t middle = least + get_choice(r, most - least + 1);
    numbers[below] = middle;
    if (below > 0)
        gs_interpolate_get(r, numbers, below, low, middle - 1);
    if (above > 0)
        gs_interpolate_get(r, numbers + below + 1, above, middle + 1, high);
}
