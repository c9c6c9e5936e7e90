/* SPDX-License-Identifier: MIT */
/*
 * How a cache-sized array of elements is sorted.
 *
 * A least-significant-digit radix sort over all 64 bits would make eight passes. But
 * with n elements about log2(n) bits tell nearly all of them apart, once the leading
 * bits that all share are skipped:
 *
 *      prefix   0110 0001 | 0111 0100 0110 1000 0110 0101 | 0010 0000 0111 ...
 *               all share |<---- window: radix passes --->| fixed up afterwards
 *
 * So: find the highest bit that varies, sort by a window of bits below it in two to four
 * stable passes, then walk once over the result and put right the few groups that agree
 * in the window: small ones by insertion or by rank, large ones by sorting them again on
 * the bits below. Each element is moved window/8 times instead of 8, and the digits of 8
 * bits keep the write positions of a pass inside the first-level cache.
 *
 * Highway's vqsort (1.0.3, AVX-512) was measured against it on 16-byte elements as
 * 128-bit keys, which keeps input order by the second word: buckets of 1 Ki to 256 Ki
 * elements, random, text-like and skewed prefixes, 11 to 12 ns an element against 6 to 8
 * here. It has no 24-byte elements, so it would need a gather as well.
 */
#include "lib/sort/bucket/element.h"

#include <stdbool.h>
#include <string.h>
#if GS_BUCKET_IS_X86
#include <immintrin.h>
#endif

#include "lib/base/assertion.h"
#include "lib/base/bits.h"

enum {
    DIGIT_BITS = 8,
    DIGIT_VALUES = 1 << DIGIT_BITS,
    PASSES_MAX = 4,
    INSERTION_MAX = 24,    /* up to this many, moving beats counting */
    INSERTED_MAX = 6,      /* of even fewer there is little to guess */
    RANKED_MAX = 128,      /* up to this many, ranking all beats passes */
    WINDOW_SPARE_BITS = 9, /* text uses only part of each byte's values */
};

static void insertion_sort(gs_element *a, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const gs_element x = a[i];
        size_t j = i;
        while (j > 0 && a[j - 1].prefix > x.prefix) {
            a[j] = a[j - 1];
            j--;
        }
        a[j] = x;
    }
}

#if GS_BUCKET_IS_X86
#define BY_RANK __attribute__((target("avx512f")))

static bool can_rank(void)
{
    return __builtin_cpu_supports("avx512f");
}

/* Counts for each element of a few how many go before it, eight at a time: no branch has
 * to be guessed, which is what insertion spends its time on. */
BY_RANK static void rank_sort(gs_element *a, gs_element *scratch, size_t n)
{
    enum { LANES = 8 };
    uint64_t keys[RANKED_MAX], ranks[RANKED_MAX];
    const __m512i one = _mm512_set1_epi64(1);
    gs_dassert(n > 0 && n <= RANKED_MAX);
    for (size_t i = 0; i < n; i++)
        keys[i] = a[i].prefix;
    for (size_t i = n; i % LANES != 0; i++)
        keys[i] = 0;
    for (size_t begin = 0; begin < n; begin += LANES) {
        const size_t end = n - begin < LANES ? n : begin + LANES;
        const __m512i some = _mm512_loadu_si512(keys + begin);
        __m512i rank = _mm512_setzero_si512();
        size_t i = 0;
        for (; i < begin; i++) {
            const __m512i other = _mm512_set1_epi64((long long)keys[i]);
            rank = _mm512_mask_add_epi64(rank, _mm512_cmple_epu64_mask(other, some), rank,
                                         one);
        }
        for (; i < end; i++) { /* among these, equals stay as they stand */
            const __m512i other = _mm512_set1_epi64((long long)keys[i]);
            const __mmask8 behind = (__mmask8)(0xfe << (i - begin));
            const __mmask8 less = _mm512_cmplt_epu64_mask(other, some) |
                                  (_mm512_cmpeq_epu64_mask(other, some) & behind);
            rank = _mm512_mask_add_epi64(rank, less, rank, one);
        }
        for (; i < n; i++) {
            const __m512i other = _mm512_set1_epi64((long long)keys[i]);
            rank = _mm512_mask_add_epi64(rank, _mm512_cmplt_epu64_mask(other, some), rank,
                                         one);
        }
        _mm512_storeu_si512(ranks + begin, rank);
    }
    for (size_t i = 0; i < n; i++)
        scratch[ranks[i]] = a[i];
    memcpy(a, scratch, n * sizeof *a);
}
#else
#define rank_sort(a, scratch, n) ((void)(scratch))
#define can_rank()               0
#endif

