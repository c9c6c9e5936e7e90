/* SPDX-License-Identifier: MIT */
#include "lib/index/format/number_plan.h"

#ifdef __x86_64__
#include <immintrin.h>
#endif

#include "lib/base/assertion.h"
#include "lib/base/bits.h"

enum { WORD_BITS = 64, WORDS = GS_PACK_COUNT / WORD_BITS };

static void begin(gs_number_plan *plan, size_t count, unsigned widest)
{
    gs_assert(widest <= GS_PACK_BITS_MAX);
    *plan = (gs_number_plan){.width = gs_pack_width_begin(count, widest)};
}

static void make_plain(gs_number_plan *plan, const uint64_t *numbers, size_t count)
{
    uint8_t of_width[WORD_BITS + 1] = {0};
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++) {
        of_width[gs_bit_length(numbers[i])]++;
        all |= numbers[i];
    }
    const unsigned widest = gs_bit_length(all);
    begin(plan, count, widest);
    for (unsigned bits = widest, larger = 0; bits-- > 0;) {
        larger += of_width[bits + 1];
        if (!gs_pack_width_consider(&plan->width, count, bits, larger, widest))
            break;
    }
    for (size_t i = 0; plan->width.exceptions > 0 && i < count; i++)
        plan->large[i / WORD_BITS] |= (uint64_t)(numbers[i] >> plan->width.bits != 0)
                                      << (i % WORD_BITS);
}

#ifdef __x86_64__

enum { LANES = 8 };

#define FOR_AVX512                                                                       \
    __attribute__((target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,popcnt")))

/* Of each number how many bits it has, a byte; of those behind the last one 0. Returns
 * all of them in one. */
FOR_AVX512 static uint64_t measure(uint8_t *widths, const uint64_t *numbers, size_t count)
{
    const __m512i word_bits = _mm512_set1_epi64(WORD_BITS);
    __m512i all = _mm512_setzero_si512();
    for (size_t i = 0; i < GS_PACK_COUNT; i += LANES) {
        const size_t left = i < count ? count - i : 0;
        const __mmask8 there = (__mmask8)(left < LANES ? (1U << left) - 1 : 0xffU);
        const __m512i eight = _mm512_maskz_loadu_epi64(there, numbers + i);
        all = _mm512_or_si512(all, eight);
        _mm_storel_epi64(
            (__m128i *)(void *)(widths + i),
            _mm512_cvtepi64_epi8(_mm512_sub_epi64(word_bits, _mm512_lzcnt_epi64(eight))));
    }
    return (uint64_t)_mm512_reduce_or_epi64(all);
}

FOR_AVX512 static void make_avx512(gs_number_plan *plan, const uint64_t *numbers,
                                   size_t count)
{
    uint8_t widths[GS_PACK_COUNT];
    const unsigned widest = gs_bit_length(measure(widths, numbers, count));
    const __m512i low = _mm512_loadu_si512(widths);
    const __m512i high = _mm512_loadu_si512(widths + WORD_BITS);
    begin(plan, count, widest);
    for (unsigned bits = widest; bits-- > 0;) {
        const __m512i width = _mm512_set1_epi8((char)bits);
        const unsigned larger =
            (unsigned)__builtin_popcountll(_mm512_cmpgt_epu8_mask(low, width)) +
            (unsigned)__builtin_popcountll(_mm512_cmpgt_epu8_mask(high, width));
        if (!gs_pack_width_consider(&plan->width, count, bits, larger, widest))
            break;
    }
    const __m512i width = _mm512_set1_epi8((char)plan->width.bits);
    plan->large[0] = _mm512_cmpgt_epu8_mask(low, width);
    plan->large[1] = _mm512_cmpgt_epu8_mask(high, width);
}

_Static_assert(WORDS == 2, "a vector of widths for each");

static bool has_avx512(void)
{
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
           __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl");
}

#endif

void gs_number_plan_make_by(gs_pack_way way, gs_number_plan *out, const uint64_t *numbers,
                            size_t count)
{
    gs_assert(count <= GS_PACK_COUNT);
#ifdef __x86_64__
    if (way == GS_PACK_AVX512 && has_avx512()) {
        make_avx512(out, numbers, count);
        return;
    }
#endif
    (void)way;
    make_plain(out, numbers, count);
}

void gs_number_plan_make(gs_number_plan *out, const uint64_t *numbers, size_t count)
{
    gs_number_plan_make_by(GS_PACK_AVX512, out, numbers, count);
}
