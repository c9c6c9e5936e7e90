/* SPDX-License-Identifier: MIT */
/*
 * json_string: what is read and unescaped 64 bytes at a time, in every way that this
 * processor has, is what a plain loop makes of it, with escapes, rows of backslashes,
 * failures and ends at every place of a block.
 */
#include "lib/json/json_string.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/utf8.h"
#include "tests/check.h"

enum { CASES = 60000, BYTES_MAX = 700, PIECES = 14 };

typedef struct plain_result {
    bool is_string, has_escapes;
    const char *why;
    size_t bytes, text_bytes;
    uint8_t text[BYTES_MAX];
} plain_result;

static bool fail(plain_result *out, const char *why)
{
    out->why = why;
    return false;
}

/* Of the four digits behind \\u that stand there, or -1. */
static long digits_at(const uint8_t *p, const uint8_t *end)
{
    char digits[5] = "";
    if (end - p < 4)
        return -1;
    memcpy(digits, p, 4);
    return strspn(digits, "0123456789abcdefABCDEF") == 4 ? strtol(digits, NULL, 16) : -1;
}

/* An escape behind its backslash: how many bytes it has, 0 for a failure. */
static size_t plain_escape(const uint8_t *p, const uint8_t *end, uint8_t **to,
                           plain_result *out)
{
    static const char letters[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    if (p == end)
        return fail(out, "a string does not end");
    const char *const at = *p != 0 ? strchr(letters, *p) : NULL;
    if (at != NULL) {
        *(*to)++ = (uint8_t)meanings[at - letters];
        return 1;
    }
    if (*p != 'u')
        return fail(out, "an unknown escape in a string");
    const long unit = digits_at(p + 1, end);
    if (unit < 0)
        return fail(out, "\\u without four hexadecimal digits");
    if (unit < 0xd800 || unit > 0xdfff) {
        *to = gs_utf8_encode(*to, (uint32_t)unit);
        return 5;
    }
    const bool has_pair = unit < 0xdc00 && end - p >= 11 && p[5] == '\\' && p[6] == 'u';
    const long low = has_pair ? digits_at(p + 7, end) : -1;
    if (low < 0xdc00 || low > 0xdfff)
        return fail(out, "half of a surrogate pair");
    *to = gs_utf8_encode(*to, 0x10000 + ((uint32_t)(unit - 0xd800) << 10) +
                                  (uint32_t)(low - 0xdc00));
    return 11;
}

static bool plain_read(const uint8_t *text, size_t bytes, plain_result *out)
{
    const uint8_t *p = text + 1, *const end = text + bytes;
    uint8_t *to = out->text;
    out->has_escapes = false;
    for (; p < end && *p != '"'; p++) {
        if (*p == '\\') {
            out->has_escapes = true;
            const size_t n = plain_escape(p + 1, end, &to, out);
            if (n == 0)
                return false;
            p += n;
        } else if (*p < 0x20) {
            return fail(out, "a control character in a string");
        } else {
            *to++ = *p;
        }
    }
    if (p >= end)
        return fail(out, "a string does not end");
    out->bytes = (size_t)(p - text) - 1;
    out->text_bytes = (size_t)(to - out->text);
    return gs_utf8_is_valid(text + 1, out->bytes) || fail(out, "a string is not UTF-8");
}

/* A string of pieces, most of them plain text, and something behind it. */
static size_t make_string(uint64_t *seed, uint8_t *to)
{
    static const char *const pieces[PIECES] = {
        "\\n",     "\\\\", "\\\"", "\\u00e9", "\\ud83d\\ude00", "\xc3\xa9", "\\t\\/\\b",
        "\\u0041", "\"",   "\x01", "\\q",     "\\ud83d",        "\xff",     "\\u12"};
    const size_t bytes = check_random(seed) % (BYTES_MAX - 60);
    /* Most strings are sound: their last pieces come in one of eight. */
    const unsigned kinds = check_random(seed) % 8 == 0 ? PIECES : 8;
    const unsigned dense = 1u + (unsigned)(check_random(seed) % 40);
    size_t used = 0;
    to[used++] = '"';
    while (used < bytes) {
        if (check_random(seed) % dense != 0) {
            to[used++] = (uint8_t)('a' + check_random(seed) % 26);
            continue;
        }
        const char *const piece = pieces[check_random(seed) % kinds];
        memcpy(to + used, piece, strlen(piece));
        used += strlen(piece);
    }
    if (check_random(seed) % 16 != 0)
        to[used++] = '"';
    for (size_t behind = check_random(seed) % 40; behind > 0; behind--)
        to[used++] = (uint8_t)("\"\\n,}"[check_random(seed) % 5]);
    return used;
}

/* One way; `text` becomes what it stands for. */
static void check_way(gs_json_way way, uint8_t *text, size_t text_bytes, size_t shift,
                      size_t bytes, const plain_result *plain)
{
    uint8_t before[BYTES_MAX + 2 * GS_JSON_SLACK], apart[BYTES_MAX];
    uint8_t *const from = text + shift;
    memcpy(before, text, text_bytes);
    gs_json_reader r = {.at = from, .end = from + bytes};
    gs_json_string s = {{NULL, 0}, false};
    CHECK(gs_json_read_string_by(way, &r, &s) == plain->is_string);
    if (!plain->is_string) {
        CHECK(r.why != NULL && plain->why != NULL && strcmp(r.why, plain->why) == 0);
        return;
    }
    CHECK(s.raw.data == from + 1 && s.raw.bytes == plain->bytes);
    CHECK(s.has_escapes == plain->has_escapes && r.at == from + 2 + plain->bytes);
    CHECK((size_t)(gs_json_unescape_by(way, s.raw, apart) - apart) == plain->text_bytes);
    CHECK(memcmp(apart, plain->text, plain->text_bytes) == 0);
    uint8_t *const end = gs_json_unescape_by(way, s.raw, from + 1);
    CHECK((size_t)(end - from - 1) == plain->text_bytes);
    CHECK(memcmp(from + 1, plain->text, plain->text_bytes) == 0);
    /* Nothing behind the string has changed. */
    const size_t all = shift + 1 + plain->bytes;
    CHECK(memcmp(text + all, before + all, text_bytes - all) == 0);
}

static void same_as_plain(uint64_t *seed)
{
    static plain_result plain;
    uint8_t text[BYTES_MAX + 2 * GS_JSON_SLACK], copy[sizeof text];
    const size_t shift = check_random(seed) % GS_JSON_SLACK;
    memset(text, '\\', sizeof text);
    const size_t bytes = make_string(seed, text + shift);
    plain = (plain_result){.why = NULL};
    plain.is_string = plain_read(text + shift, bytes, &plain);
    for (gs_json_way way = GS_JSON_PLAIN; way < GS_JSON_WAY_COUNT; way++) {
        memcpy(copy, text, sizeof text);
        if (gs_json_has_way(way))
            check_way(way, copy, sizeof copy, shift, bytes, &plain);
    }
}

int main(void)
{
    uint64_t seed = check_seed(11);
    for (unsigned i = 0; i < CASES; i++)
        same_as_plain(&seed);
    return check_result();
}
