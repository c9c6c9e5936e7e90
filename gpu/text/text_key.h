/* SPDX-License-Identifier: MIT */
/*
 * text_key: the keys of one line or record as a byte string, for the device.
 *
 * The same bytes as lib/sort/key/key_encode.h makes on the CPU: text with 00 and 01
 * escaped and a terminator, decimal numbers as head byte, value bytes and pairs of
 * digits, fields of binary records with their signs turned. This is C that a kernel can
 * call; compiled for the host it lets a test without a GPU hold it against the CPU's
 * encoder.
 *
 * One thread makes one string, and does so twice: once to measure and once to write. It
 * reads the line byte by byte, which the caches make cheap for the lines of neighbours.
 *
 * Strings are measured in 32 bits. A chunk takes no batch in which one could be longer
 * (gs_text_string_bound).
 */
#ifndef GS_GPU_TEXT_KEY_H
#define GS_GPU_TEXT_KEY_H

#include "gpu/text/text_sort.h"

enum { GS_TEXT_ESCAPED_MAX = 1 }; /* bytes up to this one take two in a key */
#define GS_TEXT_STRING_MAX (UINT64_C(0xffffffff) - 64) /* of key and line */

#ifdef __CUDACC__
#define GS_BOTH static __host__ __device__ __forceinline__
#else
#define GS_BOTH static inline
#endif

/* Counts bytes, and writes them when there is a place to write to. */
typedef struct gs_key_writer {
    uint8_t *to; /* NULL: only count */
    uint32_t bytes;
    unsigned mask; /* complemented keys: 0xff */
} gs_key_writer;

GS_BOTH void gs_key_put(gs_key_writer *w, unsigned c)
{
    if (w->to)
        w->to[w->bytes] = (uint8_t)(c ^ w->mask);
    w->bytes++;
}

GS_BOTH bool gs_key_is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

GS_BOTH bool gs_key_is_digit(uint8_t c)
{
    return c >= '0' && c <= '9';
}

/* --- finding fields ------------------------------------------------------------- */

/* How far the fields of a line have been passed. */
typedef struct gs_key_walk {
    const uint8_t *line, *end, *at; /* `at`: where `field` begins */
    uint64_t field;
    int delimiter;
} gs_key_walk;

GS_BOTH const uint8_t *gs_key_skip_blanks(const uint8_t *p, const uint8_t *end)
{
    while (p < end && gs_key_is_blank(*p))
        p++;
    return p;
}

GS_BOTH const uint8_t *gs_key_find_delimiter(const gs_key_walk *w)
{
    const uint8_t *p = w->at;
    while (p < w->end && *p != (uint8_t)w->delimiter)
        p++;
    return p;
}

GS_BOTH void gs_key_walk_to(gs_key_walk *w, uint64_t field)
{
    if (field < w->field) {
        w->field = 0;
        w->at = w->line;
    }
    for (; w->field < field && w->at < w->end; w->field++) {
        if (w->delimiter == GS_TEXT_BLANK_FIELDS) {
            w->at = gs_key_skip_blanks(w->at, w->end);
            while (w->at < w->end && !gs_key_is_blank(*w->at))
                w->at++;
        } else {
            w->at = gs_key_find_delimiter(w);
            w->at += w->at < w->end;
        }
    }
    w->field = field;
}

/* `bytes` further, after blanks if they are to be skipped. */
GS_BOTH const uint8_t *gs_key_advance(const gs_key_walk *w, bool skip_blanks,
                                      uint64_t bytes)
{
    const uint8_t *const p = skip_blanks ? gs_key_skip_blanks(w->at, w->end) : w->at;
    return (uint64_t)(w->end - p) < bytes ? w->end : p + bytes;
}

GS_BOTH const uint8_t *gs_key_find_begin(gs_key_walk *w, const gs_text_key *key)
{
    gs_key_walk_to(w, key->start_field);
    return gs_key_advance(w, key->skip_start_blanks, key->start_char);
}

