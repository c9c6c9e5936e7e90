/* SPDX-License-Identifier: MIT */
#include "lib/json/json_string.h"

#include <stddef.h>

#include "lib/base/assertion.h"
#include "lib/base/hex_digit.h"
#include "lib/base/utf8.h"
#include "lib/json/json_block.h"

bool gs_json_has_way(gs_json_way way)
{
#ifdef __x86_64__
    switch (way) {
    case GS_JSON_PLAIN: return true;
    case GS_JSON_AVX2: /* the first two Zens take many steps for pext */
        return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("bmi2") &&
               __builtin_cpu_supports("popcnt") && !__builtin_cpu_is("znver1") &&
               !__builtin_cpu_is("znver2");
    case GS_JSON_AVX512:
        return __builtin_cpu_supports("avx512bw") &&
               __builtin_cpu_supports("avx512vbmi") &&
               __builtin_cpu_supports("avx512vbmi2") && __builtin_cpu_supports("bmi2") &&
               __builtin_cpu_supports("popcnt");
    case GS_JSON_WAY_COUNT: break;
    }
    return false;
#else
    return way == GS_JSON_PLAIN;
#endif
}

static gs_json_way best_way(void)
{
    gs_json_way way = GS_JSON_WAY_COUNT - 1;
    while (!gs_json_has_way(way))
        way--;
    return way;
}

/* --- one by one -------------------------------------------------------------------- */

/* The first byte at or after `p` that ends a plain stretch of a string: a quotation mark,
 * a backslash or a control character; `end` if there is none. *has_high is set if a byte
 * before it is not ASCII. Reads up to 15 bytes beyond `end`. */
static const uint8_t *find_stop(const uint8_t *p, const uint8_t *end, bool *has_high)
{
#ifdef __SSE2__
    const __m128i quote = _mm_set1_epi8('"'), escape = _mm_set1_epi8('\\');
    const __m128i last_control = _mm_set1_epi8(0x1f);
    for (; p < end; p += 16) {
        const __m128i bytes = _mm_loadu_si128((const __m128i *)(const void *)p);
        const __m128i is_control =
            _mm_cmpeq_epi8(_mm_min_epu8(bytes, last_control), bytes);
        const __m128i stops =
            _mm_or_si128(is_control, _mm_or_si128(_mm_cmpeq_epi8(bytes, quote),
                                                  _mm_cmpeq_epi8(bytes, escape)));
        const unsigned mask = (unsigned)_mm_movemask_epi8(stops);
        const unsigned high = (unsigned)_mm_movemask_epi8(bytes);
        if (mask != 0) {
            const unsigned n = (unsigned)__builtin_ctz(mask);
            *has_high |= (high & ((1u << n) - 1)) != 0;
            return p + n < end ? p + n : end;
        }
        *has_high |= high != 0;
    }
    return end;
#else
    for (; p < end && *p != '"' && *p != '\\' && *p >= 0x20; p++)
        *has_high |= *p >= 0x80;
    return p;
#endif
}

/* Four hexadecimal digits; the value, or -1. */
static int32_t hex4(const uint8_t *p, const uint8_t *end)
{
    if (end - p < 4)
        return -1;
    int32_t value = 0;
    for (unsigned i = 0; i < 4; i++) {
        const int digit = gs_hex_digit(p[i]);
        if (digit < 0)
            return -1;
        value = value * 16 + digit;
    }
    return value;
}

static bool is_high_surrogate(int32_t x)
{
    return x >= 0xd800 && x < 0xdc00;
}

static bool is_low_surrogate(int32_t x)
{
    return x >= 0xdc00 && x < 0xe000;
}

/* What the letter of a short escape stands for; 0: it is none. */
static const uint8_t short_escapes[256] = {
    ['"'] = '"',  ['\\'] = '\\', ['/'] = '/',  ['b'] = '\b',
    ['f'] = '\f', ['n'] = '\n',  ['r'] = '\r', ['t'] = '\t',
};

