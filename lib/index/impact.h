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
 * Lengths are kept in a byte, rounded down, so that bounds stay bounds. Where there are
 * more than GS_IMPACTS_MAX pairs, two neighbours become one that is at least as good as
 * both. Without lengths, only the greatest frequency is kept.
 *
 *      written: (tf - tf before - 1) << 1 | (is another one behind), a varint, and
 *               code - code before - 1, a byte; of the first: tf - 1 and its code
 */
#ifndef GS_LIB_INDEX_IMPACT_H
#define GS_LIB_INDEX_IMPACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GS_IMPACTS_MAX = 6,
    GS_IMPACTS_BYTES_MAX = GS_IMPACTS_MAX * 7, /* written */
};

typedef struct gs_impact {
    uint32_t tf;
    uint8_t code; /* of the length */
} gs_impact;

/* By frequency; codes ascend too. */
typedef struct gs_impacts {
    unsigned count;
    gs_impact pairs[GS_IMPACTS_MAX];
} gs_impacts;

/* Lengths up to 31 as they are, longer ones with four bits behind the first, up to 2^19.
 */
static inline uint8_t gs_length_code(uint32_t length)
{
    if (length < 32)
        return (uint8_t)length;
    if (length >= UINT32_C(1) << 19)
        return UINT8_MAX;
    const unsigned shift = 27 - (unsigned)__builtin_clz(length);
    return (uint8_t)(shift * 16 + (length >> shift));
}

/* The least length of that code. */
static inline uint32_t gs_length_of_code(uint8_t code)
{
    if (code < 32)
        return code;
    return (UINT32_C(16) | (code & 15)) << (code / 16 - 1);
}

/* Of frequencies less 1, as blocks have them, and the codes of their documents. */
void gs_impacts_of(gs_impacts *out, const uint64_t *tfs_less_one, const uint8_t *codes,
                   size_t count);
/* Adds what another block has. */
void gs_impacts_join(gs_impacts *to, const gs_impacts *more);
/* Is no posting of that kind better than all of them? */
bool gs_impacts_cover(const gs_impacts *impacts, uint64_t tf, uint8_t code);

/* Writes at most GS_IMPACTS_BYTES_MAX bytes; returns the end of them. */
uint8_t *gs_impacts_put(uint8_t *to, const gs_impacts *impacts, bool has_lengths);
/* False if there are no such pairs before `end`. */
bool gs_impacts_read(const uint8_t **p, const uint8_t *end, bool has_lengths,
                     gs_impacts *impacts);
/* Goes behind them without a look. */
bool gs_impacts_skip(const uint8_t **p, const uint8_t *end, bool has_lengths);

#endif