/* True if they were so few that they are in order now. */
static bool sort_few(gs_element *a, gs_element *scratch, size_t n)
{
    if (n > INSERTED_MAX && n <= RANKED_MAX && can_rank()) {
        rank_sort(a, scratch, n);
        return true;
    }
    if (n > INSERTION_MAX)
        return false;
    insertion_sort(a, n);
    return true;
}

/* The bits in which any two prefixes differ; *sorted tells whether nothing is to do. */
static uint64_t find_varying_bits(const gs_element *a, size_t n, bool *sorted)
{
    uint64_t any = a[0].prefix, all = a[0].prefix;
    uint64_t descents = 0;
    for (size_t i = 1; i < n; i++) {
        any |= a[i].prefix;
        all &= a[i].prefix;
        descents |= (uint64_t)(a[i - 1].prefix > a[i].prefix);
    }
    *sorted = descents == 0;
    return any ^ all;
}

/* Moves `from` to `to` by the digit at `shift`, stably, given the digit's counts. */
static void scatter_by_digit(const gs_element *restrict from, gs_element *restrict to,
                             size_t n, unsigned shift, const uint32_t *counts)
{
    uint32_t next[DIGIT_VALUES];
    uint32_t sum = 0;
    for (size_t d = 0; d < DIGIT_VALUES; d++) {
        next[d] = sum;
        sum += counts[d];
    }
    gs_dassert(sum == n);
    for (size_t i = 0; i < n; i++) {
        const gs_element e = from[i];
        to[next[(e.prefix >> shift) & (DIGIT_VALUES - 1)]++] = e;
    }
}

/* Sorts by the bits [low, low + 8 * passes); the result ends in `a`. */
static void sort_window(gs_element *a, gs_element *scratch, size_t n, unsigned low,
                        unsigned passes)
{
    uint32_t counts[PASSES_MAX][DIGIT_VALUES];
    memset(counts, 0, passes * sizeof counts[0]);
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = a[i].prefix >> low;
        for (unsigned p = 0; p < passes; p++) {
            counts[p][bits & (DIGIT_VALUES - 1)]++;
            bits >>= DIGIT_BITS;
        }
    }
    gs_element *from = a, *to = scratch;
    for (unsigned p = 0; p < passes; p++) {
        const unsigned shift = low + p * DIGIT_BITS;
        /* A digit that all share moves nothing. */
        if (counts[p][(a[0].prefix >> shift) & (DIGIT_VALUES - 1)] == n)
            continue;
        scatter_by_digit(from, to, n, shift, counts[p]);
        gs_element *const swap = from;
        from = to;
        to = swap;
    }
    if (from != a)
        memcpy(a, from, n * sizeof *a);
}

/* Elements that agree above bit `low` stand together: order each group by what is below.
 */
static void sort_groups_below(gs_element *a, gs_element *scratch, size_t n, unsigned low)
{
    size_t begin = 0;
    while (begin < n) {
        const uint64_t high = a[begin].prefix >> low;
        size_t end = begin + 1;
        while (end < n && a[end].prefix >> low == high)
            end++;
        if (end - begin > 1)
            gs_element_sort(a + begin, scratch + begin, end - begin);
        begin = end;
    }
}

void gs_element_sort(gs_element *elements, gs_element *scratch, size_t element_count)
{
    if (sort_few(elements, scratch, element_count))
        return;
    gs_assert(element_count <= UINT32_MAX);
    bool is_sorted = false;
    const uint64_t varying = find_varying_bits(elements, element_count, &is_sorted);
    if (is_sorted)
        return;
    const unsigned top = gs_bit_length(varying);
    unsigned want = gs_bit_length(element_count) + WINDOW_SPARE_BITS;
    if (want > top)
        want = top;
    unsigned passes = (want + DIGIT_BITS - 1) / DIGIT_BITS;
    if (passes > PASSES_MAX)
        passes = PASSES_MAX;
    const unsigned low = top > passes * DIGIT_BITS ? top - passes * DIGIT_BITS : 0;
    sort_window(elements, scratch, element_count, low, passes);
    if (low > 0 && (varying & ((UINT64_C(1) << low) - 1)) != 0)
        sort_groups_below(elements, scratch, element_count, low);
}