GS_BOTH const uint8_t *gs_key_find_limit(gs_key_walk *w, const gs_text_key *key)
{
    if (key->end_field == UINT64_MAX)
        return w->end;
    if (key->end_char == 0 && w->delimiter == GS_TEXT_BLANK_FIELDS) {
        gs_key_walk_to(w, key->end_field + 1);
        return w->at;
    }
    gs_key_walk_to(w, key->end_field);
    if (key->end_char == 0)
        return w->at < w->end ? gs_key_find_delimiter(w) : w->end;
    return gs_key_advance(w, key->skip_end_blanks, key->end_char);
}

/* --- one key ---------------------------------------------------------------------- */

GS_BOTH bool gs_key_counts(const gs_text_key *key, uint8_t c)
{
    const uint8_t lower = (uint8_t)(c | 0x20);
    const bool is_alphanumeric = (lower >= 'a' && lower <= 'z') || gs_key_is_digit(c);
    if (key->dictionary)
        return is_alphanumeric || gs_key_is_blank(c);
    return !key->ignore_nonprint || (c >= 0x20 && c < 0x7f);
}

GS_BOTH void gs_key_put_bytes(const gs_text_key *key, const uint8_t *from,
                              const uint8_t *end, gs_key_writer *w)
{
    for (; from < end; from++) {
        unsigned c = *from;
        if (!gs_key_counts(key, *from))
            continue;
        if (key->fold && c >= 'a' && c <= 'z')
            c -= 'a' - 'A';
        if (c <= 1) {
            gs_key_put(w, 1);
            c++;
        }
        gs_key_put(w, c);
    }
    gs_key_put(w, 0);
}

/* Digits two a byte, never 00. */
GS_BOTH void gs_key_put_pairs(const uint8_t *from, const uint8_t *end, gs_key_writer *w)
{
    unsigned pair = 0; /* of the first digit */
    for (; from < end; from++) {
        const unsigned digit = *from - (unsigned)'0';
        if (pair > 0)
            gs_key_put(w, pair + digit);
        pair = pair > 0 ? 0 : 1 + 10 * digit;
    }
    if (pair > 0)
        gs_key_put(w, pair);
}

GS_BOTH void gs_key_put_u64(uint64_t value, unsigned bytes, gs_key_writer *w)
{
    for (; bytes > 0; bytes--)
        gs_key_put(w, (unsigned)(value >> (8 * (bytes - 1))) & 0xff);
}

GS_BOTH void gs_key_put_number(const uint8_t *text, const uint8_t *end, gs_key_writer *w)
{
    enum { HEAD_ZERO = 0x80, HEAD_POSITIVE = 0x81, HEAD_LONG = 0x8a, U64_DIGITS = 19 };
    text = gs_key_skip_blanks(text, end);
    const bool is_negative = text < end && *text == '-';
    text += is_negative;
    while (text < end && *text == '0')
        text++;
    const uint8_t *const integer = text;
    uint64_t value = 0; /* of at most U64_DIGITS digits */
    for (; text < end && gs_key_is_digit(*text); text++)
        value = 10 * value + (uint64_t)(*text - '0');
    const uint8_t *const integer_end = text;
    const uint64_t digits = (uint64_t)(integer_end - integer);
    const uint8_t *fraction = text, *fraction_end = text;
    if (text < end && *text == '.') {
        fraction = fraction_end = ++text;
        for (; text < end && gs_key_is_digit(*text); text++) {
            if (*text != '0')
                fraction_end = text + 1;
        }
    }
    if (digits == 0 && fraction == fraction_end) {
        gs_key_put(w, HEAD_ZERO);
        return;
    }
    const unsigned mask = w->mask;
    w->mask ^= is_negative ? 0xffu : 0u;
    if (digits <= U64_DIGITS) {
        unsigned bytes = 0;
        while (bytes < 8 && value >> (8 * bytes) != 0)
            bytes++;
        gs_key_put(w, HEAD_POSITIVE + bytes);
        gs_key_put_u64(value, bytes, w);
    } else {
        gs_key_put(w, HEAD_LONG);
        gs_key_put_u64(digits, 8, w);
        gs_key_put_pairs(integer, integer_end, w);
    }
    gs_key_put_pairs(fraction, fraction_end, w);
    gs_key_put(w, 0);
    w->mask = mask;
}

