/* SPDX-License-Identifier: MIT */
/*
 * splitters: words that cut a range of words into buckets, taken from a sample.
 *
 * They stand as a complete search tree, node i with children 2i and 2i + 1, so that a
 * search has no branch to be guessed:
 *
 *               [4]                     bucket of x: how many splitters are not greater
 *          [2]       [6]
 *        [1] [3]   [5] [7]
 */
#ifndef GS_LIB_SORT_BUCKET_SPLITTERS_H
#define GS_LIB_SORT_BUCKET_SPLITTERS_H

#include <stddef.h>
#include <stdint.h>

enum {
    GS_SPLITTERS_LEVELS_MAX = 11,
    GS_SPLITTERS_BUCKETS_MAX = 1 << GS_SPLITTERS_LEVELS_MAX,
    GS_SPLITTERS_OVERSAMPLING = 16,
    GS_SPLITTERS_SAMPLE_MAX = GS_SPLITTERS_BUCKETS_MAX * GS_SPLITTERS_OVERSAMPLING,
};

typedef struct gs_splitters {
    unsigned levels;
    size_t bucket_count; /* 1 << levels */
    uint64_t tree[GS_SPLITTERS_BUCKETS_MAX];
} gs_splitters;

/* How many levels cut `count` into buckets of about `bucket_elements`. */
unsigned gs_splitters_levels(size_t count, size_t bucket_elements);

/* A step of the state that places come from. */
static const uint64_t gs_splitters_factor = UINT64_C(6364136223846793005);
static const uint64_t gs_splitters_summand = UINT64_C(1442695040888963407);

/* Which of a part's elements goes into the sample: a pseudo-random one, so that samples
 * of one of each part are even and not periodic. */
static inline size_t gs_splitters_place(uint64_t *state, size_t part)
{
    *state = *state * gs_splitters_factor + gs_splitters_summand;
    return (size_t)(*state >> 33) % part;
}

/* The state behind so many places: two steps are one of another factor and summand, so
 * are two of these, and so on. */
static inline uint64_t gs_splitters_behind(uint64_t state, uint64_t places)
{
    uint64_t factor = gs_splitters_factor, summand = gs_splitters_summand;
    for (; places > 0; places >>= 1) {
        if (places % 2 == 1)
            state = state * factor + summand;
        summand += summand * factor;
        factor *= factor;
    }
    return state;
}

/* Chooses up to 1 << levels buckets of about as many words of the sample each, which is
 * put in order; fewer if few of them differ. A word that comes often gets a bucket of its
 * own. */
void gs_splitters_choose(gs_splitters *s, unsigned levels, uint64_t *sample,
                         size_t sample_count);

static inline size_t gs_splitters_find(const gs_splitters *s, uint64_t word)
{
    size_t node = 1;
    for (unsigned l = 0; l < s->levels; l++)
        node = 2 * node + (s->tree[node] <= word);
    return node - s->bucket_count;
}

#endif