/* Stands behind a backslash; checks one escape, or a pair that makes a code point. */
static bool check_escape(gs_json_reader *r)
{
    if (r->at == r->end)
        return gs_json_fail(r, "a string does not end");
    const uint8_t c = *r->at++;
    if (c != 'u')
        return short_escapes[c] != 0 || gs_json_fail(r, "an unknown escape in a string");
    const int32_t unit = hex4(r->at, r->end);
    if (unit < 0)
        return gs_json_fail(r, "\\u without four hexadecimal digits");
    r->at += 4;
    if (is_low_surrogate(unit))
        return gs_json_fail(r, "half of a surrogate pair");
    if (!is_high_surrogate(unit))
        return true;
    if (r->end - r->at < 6 || r->at[0] != '\\' || r->at[1] != 'u' ||
        !is_low_surrogate(hex4(r->at + 2, r->end)))
        return gs_json_fail(r, "half of a surrogate pair");
    r->at += 6;
    return true;
}

/* --- blocks ------------------------------------------------------------------------ */

/* What a string was found to have. */
typedef struct string_finding {
    bool has_high, has_escapes;
} string_finding;

#ifdef __x86_64__

typedef gs_json_masks masks_fn(const uint8_t *p);
typedef uint64_t short_escapes_fn(const uint8_t *p);

/* Goes over blocks of plain bytes and short escapes, up to the quotation mark that ends
 * the string, or to a block with something else, or to one that an escape reaches into.
 * True: it stands on that mark. */
static inline __attribute__((always_inline)) bool
skip_by(masks_fn *masks_of, short_escapes_fn *short_escapes_of, gs_json_reader *r,
        string_finding *out)
{
    uint64_t carry = 0;
    while (r->end - r->at >= GS_JSON_BLOCK) {
        const gs_json_masks m = masks_of(r->at);
        const uint64_t carried = carry;
        uint64_t escaped = 0, unknown = 0;
        if ((m.backslashes | carry) != 0) {
            escaped = gs_json_escaped(m.backslashes, &carry);
            unknown = escaped & ~short_escapes_of(r->at);
        }
        const uint64_t ends = m.quotes & ~escaped;
        const uint64_t before = ends != 0 ? (ends & -ends) - 1 : UINT64_MAX;
        if (((m.controls | unknown) & before) != 0) {
            r->at -= carried; /* its backslash is read again */
            return false;
        }
        out->has_high |= (m.high & before) != 0;
        out->has_escapes |= (m.backslashes & before) != 0;
        if (ends != 0) {
            r->at += __builtin_ctzll(ends);
            return true;
        }
        r->at += GS_JSON_BLOCK;
    }
    r->at -= carry;
    return false;
}

GS_JSON_FOR_AVX512 static bool skip_avx512(gs_json_reader *r, string_finding *out)
{
    return skip_by(gs_json_masks_avx512, gs_json_short_escapes_avx512, r, out);
}

GS_JSON_FOR_AVX2 static bool skip_avx2(gs_json_reader *r, string_finding *out)
{
    return skip_by(gs_json_masks_avx2, gs_json_short_escapes_avx2, r, out);
}

static bool skip_blocks(gs_json_way way, gs_json_reader *r, string_finding *out)
{
    if (way == GS_JSON_AVX512)
        return skip_avx512(r, out);
    if (way == GS_JSON_AVX2)
        return skip_avx2(r, out);
    return skip_by(gs_json_masks_plain, gs_json_short_escapes_plain, r, out);
}

#else

static bool skip_blocks(gs_json_way way, gs_json_reader *r, string_finding *out)
{
    (void)way;
    (void)r;
    (void)out;
    return false;
}

#endif

bool gs_json_read_string_by(gs_json_way way, gs_json_reader *r, gs_json_string *out)
{
    const uint8_t *const begin = ++r->at;
    string_finding found = {false, false};
    size_t slow_bytes = 0; /* up to there it is looked at step by step */
    for (;;) {
        if ((size_t)(r->at - begin) >= slow_bytes) {
            if (skip_blocks(way, r, &found)) {
                r->at++;
                break;
            }
            slow_bytes = (size_t)(r->at - begin) + GS_JSON_BLOCK;
        }
        r->at = find_stop(r->at, r->end, &found.has_high);
        if (r->at == r->end)
            return gs_json_fail(r, "a string does not end");
        const uint8_t stop = *r->at++;
        if (stop == '"')
            break;
        if (stop != '\\')
            return gs_json_fail(r, "a control character in a string");
        found.has_escapes = true;
        if (!check_escape(r))
            return false;
    }
    *out = (gs_json_string){{begin, (size_t)(r->at - 1 - begin)}, found.has_escapes};
    if (found.has_high && !gs_utf8_is_valid(begin, out->raw.bytes))
        return gs_json_fail(r, "a string is not UTF-8");
    return true;
}

