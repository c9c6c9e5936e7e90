/* SPDX-License-Identifier: MIT */
#include "lib/json/json_reader.h"

#include <string.h>

#ifdef __SSE2__
#include <emmintrin.h>
#endif

#include "lib/base/utf8.h"

/* --- strings ---------------------------------------------------------------------- */

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
        const uint8_t c = p[i], lower = c | 0x20;
        if (c >= '0' && c <= '9')
            value = value * 16 + (c - '0');
        else if (lower >= 'a' && lower <= 'f')
            value = value * 16 + (lower - 'a' + 10);
        else
            return -1;
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

enum { BLOCK = 64 };

#ifdef __SSE2__
/* What 64 bytes of a string are, a bit for each, the lowest for the first. */
typedef struct string_masks {
    uint64_t quotes, backslashes, controls, high;
} string_masks;

static string_masks string_masks_of(const uint8_t *p)
{
    const __m128i quote = _mm_set1_epi8('"'), backslash = _mm_set1_epi8('\\');
    const __m128i last_control = _mm_set1_epi8(0x1f);
    string_masks m = {0, 0, 0, 0};
    for (unsigned i = 0; i < BLOCK; i += 16) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        const __m128i is_control = _mm_cmpeq_epi8(_mm_min_epu8(x, last_control), x);
        m.quotes |= (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, quote)) << i;
        m.backslashes |=
            (uint64_t)(unsigned)_mm_movemask_epi8(_mm_cmpeq_epi8(x, backslash)) << i;
        m.controls |= (uint64_t)(unsigned)_mm_movemask_epi8(is_control) << i;
        m.high |= (uint64_t)(unsigned)_mm_movemask_epi8(x) << i;
    }
    return m;
}

/* The bytes that make a short escape behind a backslash. */
static uint64_t short_escapes_of(const uint8_t *p)
{
    static const char letters[] = {'"', '\\', '/', 'b', 'f', 'n', 'r', 't'};
    uint64_t found = 0;
    for (unsigned i = 0; i < BLOCK; i += 16) {
        const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(p + i));
        __m128i is = _mm_setzero_si128();
        for (unsigned k = 0; k < sizeof letters; k++)
            is = _mm_or_si128(is, _mm_cmpeq_epi8(x, _mm_set1_epi8(letters[k])));
        found |= (uint64_t)(unsigned)_mm_movemask_epi8(is) << i;
    }
    return found;
}

/* The bytes behind a backslash that is not itself behind one: in a row of backslashes
 * every other byte, counted from its first, and the one behind a row of an odd length.
 * *carry: is the first byte one, and then that of the next block? */
static uint64_t escaped_bytes(uint64_t backslashes, uint64_t *carry)
{
    const uint64_t odd = UINT64_C(0xaaaaaaaaaaaaaaaa);
    backslashes &= ~*carry;
    const uint64_t behind = backslashes << 1 | *carry;
    const uint64_t odd_starts = backslashes & odd & ~behind;
    uint64_t rows_from_even;
    *carry = __builtin_add_overflow(odd_starts, backslashes, &rows_from_even);
    return (~odd ^ rows_from_even << 1) & behind;
}

/* Goes over blocks of plain bytes and short escapes, up to the quotation mark that ends
 * the string, or to a block with something else, or to one that an escape reaches into.
 * True: it stands on that mark. */
static bool skip_blocks(gs_json_reader *r, bool *has_high, bool *has_escapes)
{
    uint64_t carry = 0;
    while (r->end - r->at >= BLOCK) {
        const string_masks m = string_masks_of(r->at);
        const uint64_t carried = carry;
        uint64_t escaped = 0, unknown = 0;
        if ((m.backslashes | carry) != 0) {
            escaped = escaped_bytes(m.backslashes, &carry);
            unknown = escaped & ~short_escapes_of(r->at);
        }
        const uint64_t ends = m.quotes & ~escaped;
        const uint64_t before = ends != 0 ? (ends & -ends) - 1 : UINT64_MAX;
        if (((m.controls | unknown) & before) != 0) {
            r->at -= carried; /* its backslash is read again */
            return false;
        }
        *has_high |= (m.high & before) != 0;
        *has_escapes |= (m.backslashes & before) != 0;
        if (ends != 0) {
            r->at += __builtin_ctzll(ends);
            return true;
        }
        r->at += BLOCK;
    }
    r->at -= carry;
    return false;
}
#else
static bool skip_blocks(gs_json_reader *r, bool *has_high, bool *has_escapes)
{
    (void)r;
    (void)has_high;
    (void)has_escapes;
    return false;
}
#endif

/* Stands on the quotation mark that begins a string. */
bool gs_json_read_string(gs_json_reader *r, gs_json_string *out)
{
    const uint8_t *const begin = ++r->at;
    bool has_high = false;
    size_t slow_bytes = 0; /* up to there it is looked at step by step */
    out->has_escapes = false;
    for (;;) {
        if ((size_t)(r->at - begin) >= slow_bytes) {
            if (skip_blocks(r, &has_high, &out->has_escapes)) {
                r->at++;
                break;
            }
            slow_bytes = (size_t)(r->at - begin) + BLOCK;
        }
        r->at = find_stop(r->at, r->end, &has_high);
        if (r->at == r->end)
            return gs_json_fail(r, "a string does not end");
        const uint8_t stop = *r->at++;
        if (stop == '"')
            break;
        if (stop != '\\')
            return gs_json_fail(r, "a control character in a string");
        out->has_escapes = true;
        if (!check_escape(r))
            return false;
    }
    out->raw = (gs_text_span){begin, (size_t)(r->at - 1 - begin)};
    if (has_high && !gs_utf8_is_valid(begin, out->raw.bytes))
        return gs_json_fail(r, "a string is not UTF-8");
    return true;
}

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

