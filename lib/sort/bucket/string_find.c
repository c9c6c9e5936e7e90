/* SPDX-License-Identifier: MIT */
#include "lib/sort/bucket/string_find.h"

#if GS_BUCKET_IS_X86
#include <immintrin.h>
#endif

#include "lib/base/assertion.h"

enum { WORD = sizeof(uint64_t), KNOT_LEVELS = 3 };

/* --- the first word --------------------------------------------------------------- */

/* The words of the tree's node and of those below it, in order. */
static void tie(const gs_string_splitters *s, size_t node, gs_string_knot *knot)
{
    for (size_t i = 0; i < GS_STRING_WAYS - 1; i++) {
        const size_t which = i + 1; /* one that is odd is on the lowest level */
        const unsigned up = (unsigned)__builtin_ctzll(which);
        const size_t below = KNOT_LEVELS - 1 - up;
        knot->least[i] = s->tree[(node << below) + (which >> (up + 1))];
    }
}

void gs_string_knots_tie(gs_string_splitters *s)
{
    gs_string_knot *knot = s->knots;
    for (unsigned l = s->levels % KNOT_LEVELS; l < s->levels; l += KNOT_LEVELS)
        for (size_t node = (size_t)1 << l; node < (size_t)2 << l; node++)
            tie(s, node, knot++);
    gs_assert(knot <= s->knots + GS_STRING_KNOTS_MAX);
}

static inline uint64_t first_word(const gs_placed_string *p)
{
    uint64_t word;
    memcpy(&word, p->string, sizeof word);
    return gs_word_cut(word, (int)p->bytes);
}

/* By the tree, four at a time: each step of one waits for the step before, and meanwhile
 * the others go on. The rest of four are looked up again, for nobody. */
static void find_first(const gs_string_splitters *s, gs_placed_string *strings,
                       size_t count)
{
    const uint64_t *const tree = s->tree;
    const size_t parts = (size_t)1 << s->levels;
    for (size_t i = 0; i < count; i += 4) {
        uint64_t words[4];
        gs_placed_string *p[4];
        for (size_t k = 0; k < 4; k++) {
            p[k] = strings + (i + k < count ? i + k : i);
            words[k] = first_word(p[k]);
        }
        size_t a = 1, b = 1, c = 1, d = 1;
        for (unsigned l = s->levels; l > 0; l--) {
            a = 2 * a + (tree[a] <= words[0]);
            b = 2 * b + (tree[b] <= words[1]);
            c = 2 * c + (tree[c] <= words[2]);
            d = 2 * d + (tree[d] <= words[3]);
        }
        p[3]->bucket = s->ways[d - parts];
        p[2]->bucket = s->ways[c - parts];
        p[1]->bucket = s->ways[b - parts];
        p[0]->bucket = s->ways[a - parts];
    }
}

/* --- the next words --------------------------------------------------------------- */

/* How many of a node's ways are not before the word: the number of the one to go. */
static inline size_t count_before(const gs_string_node *node, uint64_t word)
{
    size_t way = 0;
    for (size_t w = 0; w < GS_STRING_WAYS - 1; w++)
        way += node->least[w] <= word;
    return way;
}

#if GS_BUCKET_IS_X86
#define BY_MASK __attribute__((target("avx512f,popcnt")))

/* How many of the first seven words are not greater; there are eight. */
BY_MASK static inline size_t count_by_mask(const uint64_t *words, uint64_t word)
{
    _Static_assert(GS_STRING_WAYS == 8, "words of a vector, and one more");
    const __mmask8 mask = _mm512_cmple_epu64_mask(_mm512_loadu_si512(words),
                                                  _mm512_set1_epi64((long long)word));
    return (size_t)_mm_popcnt_u32(mask & 0x7fu);
}

/* The same as by the tree, knot by knot: there are as many steps for each string, and
 * those of the next ones need not wait for them. */
BY_MASK static void find_first_by_mask(const gs_string_splitters *s,
                                       gs_placed_string *strings, size_t count)
{
    const unsigned single = s->levels % KNOT_LEVELS, steps = s->levels / KNOT_LEVELS;
    for (size_t i = 0; i < count; i++) {
        const uint64_t word = first_word(&strings[i]);
        const gs_string_knot *knots = s->knots;
        size_t node = 1;
        for (unsigned l = 0; l < single; l++)
            node = 2 * node + (s->tree[node] <= word);
        size_t width = (size_t)1 << single, at = node - width;
        for (unsigned k = 0; k < steps; k++) {
            const gs_string_knot *const knot = knots + at;
            at = GS_STRING_WAYS * at + count_by_mask(knot->least, word);
            knots += width;
            width *= GS_STRING_WAYS;
        }
        strings[i].bucket = s->ways[at];
    }
}

/* The same of a node, in one compare; it has more bytes than its words. */
BY_MASK static inline size_t count_before_by_mask(const gs_string_node *node,
                                                  uint64_t word)
{
    return count_by_mask(node->least, word);
}

static bool can_mask(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("popcnt");
}
#else
#define BY_MASK
#define find_first_by_mask   find_first
#define count_before_by_mask count_before
#define can_mask()           0
#endif

/* One node further. */
static inline __attribute__((always_inline)) uint32_t
find_next(const gs_string_splitters *s, const gs_placed_string *p,
          size_t count(const gs_string_node *node, uint64_t word))
{
    const gs_string_node *const node = &s->nodes[p->bucket - GS_STRING_NODE];
    const size_t depth = node->depth;
    const int left = (int)p->bytes - (int)depth;
    uint64_t word;
    memcpy(&word, p->string + (left > 0 ? depth : 0), sizeof word);
    word = gs_word_cut(word, left);
    const size_t way = count(node, word);
    const int ended = node->ended + node->ended_step * (left + WORD);
    return left > 0 ? node->ways[way] : (uint32_t)ended;
}

/* From node to node, those strings that are not yet at a bucket. Compiled for both ways
 * to count. */
static inline __attribute__((always_inline)) void
find_rest(const gs_string_splitters *s, gs_placed_string *strings, size_t count,
          size_t count_ways(const gs_string_node *node, uint64_t word))
{
    uint8_t further[GS_STRING_BATCH];
    size_t left = 0;
    for (size_t i = 0; i < count; i++) {
        further[left] = (uint8_t)i;
        left += strings[i].bucket >= GS_STRING_NODE;
    }
    while (left > 0) {
        const size_t now = left;
        left = 0;
        for (size_t i = 0; i < now; i++) {
            gs_placed_string *const p = &strings[further[i]];
            p->bucket = find_next(s, p, count_ways);
            further[left] = further[i];
            left += p->bucket >= GS_STRING_NODE;
        }
    }
}

BY_MASK static void find_rest_by_mask(const gs_string_splitters *s,
                                      gs_placed_string *strings, size_t count)
{
    find_rest(s, strings, count, count_before_by_mask);
}

void gs_string_splitters_find(const gs_string_splitters *s, gs_placed_string *strings,
                              size_t count)
{
    gs_assert(count <= GS_STRING_BATCH);
    if (can_mask()) {
        find_first_by_mask(s, strings, count);
        find_rest_by_mask(s, strings, count);
    } else {
        find_first(s, strings, count);
        find_rest(s, strings, count, count_before);
    }
}