bool gs_json_read_string(gs_json_reader *r, gs_json_string *out)
{
    return gs_json_read_string_by(best_way(), r, out);
}

/* --- escapes ----------------------------------------------------------------------- */

#ifdef __SSE2__
/* Writes the first n of 16 bytes, and what is there behind them once more. */
static void put_first(uint8_t *to, __m128i bytes, unsigned n)
{
    static const uint8_t ones_then_none[32] = {
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
        0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff,
    };
    const __m128i takes =
        _mm_loadu_si128((const __m128i *)(const void *)(ones_then_none + 16 - n));
    const __m128i there = _mm_loadu_si128((const __m128i *)(const void *)to);
    _mm_storeu_si128((__m128i *)(void *)to, _mm_or_si128(_mm_and_si128(takes, bytes),
                                                         _mm_andnot_si128(takes, there)));
}
#endif

/* Moves what comes before the next backslash; returns that, or `end`. */
static const uint8_t *move_plain(uint8_t **to, const uint8_t *p, const uint8_t *end)
{
#ifdef __SSE2__
    const __m128i backslash = _mm_set1_epi8('\\');
    for (; end - p >= 16; p += 16, *to += 16) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)p);
        const unsigned mask = (unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, backslash));
        if (mask != 0) {
            const unsigned n = (unsigned)__builtin_ctz(mask);
            put_first(*to, x, n);
            *to += n;
            return p + n;
        }
        _mm_storeu_si128((__m128i *)(void *)*to, x);
    }
#endif
    while (p < end && *p != '\\')
        *(*to)++ = *p++;
    return p;
}

/* Stands behind "\u"; writes the code point of it or of the pair that it begins. */
static const uint8_t *unescape_point(uint8_t **to, const uint8_t *p, const uint8_t *end)
{
    uint32_t point = (uint32_t)hex4(p, end);
    p += 4;
    if (is_high_surrogate((int32_t)point)) {
        const uint32_t low = (uint32_t)hex4(p + 2, end);
        point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
        p += 6;
    }
    *to = gs_utf8_encode(*to, point);
    return p;
}

/* Stands behind a backslash; writes what it stands for. */
static const uint8_t *unescape_one(uint8_t **to, const uint8_t *p, const uint8_t *end)
{
    if (*p == 'u')
        return unescape_point(to, p + 1, end);
    *(*to)++ = short_escapes[*p];
    return p + 1;
}

/* Goes on to `until`, or behind the escape that holds it. The first byte may be one
 * behind a backslash that is gone already. */
static const uint8_t *unescape_to(uint8_t **to, const uint8_t *p, const uint8_t *until,
                                  const uint8_t *end, bool is_behind)
{
    for (;;) {
        if (is_behind)
            p = unescape_one(to, p, end);
        p = p < until ? move_plain(to, p, until) : p;
        if (p >= until)
            return p;
        p++;
        is_behind = true;
    }
}

#ifdef __x86_64__

/* Which bytes of a block stay, and which of those are letters of escapes. */
typedef struct block_plan {
    uint64_t kept, escaped;
    uint64_t points; /* the letters of \\u, from the first of which on nothing is kept */
} block_plan;

static inline block_plan plan_block(uint64_t backslashes, uint64_t us, uint64_t *carry)
{
    const uint64_t escaped = gs_json_escaped(backslashes, carry);
    const uint64_t kept = ~(backslashes & ~escaped);
    const uint64_t points = escaped & us;
    const uint64_t before = points != 0 ? ((points & -points) - 1) >> 1 : UINT64_MAX;
    return (block_plan){kept & before, escaped & before, points};
}

