/* SPDX-License-Identifier: MIT */
#include "lib/sort/witness/keyed_look.h"

#include "lib/base/assertion.h"
#include "lib/sort/witness/record_hash.h"

void gs_keyed_look_release(gs_keyed_look *k)
{
    for (unsigned i = 0; i < 2; i++)
        gs_line_string_release(&k->strings[i]);
}

static gs_seen_string line_of(const uint8_t *text, const uint32_t *ends, size_t i)
{
    const size_t begin = i > 0 ? (size_t)ends[i - 1] + 1 : 0;
    return (gs_seen_string){text + begin, ends[i] - begin};
}

gs_code gs_keyed_look_string(gs_keyed_look *k, const uint8_t *text, const uint32_t *ends,
                             size_t line, gs_seen_string *out, gs_status *st)
{
    gs_line_string *const s = &k->strings[line % 2];
    const gs_seen_string from = line_of(text, ends, line);
    if (k->made[line % 2] != line + 1)
        GS_TRY(gs_line_string_make(s, k->layout, k->encoder, from.data, from.bytes, st));
    k->made[line % 2] = line + 1;
    *out = (gs_seen_string){s->data, s->bytes};
    return GS_OK;
}

#if GS_HASH_HAS_AES
#define WITH_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,bmi,bmi2,popcnt")))

enum { HEAD_BYTES = 64, NOT_KNOWN = 2 };

/* The first bytes of a line, zeros behind it, and what is in them: bits. */
typedef struct line_head {
    const uint8_t *data;
    size_t bytes;
    __m512i text;
    uint64_t delimiters, digits;
} line_head;

WITH_AVX512 static inline line_head look_at_head(const gs_keyed_look *k,
                                                 gs_seen_string line)
{
    const uint64_t there = _bzhi_u64(
        UINT64_MAX, line.bytes < HEAD_BYTES ? (unsigned)line.bytes : HEAD_BYTES);
    line_head h = {.data = line.data, .bytes = line.bytes};
    h.text = _mm512_maskz_loadu_epi8(there, line.data);
    h.delimiters =
        _mm512_mask_cmpeq_epi8_mask(there, h.text, _mm512_set1_epi8((char)k->delimiter));
    h.digits = _mm512_mask_cmple_epu8_mask(
        there, _mm512_sub_epi8(h.text, _mm512_set1_epi8('0')), _mm512_set1_epi8(9));
    return h;
}

/* Where the field ends that is not over at `at`. */
WITH_AVX512 static inline size_t field_end(const line_head *h, size_t at,
                                           const gs_keyed_decider *key)
{
    const uint64_t ahead =
        key->is_rest ? 0 : h->delimiters & ~_bzhi_u64(UINT64_MAX, (unsigned)at);
    return ahead != 0 ? (size_t)_tzcnt_u64(ahead) : h->bytes;
}

/* Is it digits only, of which the first counts? */
WITH_AVX512 static inline bool is_plain_number(const line_head *h, size_t from,
                                               size_t end)
{
    const uint64_t all =
        _bzhi_u64(UINT64_MAX, (unsigned)end) & ~_bzhi_u64(UINT64_MAX, (unsigned)from);
    return end <= HEAD_BYTES && from < end && (all & ~h->digits) == 0 &&
           (h->data[from] != '0' || end == from + 1);
}

/* Two numbers that begin at `from` and are the same before `at`. */
WITH_AVX512 static inline int by_number(const line_head *a, const line_head *b,
                                        size_t from, size_t at,
                                        const gs_keyed_decider *key)
{
    const size_t a_end = field_end(a, at, key), b_end = field_end(b, at, key);
    if (__builtin_expect(
            !(is_plain_number(a, from, a_end) && is_plain_number(b, from, b_end)), 0))
        return NOT_KNOWN;
    const size_t x = a_end << 8 | a->data[at], y = b_end << 8 | b->data[at];
    if (at >= a_end || at >= b_end)
        return a_end == b_end ? NOT_KNOWN : a_end < b_end ? -1 : 1;
    return x < y ? -1 : 1;
}

/* Two texts that are the same before `at`, where they differ, or one of them ends. */
WITH_AVX512 static inline int by_text(const line_head *a, const line_head *b, size_t at,
                                      const gs_keyed_decider *key)
{
    const unsigned x = at < field_end(a, at, key) ? a->data[at] + 1u : 0,
                   y = at < field_end(b, at, key) ? b->data[at] + 1u : 0;
    return x == y ? NOT_KNOWN : x < y ? -1 : 1;
}

