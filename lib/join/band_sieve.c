/* SPDX-License-Identifier: MIT */
#include "lib/join/band_sieve.h"

#include <stdatomic.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

enum {
    WORD_BITS = 64,
    CELL_BITS = 6, /* of the number of a cell, those that say where in a word it is */
    /* It sleeps where more than so many of as many passed, of this many at least. */
    DENSE = 7,
    DENSE_OF = 8,
    SAMPLE_LEAST = 1 << 12,
    SAMPLE_EVERY = 16, /* calls, while it sleeps */
};

struct gs_band_sieve {
    gs_join_number low, high;
    unsigned shift; /* of a number to the number of its cell */
    _Atomic uint64_t *words;
    uint64_t word_count;
    GS_MEM_APART atomic_bool is_idle;
    atomic_uint calls, asked, passed;
};

/* The word of 64 cells, whose bits are turned round by some: where all numbers are
 * multiples of a large one, those of cells would have the same last bits. */
typedef struct place {
    uint64_t word;
    unsigned turn;
} place;

/* The largest cell that is no wider than the band. */
static unsigned shift_of(gs_join_number width)
{
    unsigned shift = 0;
    while ((gs_join_number)2 << shift <= width)
        shift++;
    return shift;
}

gs_code gs_band_sieve_new(gs_band_sieve **out, gs_join_number low, gs_join_number high,
                          size_t bytes, gs_status *st)
{
    gs_band_sieve *s = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new_apart(&s, sizeof *s, "sieve of a band", st));
    s->low = low;
    s->high = high;
    s->shift = shift_of(high - low);
    s->word_count = bytes / sizeof *s->words + 1;
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

static place place_of(const gs_band_sieve *s, gs_join_number cell)
{
    enum { HALF = 32, TURN_SHIFT = 26 };
    const uint64_t group = (uint64_t)(cell >> CELL_BITS);
    const uint64_t hash = (group ^ group >> HALF) * UINT64_C(0x9e3779b97f4a7c15);
    return (place){.word = (hash >> HALF) * s->word_count >> HALF,
                   .turn = (unsigned)(hash >> TURN_SHIFT)};
}

static uint64_t turned(uint64_t bits, unsigned turn)
{
    turn %= WORD_BITS;
    return bits << turn | bits >> (-turn % WORD_BITS);
}

/* Bits of a word. */
typedef struct marks {
    uint64_t word, bits;
} marks;

static void set_bits(_Atomic uint64_t *word, uint64_t bits)
{
    if ((atomic_load_explicit(word, memory_order_relaxed) & bits) != bits)
        atomic_fetch_or_explicit(word, bits, memory_order_relaxed);
}

/* Which bits they are; the word is on its way. */
static void note(gs_band_sieve *s, place p, uint64_t cells, marks *to)
{
    *to = (marks){p.word, turned(cells, p.turn)};
    __builtin_prefetch((const void *)(uintptr_t)&s->words[p.word], 1);
}

void gs_band_sieve_mark(gs_band_sieve *s, const gs_join_number *numbers, size_t count)
{
    marks all[2 * GS_BAND_SIEVE_NUMBERS];
    size_t n = 0;
    gs_assert(count <= GS_BAND_SIEVE_NUMBERS);
    for (size_t i = 0; i < count; i++) {
        const gs_join_number first = (numbers[i] + s->low) >> s->shift;
        const gs_join_number last = (numbers[i] + s->high) >> s->shift;
        const uint64_t run = ((uint64_t)2 << (uint64_t)(last - first)) - 1;
        const unsigned at = (unsigned)first % WORD_BITS;
        note(s, place_of(s, first), run << at, &all[n++]);
        if (last >> CELL_BITS != first >> CELL_BITS)
            note(s, place_of(s, last), run >> (WORD_BITS - at), &all[n++]);
    }
    for (size_t i = 0; i < n; i++)
        set_bits(&s->words[all[i].word], all[i].bits);
}

/* Of so many numbers that were asked for so many passed: is asking worth it? */
static void note_passed(gs_band_sieve *s, unsigned count, unsigned passed)
{
    const unsigned asked = atomic_fetch_add(&s->asked, count) + count;
    const unsigned passes = atomic_fetch_add(&s->passed, passed) + passed;
    if (asked < SAMPLE_LEAST)
        return;
    atomic_store(&s->is_idle, passes > asked / DENSE_OF * DENSE);
    if (asked >= 2 * SAMPLE_LEAST) { /* what was long ago counts half */
        atomic_store(&s->asked, asked / 2);
        atomic_store(&s->passed, passes / 2);
    }
}

void gs_band_sieve_ask(gs_band_sieve *s, const gs_join_number *numbers, size_t count,
                       bool *may_be)
{
    marks all[GS_BAND_SIEVE_NUMBERS];
    unsigned passed = 0;
    gs_assert(count <= GS_BAND_SIEVE_NUMBERS);
    if (atomic_load(&s->is_idle) && atomic_fetch_add(&s->calls, 1) % SAMPLE_EVERY != 0) {
        memset(may_be, true, count * sizeof *may_be);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        const gs_join_number cell = numbers[i] >> s->shift;
        const uint64_t bit = (uint64_t)1 << (uint64_t)cell % WORD_BITS;
        note(s, place_of(s, cell), bit, &all[i]);
    }
    for (size_t i = 0; i < count; i++) {
        const uint64_t word =
            atomic_load_explicit(&s->words[all[i].word], memory_order_relaxed);
        may_be[i] = (word & all[i].bits) != 0;
        passed += may_be[i];
    }
    note_passed(s, (unsigned)count, passed);
}
