/* SPDX-License-Identifier: MIT */
/*
 * Lengths and differences of neighbours are random, and a branch on them would be guessed
 * wrong every other time. So with AVX-512 records of up to 64 bytes are compared whole:
 * the lowest byte that differs decides, and zeros stand behind the end of the shorter.
 */
#include "lib/sort/witness/record_look.h"

#include "lib/sort/record/records.h"
#include "lib/sort/witness/record_hash.h"

static bool may_follow(const gs_seen_string *a, const gs_seen_string *b,
                       gs_look_order order)
{
    const int d = order.is_backwards
                      ? gs_string_compare(b->data, b->bytes, a->data, a->bytes, 0)
                      : gs_string_compare(a->data, a->bytes, b->data, b->bytes, 0);
    return order.is_strict ? d < 0 : d <= 0;
}

static size_t find_disorder(const gs_seen_string *strings, size_t count, bool has_before,
                            gs_look_order order)
{
    for (size_t i = has_before ? 0 : 1; i < count; i++)
        if (!may_follow(&strings[i] - 1, &strings[i], order))
            return i + 1;
    return 0;
}

static uint64_t add_hashes(const gs_seen_string *lines, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += gs_hash_record_products(lines[i].data, lines[i].bytes);
    return sum;
}

#if GS_HASH_HAS_AES
/* Not 0 if `b` may not follow `a`, both short. No branches. */
GS_HASH_AES static inline uint64_t is_disorder(__m512i a, size_t a_bytes, __m512i b,
                                               size_t b_bytes, gs_look_order order)
{
    const uint64_t other = _mm512_cmpneq_epu8_mask(a, b);
    const uint64_t below =
        order.is_backwards ? _mm512_cmplt_epu8_mask(b, a) : _mm512_cmplt_epu8_mask(a, b);
    const size_t first = order.is_backwards ? b_bytes : a_bytes;
    const size_t second = order.is_backwards ? a_bytes : b_bytes;
    const bool is_late = order.is_strict ? first >= second : first > second;
    return (_blsi_u64(other) ^ _blsi_u64(below)) |
           (uint64_t)((unsigned)(other == 0) & (unsigned)is_late);
}

/* The loop for all; what is not wanted is not compiled. How long a record is, is not
 * branched on: the first 64 bytes of two neighbours nearly always tell their order, and
 * hashes of long ones are left for later. */
GS_HASH_AES static inline __attribute__((always_inline)) uint64_t
look_512(const gs_seen_string *s, size_t count, bool hashes, bool compares,
         bool has_before, gs_look_order order, size_t *disorder)
{
    __m256i sums = _mm256_setzero_si256();
    __m512i last = _mm512_setzero_si512();
    uint64_t bad = 0;
    uint16_t long_ones[GS_LOOK_MAX];
    size_t long_count = 0;
    if (compares && has_before)
        last = gs_hash_load_512(s[-1].data, s[-1].bytes);
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = s[i].bytes;
        const __m512i now = gs_hash_load_512(s[i].data, bytes);
        if (compares && (has_before || i > 0)) {
            const gs_seen_string *const before = &s[i] - 1;
            const bool is_long =
                (bytes > GS_HASH_BLOCK) | (before->bytes > GS_HASH_BLOCK);
            if (__builtin_expect(is_long & (_mm512_cmpneq_epu8_mask(last, now) == 0), 0))
                bad |= !may_follow(before, &s[i], order);
            else
                bad |= is_disorder(last, before->bytes, now, bytes, order);
        }
        last = now;
        if (hashes) {
            sums = _mm256_add_epi64(sums, gs_hash_short_aes(now, bytes));
            long_ones[long_count] = (uint16_t)i;
            long_count += bytes > GS_HASH_BLOCK;
        }
    }
    for (size_t k = 0; k < long_count; k++) {
        const gs_seen_string *const record = &s[long_ones[k]];
        sums = _mm256_add_epi64(sums, gs_hash_long_aes(record->data, record->bytes));
    }
    if (compares)
        *disorder = bad == 0 ? 0 : find_disorder(s, count, has_before, order);
    return gs_hash_sum_aes(sums);
}

/* Of the orders each has a loop of its own. */
GS_HASH_AES static inline __attribute__((always_inline)) uint64_t
look_in_order(const gs_seen_string *s, size_t count, bool hashes, bool has_before,
              gs_look_order order, size_t *disorder)
{
    const gs_look_order up = {false, order.is_strict}, down = {true, order.is_strict};
    return order.is_backwards
               ? look_512(s, count, hashes, true, has_before, down, disorder)
               : look_512(s, count, hashes, true, has_before, up, disorder);
}

GS_HASH_AES static uint64_t look_aes(const gs_seen_string *lines,
                                     const gs_seen_string *strings, size_t count,
                                     bool has_before, gs_look_order order,
                                     size_t *disorder)
{
    if (strings == lines)
        return look_in_order(lines, count, true, has_before, order, disorder);
    (void)look_in_order(strings, count, false, has_before, order, disorder);
    return look_512(lines, count, true, false, false, order, disorder);
}
#endif

uint64_t gs_look_at(const gs_seen_string *lines, const gs_seen_string *strings,
                    size_t count, bool has_before, gs_look_order order, size_t *disorder)
{
#if GS_HASH_HAS_AES
    if (gs_hash_has_aes())
        return look_aes(lines, strings, count, has_before, order, disorder);
#endif
    *disorder = find_disorder(strings, count, has_before, order);
    return add_hashes(lines, count);
}
