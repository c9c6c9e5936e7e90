/* SPDX-License-Identifier: MIT */
/*
 * move_gain: how many bits it saves to move a document to the other half.
 *
 * Of n documents in a half, d have a term: their differences are about n / (d + 1) apart,
 * and take d * log2(n / (d + 1)) bits. With halves of the same size, the term's share in
 * what a document saves that goes from one half, where d documents have it, to the other,
 * where e have, is
 *
 *      h(e + 1) - h(d)        with h(x) = x * log2(x + 1) - (x - 1) * log2(x)
 *
 * h is kept in a table of whole numbers, GS_GAIN_ONE for a bit. So a document's gain is
 * the same sum in any order of its terms, and on every machine.
 */
#ifndef GS_LIB_INDEX_REORDER_MOVE_GAIN_H
#define GS_LIB_INDEX_REORDER_MOVE_GAIN_H

#include <stdint.h>

enum {
    GS_GAIN_BITS = 16,
    GS_GAIN_ONE = 1 << GS_GAIN_BITS,
    GS_GAIN_TABLE = 4096,
    GS_GAP_TABLE = 512,
};

typedef struct gs_gain_table {
    int32_t h[GS_GAIN_TABLE];
    uint32_t gap[GS_GAP_TABLE + 1]; /* bits of a difference, which is not 0: its log2 */
} gs_gain_table;

void gs_gain_table_fill(gs_gain_table *t);

/* Above the table h grows by a bit each time that x doubles. */
static inline int32_t gs_gain_h(const gs_gain_table *t, uint32_t x)
{
    if (__builtin_expect(x < GS_GAIN_TABLE, 1))
        return t->h[x];
    const unsigned shift = 20 - (unsigned)__builtin_clz(x); /* to 12 bits */
    return t->h[x >> shift] + (int32_t)(shift << GS_GAIN_BITS);
}

/* Of a term that so many documents have in this half and in the other one. */
static inline int32_t gs_gain_of_move(const gs_gain_table *t, uint32_t here,
                                      uint32_t there)
{
    return gs_gain_h(t, there + 1) - gs_gain_h(t, here);
}

#endif
