/* SPDX-License-Identifier: MIT */
/*
 * Lengths and differences of neighbours are random, and a branch on them would be guessed
 * wrong every other time. So with AVX-512 the first 64 bytes of records are compared at
 * once: the lowest byte that differs decides, and zeros stand behind the end of the
 * shorter. Only what is the same there, but longer or of another length, is looked at
 * byte by byte.
 */
#include "lib/sort/witness/record_look.h"

#include "lib/base/assertion.h"
#include "lib/sort/record/records.h"
#include "lib/sort/witness/record_hash.h"

static bool may_follow(gs_seen_string a, gs_seen_string b, gs_look_order order)
{
    const int d = order.is_backwards
                      ? gs_string_compare(b.data, b.bytes, a.data, a.bytes, 0)
                      : gs_string_compare(a.data, a.bytes, b.data, b.bytes, 0);
    return order.is_strict ? d < 0 : d <= 0;
}

/* Words of eight bytes mostly tell; where they are the same the strings are compared. */
static size_t find_disorder(const gs_look *l, const gs_seen_string *s, size_t count)
{
    const uint64_t flip = l->order.is_backwards ? UINT64_MAX : 0;
    gs_seen_string last = l->before;
    uint64_t last_word =
        l->has_before ? gs_string_word(last.data, last.bytes, 0) ^ flip : 0;
    for (size_t i = 0; i < count; i++) {
        const gs_seen_string now = s[i];
        const uint64_t word = gs_string_word(now.data, now.bytes, 0) ^ flip;
        if (last_word >= word && (i > 0 || l->has_before) &&
            !may_follow(last, now, l->order))
            return i + 1;
        last = now;
        last_word = word;
    }
    return 0;
}

static inline __attribute__((always_inline)) uint64_t
add_hashes_by(gs_hash_fn *hash, const gs_seen_string *s, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += hash(s[i].data, s[i].bytes);
    return sum;
}

GS_HASH_AVX2 static uint64_t add_hashes_avx2(const gs_seen_string *s, size_t count)
{
    return add_hashes_by(gs_hash_record_avx2, s, count);
}

#if GS_HASH_HAS_AES
/* Not 0 if `now` may not follow `last`. */
GS_HASH_AES static inline uint64_t is_disorder(__m512i last, gs_seen_string last_string,
                                               __m512i now, gs_seen_string now_string,
                                               gs_look_order order)
{
    const uint64_t other = _mm512_cmpneq_epu8_mask(last, now);
    const uint64_t good = order.is_backwards ? _mm512_cmpgt_epu8_mask(last, now)
                                             : _mm512_cmplt_epu8_mask(last, now);
    const size_t goes_on =
        (last_string.bytes ^ now_string.bytes) | (now_string.bytes / GS_HASH_BLOCK);
    if (__builtin_expect((other == 0) & (goes_on != 0), 0))
        return !may_follow(last_string, now_string, order);
    const uint64_t lowest = _blsi_u64(other);
    return (lowest & ~good) | (uint64_t)(order.is_strict & (other == 0));
}

/* The loop for all; what is not wanted is not compiled. How long a record is, is not
 * branched on: the first 64 bytes of two neighbours nearly always tell their order, and
 * hashes of long ones are left for later. */
GS_HASH_AES static inline __attribute__((always_inline)) void
look_512(gs_look *l, const gs_seen_string *s, size_t count, bool hashes, bool compares,
         gs_look_order order)
{
    __m256i sums = _mm256_setzero_si256();
    __m512i last = _mm512_setzero_si512();
    gs_seen_string last_string = {0};
    uint64_t bad = 0;
    uint16_t long_ones[GS_LOOK_MAX];
    size_t long_count = 0;
    if (compares && l->has_before) {
        last_string = l->before;
        last = gs_hash_load_512(last_string.data, last_string.bytes);
    }
    const bool has_before = l->has_before;
    for (size_t i = 0; i < count; i++) {
        const gs_seen_string string = s[i];
        const __m512i now = gs_hash_load_512(string.data, string.bytes);
        if (compares && (i > 0 || has_before))
            bad |= is_disorder(last, last_string, now, string, order);
        last = now;
        last_string = string;
        if (hashes) {
            sums = _mm256_add_epi64(sums, gs_hash_first_aes(now, string.bytes));
            long_ones[long_count] = (uint16_t)i;
            long_count += string.bytes > GS_HASH_BLOCK;
        }
    }
    for (size_t k = 0; k < long_count; k++) {
        const gs_seen_string string = s[long_ones[k]];
        sums = _mm256_add_epi64(sums, gs_hash_rest_aes(string.data, string.bytes));
    }
    if (hashes)
        l->sum = gs_hash_sum_aes(sums);
    if (compares)
        l->disorder = bad == 0 ? 0 : find_disorder(l, s, count);
}