/* Writes no byte behind what it keeps: what comes next may still be read. */
GS_JSON_FOR_AVX512 static uint8_t *unescape_avx512(gs_text_span raw, uint8_t *to)
{
    const uint8_t *p = raw.data;
    const uint8_t *const end = p + raw.bytes;
    const __m512i backslash = _mm512_set1_epi8('\\'), u = _mm512_set1_epi8('u');
    uint64_t carry = 0;
    while (p < end) {
        const size_t left = (size_t)(end - p);
        const size_t bytes = left < GS_JSON_BLOCK ? left : GS_JSON_BLOCK;
        const uint64_t there = UINT64_MAX >> (GS_JSON_BLOCK - bytes);
        const __m512i x = _mm512_maskz_loadu_epi8(there, p);
        const uint64_t backslashes = _mm512_cmpeq_epi8_mask(x, backslash);
        if ((backslashes | carry) == 0) {
            _mm512_mask_storeu_epi8(to, there, x);
            to += bytes;
            p += bytes;
            continue;
        }
        const block_plan b =
            plan_block(backslashes, _mm512_cmpeq_epi8_mask(x, u), &carry);
        const uint64_t kept = b.kept & there;
        const unsigned count = (unsigned)__builtin_popcountll(kept);
        const uint64_t out = count > 0 ? UINT64_MAX >> (GS_JSON_BLOCK - count) : 0;
        _mm512_mask_storeu_epi8(
            to, out,
            _mm512_maskz_compress_epi8(kept, gs_json_meanings_avx512(x, b.escaped)));
        to += count;
        p += bytes;
        if (b.points == 0)
            continue;
        p = unescape_point(&to, p - bytes + __builtin_ctzll(b.points) + 1, end);
        carry = 0;
    }
    return to;
}

/* What is kept of eight bytes is written with what there is behind it, which has been
 * read by then. */
GS_JSON_FOR_AVX2 static uint8_t *unescape_avx2(gs_text_span raw, uint8_t *to)
{
    const uint8_t *p = raw.data;
    const uint8_t *const end = p + raw.bytes;
    const __m256i backslash = _mm256_set1_epi8('\\'), u = _mm256_set1_epi8('u');
    uint64_t carry = 0;
    while (end - p >= GS_JSON_BLOCK) {
        const __m256i x = _mm256_loadu_si256((const __m256i *)(const void *)p);
        const __m256i y = _mm256_loadu_si256((const __m256i *)(const void *)(p + 32));
        const uint64_t backslashes = gs_json_bits_avx2(_mm256_cmpeq_epi8(x, backslash),
                                                       _mm256_cmpeq_epi8(y, backslash));
        if ((backslashes | carry) == 0) {
            _mm256_storeu_si256((__m256i *)(void *)to, x);
            _mm256_storeu_si256((__m256i *)(void *)(to + 32), y);
            to += GS_JSON_BLOCK;
            p += GS_JSON_BLOCK;
            continue;
        }
        const bool is_behind = carry != 0;
        const uint64_t us =
            gs_json_bits_avx2(_mm256_cmpeq_epi8(x, u), _mm256_cmpeq_epi8(y, u));
        const block_plan b = plan_block(backslashes, us, &carry);
        if (b.points != 0) {
            p = unescape_to(&to, p, p + __builtin_ctzll(b.points), end, is_behind);
            carry = 0;
            continue;
        }
        to = gs_json_keep_avx2(to, gs_json_meanings_avx2(x, (uint32_t)b.escaped),
                               (uint32_t)b.kept);
        to = gs_json_keep_avx2(to, gs_json_meanings_avx2(y, (uint32_t)(b.escaped >> 32)),
                               (uint32_t)(b.kept >> 32));
        p += GS_JSON_BLOCK;
    }
    (void)unescape_to(&to, p, end, end, carry != 0);
    return to;
}

#endif

uint8_t *gs_json_unescape_by(gs_json_way way, gs_text_span raw, uint8_t *to)
{
#ifdef __x86_64__
    if (way == GS_JSON_AVX512)
        return unescape_avx512(raw, to);
    if (way == GS_JSON_AVX2)
        return unescape_avx2(raw, to);
#endif
    gs_assert(way == GS_JSON_PLAIN);
    const uint8_t *const end = raw.data + raw.bytes;
    (void)unescape_to(&to, raw.data, end, end, false);
    return to;
}

uint8_t *gs_json_unescape(gs_text_span raw, uint8_t *to)
{
    return gs_json_unescape_by(best_way(), raw, to);
}
