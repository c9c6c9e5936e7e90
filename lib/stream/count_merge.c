/* SPDX-License-Identifier: MIT */
#include "lib/stream/count_merge.h"

#include <string.h>

#ifdef __x86_64__
#include <immintrin.h>
#endif

/* Without a branch that could be guessed wrong. */
static size_t merge_plain(gs_key_count *to, const gs_key_count *a, size_t a_count,
                          const gs_key_count *b, size_t b_count)
{
    gs_key_count *const begin = to;
    size_t i = 0, j = 0;
    if (a_count + b_count == 0)
        return 0; /* and there may be no room at all */
    while (i < a_count && j < b_count) {
        const gs_key_count x = a[i], y = b[j];
        to->key = x.key <= y.key ? x.key : y.key;
        to->count = (x.key <= y.key ? x.count : 0) + (y.key <= x.key ? y.count : 0);
        to++;
        i += x.key <= y.key;
        j += y.key <= x.key;
    }
    const size_t a_left = a_count - i, b_left = b_count - j;
    if (a_left > 0)
        memcpy(to, a + i, a_left * sizeof *to);
    to += a_left;
    if (b_left > 0)
        memcpy(to, b + j, b_left * sizeof *to);
    return (size_t)(to - begin) + b_left;
}

#ifdef __x86_64__

/* Lists of fewer entries are merged before a network gets going. */
enum { LANES = 8, NETWORK_MIN = 128 };

/* Takes 2.0 ns an entry, whatever keys come and however many, where the plain merge takes
 * 2.6 to 2.9, and 4.6 to 4.9 beyond the cache of a core; 1.9 where nearly all keys are in
 * both lists. (With four keys in vectors of 256 bits it was 3.1 to 3.8, and the same with
 * eight whose partners each lane fetches for itself, twice as many as there are.) */
#define FOR_AVX512 __attribute__((target("avx512f,popcnt")))
#define INLINE     FOR_AVX512 __attribute__((always_inline)) static inline

/* Eight keys, and the count of each in the same lane. */
typedef struct lanes {
    __m512i keys, counts;
} lanes;

/* Lane i is lane `from` i of `a`, or of `b` from 8 on. */
#define PICK(a, b, ...)                                                                  \
    _mm512_permutex2var_epi64((a), _mm512_setr_epi64(__VA_ARGS__), (b))

INLINE lanes load(const gs_key_count *from)
{
    const __m512i low = _mm512_loadu_si512(from), high = _mm512_loadu_si512(from + 4);
    return (lanes){PICK(low, high, 0, 2, 4, 6, 8, 10, 12, 14),
                   PICK(low, high, 1, 3, 5, 7, 9, 11, 13, 15)};
}

INLINE lanes load_turned(const gs_key_count *from)
{
    const __m512i low = _mm512_loadu_si512(from), high = _mm512_loadu_si512(from + 4);
    return (lanes){PICK(low, high, 14, 12, 10, 8, 6, 4, 2, 0),
                   PICK(low, high, 15, 13, 11, 9, 7, 5, 3, 1)};
}

INLINE void store(gs_key_count *to, __m512i keys, __m512i counts)
{
    _mm512_storeu_si512(to, PICK(keys, counts, 0, 8, 1, 9, 2, 10, 3, 11));
    _mm512_storeu_si512(to + 4, PICK(keys, counts, 4, 12, 5, 13, 6, 14, 7, 15));
}

/* Of each lane the lower key goes to `a`, and the higher one to `b`. */
INLINE void exchange(lanes *a, lanes *b)
{
    const __mmask8 is_wrong = _mm512_cmplt_epu64_mask(b->keys, a->keys);
    const lanes low = {_mm512_min_epu64(a->keys, b->keys),
                       _mm512_mask_mov_epi64(a->counts, is_wrong, b->counts)};
    const lanes high = {_mm512_max_epu64(a->keys, b->keys),
                        _mm512_mask_mov_epi64(b->counts, is_wrong, a->counts)};
    *a = low;
    *b = high;
}

/* `held` ascends and `turned` descends: the eight lowest, in order; `held` has the
 * others, in order. L and H are what is lower and higher, which share both registers. */
