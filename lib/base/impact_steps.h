/* SPDX-License-Identifier: MIT */
/*
 * impact_steps: the impacts of postings (lib/index/format/impact.h), one posting after
 * the other, as C that a thread of a kernel runs.
 */
#ifndef GS_LIB_BASE_IMPACT_STEPS_H
#define GS_LIB_BASE_IMPACT_STEPS_H

#include <stdint.h>
#include <string.h>

#include "lib/base/block_steps.h"

enum {
    GS_IMPACTS_KEPT = 3, /* of a block, at most */
    GS_IMPACTS_MAX = 6,  /* in a file: earlier versions kept so many */
    GS_IMPACT_BYTES = 2, /* of a pair, written */
};

typedef struct gs_impact {
    uint8_t tf, length; /* codes */
} gs_impact;

/* Both ascend. */
typedef struct gs_impacts {
    unsigned count;
    gs_impact pairs[GS_IMPACTS_MAX];
} gs_impacts;

/* Numbers up to 31 are their own codes; of others, the five first bits and how many
 * follow are kept. The greatest code stands for all from there on. */
GS_WIDTH_BOTH uint8_t gs_code_below(uint64_t x)
{
    if (x < 32)
        return (uint8_t)x;
    if (x >= UINT64_C(1) << 19)
        return UINT8_MAX;
    const unsigned shift = gs_step_bit_length((uint32_t)x) - 5;
    return (uint8_t)(shift * 16 + (x >> shift));
}

/* The least number of that code. */
GS_WIDTH_BOTH uint32_t gs_code_number(uint8_t code)
{
    return code < 32 ? code : (UINT32_C(16) | (code & 15)) << (code / 16 - 1);
}

/* The code of a number that is not less. */
GS_WIDTH_BOTH uint8_t gs_code_above(uint64_t x)
{
    const uint8_t code = gs_code_below(x);
    return (uint8_t)(code + (code < UINT8_MAX && gs_code_number(code) < x));
}

enum { GS_IMPACT_SMALL = 16 }; /* frequencies less 1, of which most are below */

/* Makes one of the two neighbours whose lengths are closest. */
GS_WIDTH_BOTH void gs_impacts_coarsen(gs_impacts *impacts, gs_impact *pairs)
{
    unsigned at = 0, closest = UINT8_MAX;
    for (unsigned i = 0; i < GS_IMPACTS_KEPT; i++) {
        const unsigned gap = (unsigned)(pairs[i + 1].length - pairs[i].length);
        if (gap < closest) {
            closest = gap;
            at = i;
        }
    }
    pairs[at].tf = pairs[at + 1].tf;
    for (unsigned i = at + 1; i < GS_IMPACTS_KEPT; i++)
        pairs[i] = pairs[i + 1];
    memcpy(impacts->pairs, pairs, GS_IMPACTS_KEPT * sizeof *pairs);
    impacts->count = GS_IMPACTS_KEPT;
}

GS_WIDTH_BOTH void gs_impacts_add(gs_impacts *impacts, gs_impact added)
{
    gs_impact pairs[GS_IMPACTS_MAX + 1];
    unsigned less = 0, count = 0; /* pairs of a lower frequency; those that stay */
    while (less < impacts->count && impacts->pairs[less].tf < added.tf)
        less++;
    if (less < impacts->count && impacts->pairs[less].length <= added.length)
        return; /* one with as many, and no longer */
    for (unsigned i = 0; i < less; i++) {
        if (impacts->pairs[i].length < added.length)
            pairs[count++] = impacts->pairs[i];
    }
    pairs[count++] = added;
    for (unsigned i = less; i < impacts->count; i++) {
        if (impacts->pairs[i].tf > added.tf)
            pairs[count++] = impacts->pairs[i];
    }
    if (count > GS_IMPACTS_KEPT) {
        gs_impacts_coarsen(impacts, pairs);
        return;
    }
    memcpy(impacts->pairs, pairs, count * sizeof *pairs);
    impacts->count = count;
}

/* One of a frequency less than all there are. */
GS_WIDTH_BOTH void gs_impacts_add_before(gs_impacts *impacts, gs_impact added)
{
    gs_impact pairs[GS_IMPACTS_MAX + 1];
    if (impacts->count > 0 && impacts->pairs[0].length <= added.length)
        return;
    memcpy(pairs + 1, impacts->pairs, sizeof impacts->pairs);
    pairs[0] = added;
    if (impacts->count == GS_IMPACTS_KEPT) {
        gs_impacts_coarsen(impacts, pairs);
        return;
    }
    memcpy(impacts->pairs, pairs, sizeof impacts->pairs);
    impacts->count++;
}

/* Postings of small frequencies by the shortest document of each. */
typedef struct gs_impact_maker {
    gs_impacts impacts;
    uint16_t least[GS_IMPACT_SMALL]; /* GS_IMPACT_NONE: there is none */
} gs_impact_maker;

enum { GS_IMPACT_NONE = UINT8_MAX + 1 };

GS_WIDTH_BOTH void gs_impact_maker_begin(gs_impact_maker *m)
{
    m->impacts.count = 0;
    for (unsigned i = 0; i < GS_IMPACT_SMALL; i++)
        m->least[i] = GS_IMPACT_NONE;
}

GS_WIDTH_BOTH void gs_impact_maker_take(gs_impact_maker *m, uint64_t tf_less_one,
                                        uint8_t length)
{
    if (tf_less_one >= GS_IMPACT_SMALL) {
        const gs_impact added = {gs_code_above(tf_less_one + 1), length};
        gs_impacts_add(&m->impacts, added);
    } else if (length < m->least[tf_less_one]) {
        m->least[tf_less_one] = length;
    }
}

GS_WIDTH_BOTH void gs_impact_maker_end(gs_impact_maker *m)
{
    for (unsigned i = GS_IMPACT_SMALL; i-- > 0;) {
        const gs_impact added = {(uint8_t)(i + 1), (uint8_t)m->least[i]};
        if (m->least[i] != GS_IMPACT_NONE)
            gs_impacts_add_before(&m->impacts, added);
    }
}

#endif
