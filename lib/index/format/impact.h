/* SPDX-License-Identifier: MIT */
/*
 * impact: what a block of postings can at most add to the score of a document.
 *
 * A score grows with the frequency and falls with the document's length, by how much the
 * query says. So a block keeps the pairs of frequency and length that no other of its
 * postings beats in both, and whatever the parameters are, its best posting is among
 * them:
 *
 *      postings (tf, length)   (1, 90) (1, 40) (3, 200) (2, 60) (3, 75) (1, 50)
 *      kept                    (1, 40) (2, 60) (3, 75)
 *
 * Both are kept in a byte each, lengths rounded down and frequencies up, so that bounds
 * stay bounds. Where there are more than GS_IMPACTS_KEPT pairs, two neighbours become one
 * that is at least as good as both. Six would say more, but to look at them takes longer
 * than they save. Documents without lengths count as having none.
 *
 *      written: frequency, length; frequency, length; ...     (two bytes a pair)
 */
#ifndef GS_LIB_INDEX_FORMAT_IMPACT_H
#define GS_LIB_INDEX_FORMAT_IMPACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/index/format/posting_pack.h"

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
static inline uint8_t gs_code_below(uint64_t x)
{
    if (x < 32)
        return (uint8_t)x;
    if (x >= UINT64_C(1) << 19)
        return UINT8_MAX;
    const unsigned shift = 59 - (unsigned)__builtin_clzll(x);
    return (uint8_t)(shift * 16 + (x >> shift));
}

/* The least number of that code. */
static inline uint32_t gs_code_number(uint8_t code)
{
    return code < 32 ? code : (UINT32_C(16) | (code & 15)) << (code / 16 - 1);
}

/* The code of a number that is not less. */
static inline uint8_t gs_code_above(uint64_t x)
{
    const uint8_t code = gs_code_below(x);
    return (uint8_t)(code + (code < UINT8_MAX && gs_code_number(code) < x));
}

/* Of frequencies less 1, as blocks have them, and codes of their documents' lengths. */
void gs_impacts_of(gs_impacts *out, const uint64_t *tfs_less_one, const uint8_t *lengths,
                   size_t count);
/* For tests: in a way that the processor has. */
void gs_impacts_of_by(gs_pack_way way, gs_impacts *out, const uint64_t *tfs_less_one,
                      const uint8_t *lengths, size_t count);
/* Adds what another block has. */
void gs_impacts_join(gs_impacts *to, const gs_impacts *more);
/* Is a posting of that kind no better than one of them? */
bool gs_impacts_cover(const gs_impacts *impacts, uint64_t tf, uint8_t length);

/* Writes two bytes a pair; returns the end of them. */
uint8_t *gs_impacts_put(uint8_t *to, const gs_impacts *impacts);

static inline gs_impact gs_impact_at(const uint8_t *written, unsigned i)
{
    return (gs_impact){written[GS_IMPACT_BYTES * i], written[GS_IMPACT_BYTES * i + 1]};
}

#endif