INLINE lanes merge_lanes(lanes *held, lanes turned)
{
    lanes a = *held, b = turned;
    exchange(&a, &b);
    lanes c = {_mm512_shuffle_i64x2(a.keys, b.keys, 0x44), /* L0 to L3, H0 to H3 */
               _mm512_shuffle_i64x2(a.counts, b.counts, 0x44)};
    lanes d = {_mm512_shuffle_i64x2(a.keys, b.keys, 0xEE), /* L4 to L7, H4 to H7 */
               _mm512_shuffle_i64x2(a.counts, b.counts, 0xEE)};
    exchange(&c, &d);
    lanes e = {PICK(c.keys, d.keys, 0, 1, 8, 9, 4, 5, 12, 13), /* L0 L1 L4 L5, H... */
               PICK(c.counts, d.counts, 0, 1, 8, 9, 4, 5, 12, 13)};
    lanes f = {PICK(c.keys, d.keys, 2, 3, 10, 11, 6, 7, 14, 15), /* L2 L3 L6 L7 */
               PICK(c.counts, d.counts, 2, 3, 10, 11, 6, 7, 14, 15)};
    exchange(&e, &f);
    lanes g = {_mm512_unpacklo_epi64(e.keys, f.keys), /* L0 L2 L4 L6 */
               _mm512_unpacklo_epi64(e.counts, f.counts)};
    lanes h = {_mm512_unpackhi_epi64(e.keys, f.keys), /* L1 L3 L5 L7 */
               _mm512_unpackhi_epi64(e.counts, f.counts)};
    exchange(&g, &h);
    *held = (lanes){PICK(g.keys, h.keys, 4, 12, 5, 13, 6, 14, 7, 15),
                    PICK(g.counts, h.counts, 4, 12, 5, 13, 6, 14, 7, 15)};
    return (lanes){PICK(g.keys, h.keys, 0, 8, 1, 9, 2, 10, 3, 11),
                   PICK(g.counts, h.counts, 0, 8, 1, 9, 2, 10, 3, 11)};
}

/* The last entry before these goes out, and all of them but the last one: it may come
 * once more. One that equals its neighbour leaves its count to it. */
INLINE gs_key_count *put_out(gs_key_count *to, lanes *before, lanes now)
{
    const __m512i keys = _mm512_alignr_epi64(now.keys, before->keys, LANES - 1);
    const __mmask8 is_double = _mm512_cmpeq_epi64_mask(keys, now.keys);
    __m512i counts = _mm512_alignr_epi64(now.counts, before->counts, LANES - 1);
    now.counts = _mm512_mask_add_epi64(now.counts, is_double, now.counts, counts);
    counts = _mm512_alignr_epi64(now.counts, before->counts, LANES - 1);
    const __mmask8 stays = (__mmask8)~is_double;
    store(to, _mm512_maskz_compress_epi64(stays, keys),
          _mm512_maskz_compress_epi64(stays, counts));
    *before = now;
    return to + __builtin_popcount(stays);
}

/* What is under way, and was not put out: `before`, the last one, and those held. */
FOR_AVX512 static size_t settle(const lanes *before, const lanes *held, gs_key_count *to)
{
    gs_key_count last[LANES], others[LANES];
    size_t n = 0;
    store(last, before->keys, before->counts);
    store(others, held->keys, held->counts);
    to[n++] = last[LANES - 1];
    for (size_t i = 0; i < LANES; i++) {
        if (to[n - 1].key == others[i].key)
            to[n - 1].count += others[i].count;
        else
            to[n++] = others[i];
    }
    return n;
}

/* Each list has eight entries at least. Of one of them less than eight are left in the
 * end: with what is under way they are merged to the rest of the other. */
FOR_AVX512 static size_t merge_bitonic(gs_key_count *to, const gs_key_count *a,
                                       size_t a_count, const gs_key_count *b,
                                       size_t b_count)
{
    gs_key_count *const begin = to;
    gs_key_count under_way[1 + LANES], rest[1 + 2 * LANES];
    size_t i = LANES, j = LANES;
    lanes held = load(a);
    lanes low = merge_lanes(&held, load_turned(b));
    /* A first one that is none: it equals the first key, and adds nothing. */
    lanes before = {_mm512_permutexvar_epi64(_mm512_setzero_si512(), low.keys),
                    _mm512_setzero_si512()};
    to = put_out(to, &before, low);
    while (i + LANES <= a_count && j + LANES <= b_count) {
        const size_t is_of_a = a[i].key <= b[j].key;
        const gs_key_count *const next = is_of_a ? a + i : b + j;
        i += LANES * is_of_a;
        j += LANES * (1 - is_of_a);
        low = merge_lanes(&held, load_turned(next));
        to = put_out(to, &before, low);
    }
    const size_t n = settle(&before, &held, under_way);
    if (a_count - i < LANES) {
        const size_t m = merge_plain(rest, under_way, n, a + i, a_count - i);
        to += merge_plain(to, rest, m, b + j, b_count - j);
    } else {
        const size_t m = merge_plain(rest, under_way, n, b + j, b_count - j);
        to += merge_plain(to, rest, m, a + i, a_count - i);
    }
    return (size_t)(to - begin);
}

#endif

gs_count_merge_way gs_count_merge_best_way(void)
{
#ifdef __x86_64__
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("popcnt"))
        return GS_COUNT_MERGE_BITONIC;
#endif
    return GS_COUNT_MERGE_PLAIN;
}

size_t gs_count_merge(gs_count_merge_way way, gs_key_count *to, const gs_key_count *a,
                      size_t a_count, const gs_key_count *b, size_t b_count)
{
#ifdef __x86_64__
    if (way == GS_COUNT_MERGE_BITONIC && a_count >= NETWORK_MIN && b_count >= NETWORK_MIN)
        return merge_bitonic(to, a, a_count, b, b_count);
#endif
    (void)way;
    return merge_plain(to, a, a_count, b, b_count);
}
