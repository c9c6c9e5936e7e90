/* SPDX-License-Identifier: MIT */
/*
 * band_sieve: which left lines of a band join surely have no partner, so that they need
 * not be sorted, nor even copied.
 *
 *      right numbers           r               r'        the band is LO:HI
 *      partners of these   [r-HI, r-LO]    [r'-HI, r'-LO]
 *      bits               0 0 1 1 1 1 0 0 0 0 1 1 1 1 0  each for 2^shift units
 *
 * A left number whose bit is not set has no partner; of others some have none either.
 *
 * Call order: new; note, while the right side is read; span; mark, for each of its lines,
 * in order within a portion; end; may_have; free. Any thread may note, mark and ask.
 */
#ifndef GS_LIB_JOIN_BAND_SIEVE_H
#define GS_LIB_JOIN_BAND_SIEVE_H

#include <stdatomic.h>

#include "lib/base/mem.h"
#include "lib/join/join_number.h"

enum { GS_BAND_COARSE_SHIFT = 60 }; /* units of this many bits are noted: about ones */

typedef struct gs_band_sieve {
    gs_join_number low, high;
    _Atomic uint64_t *words;
    uint64_t word_count;
    uint64_t bit_count;  /* of these, once the span is known */
    gs_join_number base; /* bit 0 begins there */
    unsigned shift;
    bool is_of_use; /* not all that is asked for would be there */
    /* Of all right numbers, in coarse units; the least is above the most: there are none.
     */
    GS_MEM_APART _Atomic int64_t least;
    _Atomic int64_t most;
} gs_band_sieve;

GS_MUST_CHECK gs_code gs_band_sieve_new(gs_band_sieve **out, gs_join_number low,
                                        gs_join_number high, size_t bytes, gs_status *st);
void gs_band_sieve_free(gs_band_sieve *s); /* NULL is fine */

static inline void gs_band_sieve_note(gs_band_sieve *s, gs_join_number number)
{
    const int64_t coarse = (int64_t)(number >> GS_BAND_COARSE_SHIFT);
    int64_t least = atomic_load_explicit(&s->least, memory_order_relaxed);
    int64_t most = atomic_load_explicit(&s->most, memory_order_relaxed);
    while (coarse < least && !atomic_compare_exchange_weak(&s->least, &least, coarse))
        continue;
    while (coarse > most && !atomic_compare_exchange_weak(&s->most, &most, coarse))
        continue;
}

/* All were noted: what the bits are for. */
void gs_band_sieve_span(gs_band_sieve *s);
/* Of a portion: *next is the first bit that it has not been past, 0 at its begin. */
void gs_band_sieve_mark(gs_band_sieve *s, gs_join_number number, uint64_t *next);
/* All were marked: is it of use? */
void gs_band_sieve_end(gs_band_sieve *s);

/* May the left number have a partner? */
static inline bool gs_band_sieve_may_have(const gs_band_sieve *s, gs_join_number number)
{
    if (number < s->base)
        return false;
    const gs_join_number bit = (number - s->base) >> s->shift;
    if (bit >= (gs_join_number)s->bit_count)
        return false;
    return atomic_load_explicit(&s->words[(uint64_t)bit / 64], memory_order_relaxed) >>
               ((uint64_t)bit % 64) &
           1;
}

#endif