uint8_t *gs_json_unescape(gs_text_span raw, uint8_t *to)
{
    const uint8_t *p = raw.data;
    const uint8_t *const end = p + raw.bytes;
    for (;;) {
        const uint8_t *const escape = move_plain(&to, p, end);
        if (escape == end)
            return to;
        const uint8_t letter = escape[1];
        p = escape + 2;
        if (letter == 'u') {
            p = unescape_point(&to, p, end);
            continue;
        }
        *to++ = short_escapes[letter];
    }
}

/* --- other values ------------------------------------------------------------------ */

bool gs_json_read_word(gs_json_reader *r, const char *word)
{
    const size_t n = strlen(word);
    if ((size_t)(r->end - r->at) < n || memcmp(r->at, word, n) != 0)
        return gs_json_fail(r, "a value is missing or unknown");
    r->at += n;
    return true;
}

static size_t skip_digits(gs_json_reader *r)
{
    const uint8_t *const begin = r->at;
    while (r->at < r->end && *r->at >= '0' && *r->at <= '9')
        r->at++;
    return (size_t)(r->at - begin);
}

bool gs_json_read_number(gs_json_reader *r, gs_text_span *out)
{
    const uint8_t *const begin = r->at;
    (void)gs_json_take(r, '-');
    const bool has_zero = r->at < r->end && *r->at == '0';
    const size_t digits = skip_digits(r);
    if (digits == 0 || (has_zero && digits > 1))
        return gs_json_fail(r, "not a number as JSON has them");
    if (gs_json_take(r, '.') && skip_digits(r) == 0)
        return gs_json_fail(r, "not a number as JSON has them");
    if (gs_json_take(r, 'e') || gs_json_take(r, 'E')) {
        if (!gs_json_take(r, '+'))
            (void)gs_json_take(r, '-');
        if (skip_digits(r) == 0)
            return gs_json_fail(r, "not a number as JSON has them");
    }
    *out = (gs_text_span){begin, (size_t)(r->at - begin)};
    return true;
}

/* A value that is neither an object nor an array. */
static bool skip_scalar(gs_json_reader *r)
{
    gs_json_string string;
    gs_text_span number;
    if (r->at == r->end)
        return gs_json_fail(r, "the object does not end");
    const uint8_t c = *r->at;
    if (c == '"')
        return gs_json_read_string(r, &string);
    if (gs_json_is_number_start(c))
        return gs_json_read_number(r, &number);
    return gs_json_read_word(r, c == 't' ? "true" : c == 'f' ? "false" : "null");
}

/* A key and its colon. */
bool gs_json_read_key(gs_json_reader *r, gs_json_string *out)
{
    gs_json_skip_blanks(r);
    if (r->at == r->end || *r->at != '"')
        return gs_json_fail(r, "a field has no name between quotation marks");
    if (!gs_json_read_string(r, out))
        return false;
    gs_json_skip_blanks(r);
    if (!gs_json_take(r, ':'))
        return gs_json_fail(r, "no colon after the name of a field");
    gs_json_skip_blanks(r);
    return true;
}

/* Behind a value: does the container go on? *ends tells; the closing byte is taken. */
bool gs_json_read_separator(gs_json_reader *r, bool is_object, bool *ends)
{
    gs_json_skip_blanks(r);
    *ends = gs_json_take(r, is_object ? '}' : ']');
    if (*ends || gs_json_take(r, ','))
        return true;
    return gs_json_fail(r, r->at == r->end ? "the object does not end"
                                           : "neither a comma nor an end after a value");
}

/* Any value. Containers are kept on a stack of bits, so that no input makes the
 * program's stack grow. */
bool gs_json_skip_value(gs_json_reader *r)
{
    bool is_object[GS_JSON_DEPTH_MAX];
    size_t depth = 0;
    for (;;) {
        gs_json_skip_blanks(r);
        const uint8_t c = r->at < r->end ? *r->at : 0;
        bool is_complete = true;
        if (c == '{' || c == '[') {
            if (depth == GS_JSON_DEPTH_MAX)
                return gs_json_fail(r, "values are nested more than 1024 deep");
            r->at++;
            is_object[depth++] = c == '{';
            gs_json_skip_blanks(r);
            is_complete = gs_json_take(r, c == '{' ? '}' : ']');
            depth -= is_complete;
        } else if (!skip_scalar(r)) {
            return false;
        }
        while (is_complete && depth > 0) {
            if (!gs_json_read_separator(r, is_object[depth - 1], &is_complete))
                return false;
            depth -= is_complete;
        }
        if (is_complete)
            return true;
        gs_json_string key;
        if (is_object[depth - 1] && !gs_json_read_key(r, &key))
            return false;
    }
}