/* As their strings compare. */
WITH_AVX512 static inline int compare_heads(const gs_keyed_look *k, const line_head *a,
                                            const line_head *b)
{
    const uint64_t other = _mm512_cmpneq_epu8_mask(a->text, b->text);
    const size_t shorter = a->bytes < b->bytes ? a->bytes : b->bytes;
    const size_t at = (size_t)_tzcnt_u64(other);
    if (other == 0)
        return a->bytes == b->bytes && a->bytes <= HEAD_BYTES ? 0 : NOT_KNOWN;
    const uint64_t passed = a->delimiters & _bzhi_u64(UINT64_MAX, (unsigned)at);
    const size_t field = (size_t)_mm_popcnt_u64(passed);
    const gs_keyed_decider *const key =
        &k->deciders[field < GS_KEYED_FIELDS ? field : GS_KEYED_FIELDS];
    if (!key->is_known || at > shorter) /* a line may end with zeros */
        return NOT_KNOWN;
    const int d =
        key->is_number
            ? by_number(a, b, 63 - (size_t)__builtin_clzll(passed << 1 | 1), at, key)
            : by_text(a, b, at, key);
    return d != NOT_KNOWN && key->is_complemented ? -d : d;
}

static gs_code compare_strings(gs_keyed_look *k, const uint8_t *text,
                               const uint32_t *ends, size_t line, int *out, gs_status *st)
{
    gs_seen_string a, b;
    GS_TRY(gs_keyed_look_string(k, text, ends, line - 1, &a, st));
    GS_TRY(gs_keyed_look_string(k, text, ends, line, &b, st));
    *out = gs_string_compare(a.data, a.bytes, b.data, b.bytes, 0);
    return GS_OK;
}

WITH_AVX512 static gs_code find_disorder(gs_keyed_look *k, const uint8_t *text,
                                         const uint32_t *ends, size_t count,
                                         gs_look_order order, size_t *disorder,
                                         gs_status *st)
{
    line_head last = look_at_head(k, line_of(text, ends, 0));
    for (size_t i = 1; i < count; i++) {
        const line_head now = look_at_head(k, line_of(text, ends, i));
        int d = compare_heads(k, &last, &now);
        if (__builtin_expect(d == NOT_KNOWN, 0))
            GS_TRY(compare_strings(k, text, ends, i, &d, st));
        if (order.is_backwards)
            d = -d;
        if (d > 0 || (d == 0 && order.is_strict)) {
            *disorder = i + 1;
            return GS_OK;
        }
        last = now;
    }
    return GS_OK;
}

/* Of lines that differ first in `field`: the first key that may not be equal. */
static gs_keyed_decider decider_of(const gs_plain_keys *keys, size_t field,
                                   bool is_key_only)
{
    for (size_t i = 0; i < keys->count; i++) {
        const gs_plain_key *const key = &keys->keys[i];
        if (key->field < field && !key->is_rest)
            continue;
        if (key->field > field || (key->field < field && key->is_number))
            return (gs_keyed_decider){0};
        return (gs_keyed_decider){.is_known = true,
                                  .is_complemented = key->is_complemented,
                                  .is_rest = key->is_rest,
                                  .is_number = key->is_number};
    }
    /* The lines themselves. */
    return (gs_keyed_decider){.is_known = !is_key_only, .is_rest = true};
}

bool gs_keyed_look_init(gs_keyed_look *k, const gs_record_layout *layout,
                        const gs_key_encoder *encoder)
{
    gs_plain_keys keys;
    *k = (gs_keyed_look){.layout = layout, .encoder = encoder};
    if (!__builtin_cpu_supports("avx512bw") || !__builtin_cpu_supports("avx512vl") ||
        !__builtin_cpu_supports("bmi2") || !__builtin_cpu_supports("popcnt") ||
        !gs_key_encoder_plain_keys(encoder, &keys))
        return false;
    k->delimiter = keys.delimiter;
    for (size_t field = 0; field < GS_KEYED_FIELDS; field++)
        k->deciders[field] = decider_of(&keys, field, layout->is_key_only);
    return true;
}
#else
#define find_disorder(k, text, ends, count, order, disorder, st) GS_OK

bool gs_keyed_look_init(gs_keyed_look *k, const gs_record_layout *layout,
                        const gs_key_encoder *encoder)
{
    *k = (gs_keyed_look){.layout = layout, .encoder = encoder};
    return false;
}
#endif

gs_code gs_keyed_look_at_text(gs_keyed_look *k, const uint8_t *text, const uint32_t *ends,
                              size_t count, gs_look_order order, size_t *disorder,
                              gs_status *st)
{
    gs_assert(count > 0);
    k->made[0] = k->made[1] = 0;
    *disorder = 0;
    return find_disorder(k, text, ends, count, order, disorder, st);
}