GS_BOTH void gs_key_put_field(const gs_text_field *field, const uint8_t *record,
                              gs_key_writer *w)
{
    const uint8_t *const from = record + field->offset;
    const uint8_t first = from[field->is_little_endian ? field->length - 1 : 0];
    /* A negative float: larger magnitudes are smaller, so every bit is turned. */
    const bool turns_all = field->is_float && (first & 0x80) != 0;
    for (uint32_t i = 0; i < field->length; i++) {
        unsigned c = from[field->is_little_endian ? field->length - 1 - i : i];
        if (turns_all)
            c ^= 0xff;
        else if (i == 0 && field->has_sign)
            c ^= 0x80;
        gs_key_put(w, c ^ (field->is_complemented ? 0xffu : 0u));
    }
}

/* The whole string; returns its length. With `to` NULL it is only measured. */
GS_BOTH uint32_t gs_text_key_encode(const gs_text_order *order, const uint8_t *line,
                                    uint64_t line_bytes, uint8_t *to)
{
    gs_key_writer w = {to, 0, 0};
    if (order->record_size > 0) {
        for (unsigned i = 0; i < order->key_count; i++)
            gs_key_put_field(&order->fields[i], line, &w);
        return w.bytes;
    }
    gs_key_walk walk = {line, line + line_bytes, line, 0, order->delimiter};
    for (unsigned i = 0; i < order->key_count; i++) {
        const gs_text_key *const key = &order->keys[i];
        const uint8_t *const from = gs_key_find_begin(&walk, key);
        const uint8_t *end = gs_key_find_limit(&walk, key);
        if (end < from)
            end = from;
        w.mask = key->is_complemented ? 0xff : 0;
        if (key->is_number)
            gs_key_put_number(from, end, &w);
        else
            gs_key_put_bytes(key, from, end, &w);
    }
    return w.bytes;
}

/* --- how long strings may be ------------------------------------------------------ */

/* How many keys the same byte of a line may be in. Keys that begin in a field and end in
 * one are within these; a last character, though, is counted across fields. */
static inline unsigned gs_text_key_cover(const gs_text_order *order)
{
    unsigned most = 0;
    for (unsigned i = 0; i < order->key_count; i++) {
        const uint64_t field = order->keys[i].start_field;
        unsigned cover = 0;
        for (unsigned k = 0; k < order->key_count; k++) {
            const gs_text_key *const key = &order->keys[k];
            const bool is_beyond = key->end_char == 0 && key->end_field < field;
            cover += key->start_field <= field && !is_beyond;
        }
        most = cover > most ? cover : most;
    }
    return most;
}

/* What the keys of `records` lines or records take at most, which have `bytes` bytes
 * together, `escaped` of them up to GS_TEXT_ESCAPED_MAX. A number has its head and its
 * end besides, text its end. */
static inline uint64_t gs_text_keys_bound(const gs_text_order *order, uint64_t records,
                                          uint64_t bytes, uint64_t escaped)
{
    uint64_t fields = 0;
    if (order->record_size == 0)
        return gs_text_key_cover(order) * (bytes + escaped) +
               records * 2 * order->key_count;
    for (unsigned i = 0; i < order->key_count; i++)
        fields += order->fields[i].length;
    return records * fields;
}

/* What key and line of a record take at most that is one of a batch of `bytes`. */
static inline uint64_t gs_text_string_bound(const gs_text_order *order, uint64_t bytes)
{
    const uint64_t line = order->record_size > 0 ? order->record_size : bytes;
    return line + gs_text_keys_bound(order, 1, line, line);
}

#endif