/* Of the orders each has a loop of its own. */
GS_HASH_AES static inline __attribute__((always_inline)) void
look_in_order(gs_look *l, const gs_seen_string *s, size_t count, bool hashes)
{
    if (l->order.is_backwards)
        look_512(l, s, count, hashes, true, (gs_look_order){true, l->order.is_strict});
    else
        look_512(l, s, count, hashes, true, (gs_look_order){false, l->order.is_strict});
}

GS_HASH_AES static void look_aes(gs_look *l, const gs_seen_string *lines,
                                 const gs_seen_string *strings, size_t count)
{
    if (strings == NULL) {
        look_in_order(l, lines, count, true);
    } else {
        look_in_order(l, strings, count, false);
        look_512(l, lines, count, true, false, l->order);
    }
}

static inline gs_seen_string line_at_end(const uint8_t *text, const uint32_t *ends,
                                         size_t i)
{
    const size_t begin = i > 0 ? (size_t)ends[i - 1] + 1 : 0;
    return (gs_seen_string){text + begin, ends[i] - begin};
}

/* Of lines of a text, whose places are all there is to be noted of them. */
GS_HASH_AES static inline __attribute__((always_inline)) void
look_text_512(gs_look *l, const uint8_t *text, const uint32_t *ends, size_t count,
              gs_look_order order)
{
    __m256i sums = _mm256_setzero_si256();
    __m512i last = _mm512_setzero_si512();
    gs_seen_string last_line = l->before;
    uint64_t bad = 0;
    uint16_t long_ones[GS_LOOK_MAX];
    size_t long_count = 0;
    if (l->has_before)
        last = gs_hash_load_512(last_line.data, last_line.bytes);
    const bool has_before = l->has_before;
    const uint8_t *begin = text;
    for (size_t i = 0; i < count; i++) {
        const gs_seen_string line = {begin, (size_t)(text + ends[i] - begin)};
        const __m512i now = gs_hash_load_512(line.data, line.bytes);
        if (i > 0 || has_before)
            bad |= is_disorder(last, last_line, now, line, order);
        sums = _mm256_add_epi64(sums, gs_hash_first_aes(now, line.bytes));
        long_ones[long_count] = (uint16_t)i;
        long_count += line.bytes > GS_HASH_BLOCK;
        last = now;
        last_line = line;
        begin = text + ends[i] + 1;
    }
    for (size_t k = 0; k < long_count; k++) {
        const gs_seen_string line = line_at_end(text, ends, long_ones[k]);
        sums = _mm256_add_epi64(sums, gs_hash_rest_aes(line.data, line.bytes));
    }
    l->sum = gs_hash_sum_aes(sums);
    l->disorder = bad != 0;
}

/* Are all of these lines short, the one before them too? Where they are long on the
 * average that is not even asked. */
GS_HASH_AES static bool are_short(const gs_look *l, const uint32_t *ends, size_t count)
{
    const bool has_long = l->has_before && l->before.bytes > GS_HASH_SHORT;
    if (has_long || ends[0] > GS_HASH_SHORT ||
        ends[count - 1] >= count * (GS_HASH_SHORT - GS_HASH_SHORT / 8))
        return false;
    uint32_t most = 0;
    for (size_t i = 1; i < count; i++) {
        const uint32_t bytes = ends[i] - ends[i - 1] - 1;
        most = bytes > most ? bytes : most;
    }
    return most <= GS_HASH_SHORT;
}

