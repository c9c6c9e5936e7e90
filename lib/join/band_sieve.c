/* SPDX-License-Identifier: MIT */
#include "lib/join/band_sieve.h"

#include "lib/base/assertion.h"

enum {
    WORD_BITS = 64,
    /* Where this many of as many bits are set, asking costs more than it saves. */
    DENSE = 7,
    DENSE_OF = 8,
};

gs_code gs_band_sieve_new(gs_band_sieve **out, gs_join_number low, gs_join_number high,
                          size_t bytes, gs_status *st)
{
    gs_band_sieve *s = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new_apart(&s, sizeof *s, "sieve of a band", st));
    s->word_count = bytes / sizeof *s->words + 1;
    s->low = low;
    s->high = high;
    atomic_init(&s->least, INT64_MAX);
    atomic_init(&s->most, INT64_MIN);
    if (gs_mem_map(&s->words, s->word_count * sizeof *s->words, true, "sieve of a band",
                   st) != GS_OK) {
        gs_mem_free(s);
        return st->code;
    }
    *out = s;
    return GS_OK;
}

void gs_band_sieve_free(gs_band_sieve *s)
{
    if (s == NULL)
        return;
    gs_mem_unmap((void *)(uintptr_t)s->words, s->word_count * sizeof *s->words);
    gs_mem_free(s);
}

/* Where a coarse unit begins. */
static gs_join_number begin_of(gs_join_number coarse)
{
    return coarse * ((gs_join_number)1 << GS_BAND_COARSE_SHIFT);
}

void gs_band_sieve_span(gs_band_sieve *s)
{
    const int64_t least = atomic_load(&s->least), most = atomic_load(&s->most);
    if (least > most)
        return;
    s->base = begin_of(least) - s->high;
    const gs_join_number end = begin_of((gs_join_number)most + 1) - s->low;
    const gs_join_number room = (gs_join_number)(s->word_count * WORD_BITS);
    while ((end - s->base) >> s->shift >= room)
        s->shift++;
    s->bit_count = (uint64_t)((end - s->base) >> s->shift) + 1;
}

/* Sets the bits [from, to] of a word. */
static void set_bits(_Atomic uint64_t *word, unsigned from, unsigned to)
{
    const uint64_t bits = UINT64_MAX >> (WORD_BITS - 1 - (to - from)) << from;
    if ((atomic_load_explicit(word, memory_order_relaxed) & bits) != bits)
        atomic_fetch_or_explicit(word, bits, memory_order_relaxed);
}

void gs_band_sieve_mark(gs_band_sieve *s, gs_join_number number, uint64_t *next)
{
    const gs_join_number first = (number - s->high - s->base) >> s->shift;
    const gs_join_number last = (number - s->low - s->base) >> s->shift;
    gs_assert(first >= 0 && last < (gs_join_number)s->bit_count);
    uint64_t bit = (uint64_t)first > *next ? (uint64_t)first : *next;
    const uint64_t end = (uint64_t)last + 1;
    while (bit < end) {
        const uint64_t word = bit / WORD_BITS, rest = end - word * WORD_BITS;
        const unsigned to = rest > WORD_BITS ? WORD_BITS - 1 : (unsigned)rest - 1;
        set_bits(&s->words[word], (unsigned)(bit % WORD_BITS), to);
        bit = word * WORD_BITS + to + 1;
    }
    if (end > *next)
        *next = end;
}

void gs_band_sieve_end(gs_band_sieve *s)
{
    uint64_t set = 0;
    for (uint64_t w = 0; w < s->word_count; w++)
        set += (uint64_t)__builtin_popcountll(atomic_load(&s->words[w]));
    s->is_of_use = DENSE_OF * set <= DENSE * s->bit_count;
}
