/* SPDX-License-Identifier: MIT */
#include "lib/index/format/interpolate.h"

#include <endian.h>
#include <stdbool.h>
#include <string.h>

#include "lib/base/assertion.h"

static inline void put(gs_bit_writer *w, uint64_t x, unsigned bits)
{
    w->word |= x << w->used;
    w->used += bits;
    const uint64_t stored = htole64(w->word);
    memcpy(w->to, &stored, sizeof stored);
    const unsigned whole = w->used / 8;
    w->to += whole;
    w->word = whole == 8 ? 0 : w->word >> (8 * whole);
    w->used %= 8;
}

void gs_bits_put(gs_bit_writer *w, uint64_t x, unsigned bits)
{
    gs_assert(bits <= GS_BITS_MAX && x >> bits == 0);
    put(w, x, bits);
}

uint8_t *gs_bits_end(gs_bit_writer *w)
{
    if (w->used > 0)
        *w->to++ = (uint8_t)w->word;
    w->word = w->used = 0;
    return w->to;
}

/* The bits from `at` on, at least GS_BITS_MAX of them; they are read once, whoever else
 * writes to them. */
static inline uint64_t peek(const uint8_t *begin, uint64_t bytes, uint64_t at)
{
    uint64_t word = 0;
    if (__builtin_expect(at / 8 < bytes, 1))
        memcpy(&word, begin + at / 8, sizeof word);
    __asm__("" : "+r"(word));
    return le64toh(word) >> (at % 8);
}

static inline uint64_t low_bits(uint64_t x, unsigned bits)
{
    return x & ((UINT64_C(1) << bits) - 1);
}

uint64_t gs_bits_get(gs_bit_reader *r, unsigned bits)
{
    gs_assert(bits <= GS_BITS_MAX);
    const uint64_t bytes = (uint64_t)(r->end - r->begin);
    const uint64_t x = low_bits(peek(r->begin, bytes, r->at), bits);
    r->at += bits;
    return x;
}

/* One of r choices, more than one: `short_count` of them, those in the middle, have a bit
 * less than the others. Choices are numbered from the first of those on. */
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

/* The low bits come first, so that a long number has its last bit above the others. */
static inline void put_choice(gs_bit_writer *w, uint64_t x, uint64_t r)
{
    const choices c = choices_of(r);
    const uint64_t number = x >= c.first ? x - c.first : x + r - c.first;
    const uint64_t more = number + c.short_count;
    uint64_t is_long = number >= c.short_count;
    __asm__("" : "+r"(is_long)); /* is foreseen half of the time: no branch */
    const uint64_t longer = more >> 1 | (more & 1) << (c.bits - 1);
    put(w, number + ((longer - number) & (0 - is_long)), c.bits - 1 + (unsigned)is_long);
}

static inline uint64_t get_choice(const uint8_t *begin, uint64_t bytes, uint64_t *at,
                                  uint64_t r)
{
    const choices c = choices_of(r);
    const uint64_t word = peek(begin, bytes, *at), number = low_bits(word, c.bits - 1);
    const uint64_t longer = (number << 1 | (word >> (c.bits - 1) & 1)) - c.short_count;
    uint64_t is_long = number >= c.short_count;
    __asm__("" : "+r"(is_long)); /* is foreseen half of the time: no branch */
    const uint64_t x = number + ((longer - number) & (0 - is_long)) + c.first;
    uint64_t is_over = x >= r;
    __asm__("" : "+r"(is_over));
    *at += c.bits - 1 + is_long;
    return x - (r & (0 - is_over));
}

/* Numbers that are still to come: `count` from number `first` on, in [low, high]. */
typedef struct span {
    size_t first, count;
    uint64_t low, high;
} span;

/* Each half waits for the one below it, of which there are as many as a count has bits.
 */
enum { WAITING_MAX = 64 };

/* The middle number of a span that leaves a choice, and what it may be. */
typedef struct middle {
    size_t place;
    uint64_t least, most;
} middle;

static inline middle middle_of(const span *s)
{
    const size_t below = s->count / 2;
    return (middle){s->first + below, s->low + below, s->high - (s->count - below - 1)};
}

/* Goes on to a half of the span whose middle is known, or to what waits; false: none. */
static inline bool go_on(span *s, const middle *m, uint64_t number, span *waiting,
                         size_t *waiting_count)
{
    const size_t below = m->place - s->first, above = s->count - below - 1;
    const span upper = {m->place + 1, above, number + 1, s->high};
    if (below > 0) {
        if (above > 0)
            waiting[(*waiting_count)++] = upper;
        s->count = below;
        s->high = number - 1;
        return true;
    }
    if (above > 0) {
        *s = upper;
        return true;
    }
    return false;
}

void gs_interpolate_put(gs_bit_writer *writer, const uint64_t *numbers, size_t count,
                        uint64_t low, uint64_t high)
{
    gs_bit_writer w = *writer;
    span s = {0, count, low, high}, waiting[WAITING_MAX];
    size_t waiting_count = 0;
    if (count == 0)
        return;
    for (;;) {
        bool has_next = false;
        if (s.high - s.low + 1 != s.count) {
            const middle m = middle_of(&s);
            const uint64_t number = numbers[m.place];
            gs_assert(m.least <= number && number <= m.most);
            put_choice(&w, number - m.least, m.most - m.least + 1);
            has_next = go_on(&s, &m, number, waiting, &waiting_count);
        }
        if (has_next)
            continue;
        if (waiting_count == 0)
            break;
        s = waiting[--waiting_count];
    }
    *writer = w;
}

void gs_interpolate_get(gs_bit_reader *r, uint64_t *numbers, size_t count, uint64_t low,
                        uint64_t high)
{
    const uint8_t *const begin = r->begin;
    const uint64_t bytes = (uint64_t)(r->end - begin);
    uint64_t at = r->at;
    span s = {0, count, low, high}, waiting[WAITING_MAX];
    size_t waiting_count = 0;
    if (count == 0)
        return;
    for (;;) {
        bool has_next = false;
        if (s.high - s.low + 1 == s.count) {
            for (size_t i = 0; i < s.count; i++)
                numbers[s.first + i] = s.low + i;
        } else {
            const middle m = middle_of(&s);
            const uint64_t number =
                m.least + get_choice(begin, bytes, &at, m.most - m.least + 1);
            numbers[m.place] = number;
            has_next = go_on(&s, &m, number, waiting, &waiting_count);
        }
        if (has_next)
            continue;
        if (waiting_count == 0)
            break;
        s = waiting[--waiting_count];
    }
    r->at = at;
}
