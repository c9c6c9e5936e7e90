/* SPDX-License-Identifier: MIT */
/*
 * version_key: names with version numbers (-V) as byte strings in version order.
 *
 * Version order compares the names without their suffixes (".tar.gz"; never all of a
 * name), then whole. Each is cut into runs of other bytes and numbers, in turn:
 *
 *      "foo-1.10~rc"  ->  f o o - T | 1 "1" | . T | 2 "10" | ~ r c T | 0 | T
 *
 * Other bytes get codes in this order: '~', T (a number or the end follows), letters, all
 * else. A number is its count of digits, without leading zeros, and the digits. The end
 * is one more T where another byte would stand. In front stands a class: empty, ".",
 * "..", hidden, the rest.
 */
#ifndef GS_LIB_ENCODE_VERSION_KEY_H
#define GS_LIB_ENCODE_VERSION_KEY_H

#include "lib/encode/key_reader.h"
#include "lib/encode/key_writer.h"

enum {
    /* A string of n bytes is no longer than 4 * n + this. */
    GS_VERSION_EXTRA_BYTES = 48,

    GS_VERSION_EMPTY = 1, /* classes */
    GS_VERSION_DOT,
    GS_VERSION_DOT_DOT,
    GS_VERSION_HIDDEN,
    GS_VERSION_REST,

    GS_VERSION_TILDE = 1, /* codes of bytes */
    GS_VERSION_STOP = 2,  /* T */
    GS_VERSION_LETTERS = 3,
    GS_VERSION_OTHERS = 3 + 52,

    GS_VERSION_LONG = 0xff, /* instead of a count of digits: a u64 follows */
};

GS_BOTH unsigned gs_version_code(unsigned c)
{
    if (c == '~')
        return GS_VERSION_TILDE;
    if (c >= 'A' && c <= 'Z')
        return GS_VERSION_LETTERS + (c - 'A');
    if (c >= 'a' && c <= 'z')
        return GS_VERSION_LETTERS + 26 + (c - 'a');
    /* How many smaller bytes are among the others: those below, less the digits, the
     * letters and the tilde that are below too. */
    unsigned rank = c;
    if (c > '9')
        rank -= 10;
    if (c > 'Z')
        rank -= 26;
    if (c > 'z')
        rank -= 26;
    if (c > '~')
        rank -= 1;
    return GS_VERSION_OTHERS + rank;
}

GS_BOTH bool gs_version_is_digit(int c)
{
    return c != GS_KEY_READ_ALL && gs_text_is_digit((uint8_t)c);
}

/* The number that comes next, of no digits if none does. */
GS_BOTH void gs_version_put_number(gs_key_reader *text, gs_key_writer *w)
{
    while (gs_key_peek(text) == '0')
        text->at++;
    gs_key_reader ahead = *text;
    uint64_t digits = 0;
    while (gs_version_is_digit(gs_key_peek(&ahead))) {
        ahead.at++;
        digits++;
    }
    if (digits < GS_VERSION_LONG) {
        gs_key_put(w, (unsigned)digits);
    } else {
        gs_key_put(w, GS_VERSION_LONG);
        gs_key_put_u64(digits, sizeof digits, w);
    }
    for (; digits > 0; digits--)
        gs_key_put(w, (unsigned)gs_key_next(text));
}

GS_BOTH void gs_version_put_parts(gs_key_reader text, gs_key_writer *w)
{
    bool is_empty = true;
    for (int c = gs_key_peek(&text); c != GS_KEY_READ_ALL; c = gs_key_peek(&text)) {
        is_empty = false;
        for (; c != GS_KEY_READ_ALL && !gs_text_is_digit((uint8_t)c);
             c = gs_key_peek(&text)) {
            gs_key_put(w, gs_version_code((unsigned)c));
            text.at++;
        }
        gs_key_put(w, GS_VERSION_STOP);
        gs_version_put_number(&text, w);
    }
    gs_key_put(w, GS_VERSION_STOP);
    if (is_empty) { /* as if a number of no digits had ended it */
        gs_key_put(w, 0);
        gs_key_put(w, GS_VERSION_STOP);
    }
}

GS_BOTH bool gs_version_is_of_suffix(int c, bool is_first)
{
    return c != GS_KEY_READ_ALL &&
           (c == '~' || (is_first ? gs_text_is_letter((uint8_t)c)
                                  : gs_text_is_alphanumeric((uint8_t)c)));
}

/* Where the name ends without a suffix of the form (\.[A-Za-z~][A-Za-z0-9~]*)*$, which
 * never takes its first byte. */
GS_BOTH const uint8_t *gs_version_without_suffix(gs_key_reader text)
{
    for (;;) {
        (void)gs_key_next(&text);
        int c = gs_key_peek(&text);
        const uint8_t *const without = text.at;
        while (c == '.') {
            gs_key_reader ahead = text;
            ahead.at++;
            if (!gs_version_is_of_suffix(gs_key_peek(&ahead), true))
                break;
            do {
                ahead.at++;
            } while (gs_version_is_of_suffix(gs_key_peek(&ahead), false));
            text = ahead;
            c = gs_key_peek(&text);
        }
        if (c == GS_KEY_READ_ALL)
            return without;
    }
}

GS_BOTH void gs_version_put(gs_key_reader text, gs_key_writer *w)
{
    gs_key_reader ahead = text;
    const int first = gs_key_next(&ahead);
    if (first == GS_KEY_READ_ALL) {
        gs_key_put(w, GS_VERSION_EMPTY);
        return;
    }
    if (first == '.') {
        const int second = gs_key_next(&ahead);
        if (second == GS_KEY_READ_ALL) {
            gs_key_put(w, GS_VERSION_DOT);
            return;
        }
        if (second == '.' && gs_key_peek(&ahead) == GS_KEY_READ_ALL) {
            gs_key_put(w, GS_VERSION_DOT_DOT);
            return;
        }
    }
    gs_key_put(w, first == '.' ? GS_VERSION_HIDDEN : GS_VERSION_REST);
    gs_key_reader without = text;
    without.end = gs_version_without_suffix(text);
    gs_version_put_parts(without, w);
    gs_version_put_parts(text, w);
}

#endif
