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

static bool is_short_escape(uint8_t c)
{
    switch (c) {
    case '"':
    case '\\':
    case '/':
    case 'b':
    case 'f':
    case 'n':
    case 'r':
    case 't': return true;
    default: return false;
    }
}

/* Stands behind a backslash; checks one escape, or a pair that makes a code point. */
static bool check_escape(gs_json_reader *r)
{
    if (r->at == r->end)
        return gs_json_fail(r, "a string does not end");
    const uint8_t c = *r->at++;
    if (c != 'u')
        return is_short_escape(c) || gs_json_fail(r, "an unknown escape in a string");
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

/* Stands on the quotation mark that begins a string. */
bool gs_json_read_string(gs_json_reader *r, gs_json_string *out)
{
    const uint8_t *const begin = ++r->at;
    bool has_high = false;
    out->has_escapes = false;
    for (;;) {
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

/* Writes the string that checked escapes stand for, which may be where they are; returns
 * its end. */
uint8_t *gs_json_unescape(gs_text_span raw, uint8_t *to)
{
    const uint8_t *p = raw.data;
    const uint8_t *const end = p + raw.bytes;
    while (p < end) {
        const uint8_t *const escape = memchr(p, '\\', (size_t)(end - p));
        const size_t plain = (size_t)((escape != NULL ? escape : end) - p);
        memmove(to, p, plain);
        to += plain;
        if (escape == NULL)
            break;
        p = escape + 2;
        switch (escape[1]) {
        case 'b': *to++ = '\b'; break;
        case 'f': *to++ = '\f'; break;
        case 'n': *to++ = '\n'; break;
        case 'r': *to++ = '\r'; break;
        case 't': *to++ = '\t'; break;
        case 'u': {
            uint32_t point = (uint32_t)hex4(p, end);
            p += 4;
            if (is_high_surrogate((int32_t)point)) {
                const uint32_t low = (uint32_t)hex4(p + 2, end);
                point = 0x10000 + ((point - 0xd800) << 10) + (low - 0xdc00);
                p += 6;
            }
            to = gs_utf8_encode(to, point);
            break;
        }
        default: *to++ = escape[1]; break;
        }
    }
    return to;
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