/* The same of lines that all are short. */
GS_HASH_AES static inline __attribute__((always_inline)) void
look_text_256(gs_look *l, const uint8_t *text, const uint32_t *ends, size_t count,
              gs_look_order order)
{
    __m256i sums = _mm256_setzero_si256();
    __m256i last = _mm256_setzero_si256();
    size_t last_bytes = 0;
    uint32_t bad = 0;
    if (l->has_before) {
        last_bytes = l->before.bytes;
        last = gs_hash_load_256(l->before.data, last_bytes);
    }
    const bool has_before = l->has_before;
    const uint8_t *begin = text;
    for (size_t i = 0; i < count; i++) {
        const size_t bytes = (size_t)(text + ends[i] - begin);
        const __m256i now = gs_hash_load_256(begin, bytes);
        const uint32_t other = _mm256_cmpneq_epu8_mask(last, now);
        const uint32_t good = order.is_backwards ? _mm256_cmpgt_epu8_mask(last, now)
                                                 : _mm256_cmplt_epu8_mask(last, now);
        /* Zeros at the end of one may be what the other lacks. */
        const size_t below = order.is_backwards ? last_bytes < bytes : bytes < last_bytes;
        const bool is_same = other == 0;
        const uint32_t wrong =
            (_blsi_u32(other) & ~good) |
            (uint32_t)(is_same & (below | (order.is_strict & (bytes == last_bytes))));
        bad |= i > 0 || has_before ? wrong : 0;
        sums = _mm256_add_epi64(sums, gs_hash_short_aes(now, bytes));
        last = now;
        last_bytes = bytes;
        begin = text + ends[i] + 1;
    }
    l->sum = gs_hash_sum_aes(sums);
    l->disorder = bad != 0;
}

GS_HASH_AES static void look_text_aes(gs_look *l, const uint8_t *text,
                                      const uint32_t *ends, size_t count)
{
    const bool is_short = are_short(l, ends, count);
    const gs_look_order order = l->order;
    if (is_short && order.is_backwards)
        look_text_256(l, text, ends, count, (gs_look_order){true, order.is_strict});
    else if (is_short)
        look_text_256(l, text, ends, count, (gs_look_order){false, order.is_strict});
    else if (order.is_backwards)
        look_text_512(l, text, ends, count, (gs_look_order){true, order.is_strict});
    else
        look_text_512(l, text, ends, count, (gs_look_order){false, order.is_strict});
}
#else
#define look_aes(l, lines, strings, count)  ((void)0)
#define look_text_aes(l, text, ends, count) ((void)0)
#endif

void gs_look_at(gs_look *l, const gs_seen_string *lines, const gs_seen_string *strings,
                size_t count, uint8_t eol)
{
    if (gs_hash_has_aes()) {
        look_aes(l, lines, strings, count);
    } else {
        l->disorder = find_disorder(l, strings != NULL ? strings : lines, count);
        l->sum = gs_hash_has_avx2() ? add_hashes_avx2(lines, count)
                                    : add_hashes_by(gs_hash_record_plain, lines, count);
    }
    uint64_t bytes = 0;
    uint8_t other = 0;
    for (size_t i = 0; i < count; i++) {
        bytes += lines[i].bytes;
        other |= lines[i].data[lines[i].bytes] ^ eol;
    }
    l->bytes = bytes;
    l->lacks_eol = other != 0;
}

void gs_look_at_text(gs_look *l, const uint8_t *text, const uint32_t *ends, size_t count)
{
    gs_assert(count > 0 && count <= GS_LOOK_MAX);
    if (gs_hash_has_aes()) {
        look_text_aes(l, text, ends, count);
        l->lacks_eol = false;
        l->bytes = (uint64_t)ends[count - 1] + 1 - count;
        if (l->disorder == 0)
            return;
    }
    gs_seen_string lines[GS_LOOK_MAX];
    size_t begin = 0;
    for (size_t i = 0; i < count; i++) {
        lines[i] = (gs_seen_string){text + begin, ends[i] - begin};
        begin = (size_t)ends[i] + 1;
    }
    gs_look_at(l, lines, NULL, count, text[ends[count - 1]]);
}
