/* SPDX-License-Identifier: MIT */
/*
 * text_key: the keys of one line or record as a byte string, on the device.
 *
 * The same bytes as lib/sort/key_encode.h makes on the CPU (tests/gpu/test_text_key.cu
 * holds that): text with 00 and 01 escaped and a terminator, decimal numbers as head
 * byte, value bytes and pairs of digits, fields of binary records with their signs
 * turned.
 *
 * Each function runs twice a record, once to measure and once to write, by one thread; it
 * reads the line byte by byte, which the caches make cheap for the lines of neighbours.
 */
#ifndef GS_GPU_TEXT_KEY_CUH
#define GS_GPU_TEXT_KEY_CUH

#include "gpu/text_sort.h"

#define GS_BOTH __host__ __device__ __forceinline__

/* Counts bytes, and writes them when there is a place to write to. */
struct gs_key_writer {
    uint8_t *to; /* NULL: only count */
    uint32_t bytes;
    uint8_t mask; /* complemented keys: 0xff */

    GS_BOTH void put(unsigned c)
    {
        if (to != nullptr)
            to[bytes] = (uint8_t)c ^ mask;
        bytes++;
    }
};

GS_BOTH bool gs_key_is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

GS_BOTH bool gs_key_is_digit(uint8_t c)
{
    return (uint8_t)(c - '0') < 10;
}

/* --- finding fields ------------------------------------------------------------- */

/* How far the fields of a line have been passed. */
struct gs_key_walk {
    const uint8_t *line, *end, *at; /* `at`: where `field` begins */
    uint64_t field;
    int delimiter;

    GS_BOTH const uint8_t *skip_blanks(const uint8_t *p) const
    {
        while (p < end && gs_key_is_blank(*p))
            p++;
        return p;
    }
    GS_BOTH const uint8_t *skip_nonblanks(const uint8_t *p) const
    {
        while (p < end && !gs_key_is_blank(*p))
            p++;
        return p;
    }
    GS_BOTH const uint8_t *find_delimiter() const
    {
        const uint8_t *p = at;
        while (p < end && *p != (uint8_t)delimiter)
            p++;
        return p;
    }
    GS_BOTH void go_to(uint64_t wanted)
    {
        if (wanted < field) {
            field = 0;
            at = line;
        }
        for (; field < wanted && at < end; field++) {
            if (delimiter == GS_TEXT_BLANK_FIELDS) {
                at = skip_nonblanks(skip_blanks(at));
            } else {
                at = find_delimiter();
                at += at < end;
            }
        }
        field = wanted;
    }
    GS_BOTH const uint8_t *advance(const uint8_t *p, uint64_t bytes) const
    {
        return (uint64_t)(end - p) < bytes ? end : p + bytes;
    }
    GS_BOTH const uint8_t *find_begin(const gs_text_key &key)
    {
        go_to(key.start_field);
        return advance(key.skip_start_blanks ? skip_blanks(at) : at, key.start_char);
    }
    GS_BOTH const uint8_t *find_limit(const gs_text_key &key)
    {
        if (key.end_field == UINT64_MAX)
            return end;
        if (key.end_char == 0 && delimiter == GS_TEXT_BLANK_FIELDS) {
            go_to(key.end_field + 1);
            return at;
        }
        go_to(key.end_field);
        if (key.end_char == 0)
            return at < end ? find_delimiter() : end;
        return advance(key.skip_end_blanks ? skip_blanks(at) : at, key.end_char);
    }
};

/* --- one key ---------------------------------------------------------------------- */

GS_BOTH bool gs_key_counts(const gs_text_key &key, uint8_t c)
{
    const bool is_alphanumeric = (uint8_t)((c | 0x20) - 'a') < 26 || gs_key_is_digit(c);
    if (key.dictionary)
        return is_alphanumeric || gs_key_is_blank(c);
    return !key.ignore_nonprint || (c >= 0x20 && c < 0x7f);
}

GS_BOTH void gs_key_put_bytes(const gs_text_key &key, const uint8_t *from,
                              const uint8_t *end, gs_key_writer *w)
{
    for (; from < end; from++) {
        uint8_t c = *from;
        if (!gs_key_counts(key, c))
            continue;
        if (key.fold && (uint8_t)(c - 'a') < 26)
            c = (uint8_t)(c - 'a' + 'A');
        if (c <= 1) {
            w->put(1);
            c++;
        }
        w->put(c);
    }
    w->put(0);
}

/* Digits two a byte, never 00. */
GS_BOTH void gs_key_put_pairs(const uint8_t *from, const uint8_t *end, gs_key_writer *w)
{
    for (; from < end; from += 2) {
        const unsigned second = from + 1 < end ? from[1] - '0' : 0;
        w->put(1 + 10 * (unsigned)(from[0] - '0') + second);
    }
}

GS_BOTH void gs_key_put_number(const uint8_t *text, const uint8_t *end, gs_key_writer *w)
{
    enum { HEAD_ZERO = 0x80, HEAD_POSITIVE = 0x81, HEAD_LONG = 0x8a, U64_DIGITS = 19 };
    while (text < end && gs_key_is_blank(*text))
        text++;
    const bool is_negative = text < end && *text == '-';
    text += is_negative;
    while (text < end && *text == '0')
        text++;
    const uint8_t *const integer = text;
    uint64_t value = 0; /* of at most U64_DIGITS digits */
    while (text < end && gs_key_is_digit(*text))
        value = 10 * value + (uint64_t)(*text++ - '0');
    const uint8_t *const integer_end = text;
    const uint8_t *fraction = text, *fraction_end = text;
    if (text < end && *text == '.') {
        fraction = fraction_end = ++text;
        while (text < end && gs_key_is_digit(*text))
            if (*text++ != '0')
                fraction_end = text;
    }
    if (integer == integer_end && fraction == fraction_end) {
        w->put(HEAD_ZERO);
        return;
    }
    const uint8_t mask = w->mask;
    w->mask ^= is_negative ? 0xff : 0;
    if (integer_end - integer <= U64_DIGITS) {
        unsigned bytes = 0;
        while (bytes < 8 && value >> (8 * bytes) != 0)
            bytes++;
        w->put(HEAD_POSITIVE + bytes);
        for (; bytes > 0; bytes--)
            w->put((unsigned)(value >> (8 * (bytes - 1))) & 0xff);
    } else {
        const uint64_t digits = (uint64_t)(integer_end - integer);
        w->put(HEAD_LONG);
        for (int shift = 56; shift >= 0; shift -= 8)
            w->put((unsigned)(digits >> shift) & 0xff);
        gs_key_put_pairs(integer, integer_end, w);
    }
    gs_key_put_pairs(fraction, fraction_end, w);
    w->put(0);
    w->mask = mask;
}

GS_BOTH void gs_key_put_field(const gs_text_field &field, const uint8_t *record,
                              gs_key_writer *w)
{
    const uint8_t *const from = record + field.offset;
    const uint8_t first = from[field.is_little_endian ? field.length - 1 : 0];
    /* A negative float: larger magnitudes are smaller, so every bit is turned. */
    const bool turns_all = field.is_float && (first & 0x80) != 0;
    for (uint32_t i = 0; i < field.length; i++) {
        unsigned c = from[field.is_little_endian ? field.length - 1 - i : i];
        if (turns_all)
            c ^= 0xff;
        else if (i == 0 && field.has_sign)
            c ^= 0x80;
        w->put(c ^ (field.is_complemented ? 0xff : 0));
    }
}

/* The whole string; returns its length. */
GS_BOTH uint32_t gs_key_encode_one(const gs_text_order &order, const uint8_t *line,
                                   uint64_t line_bytes, uint8_t *to)
{
    gs_key_writer w = {to, 0, 0};
    if (order.record_size > 0) {
        for (unsigned i = 0; i < order.key_count; i++)
            gs_key_put_field(order.fields[i], line, &w);
        return w.bytes;
    }
    gs_key_walk walk = {line, line + line_bytes, line, 0, order.delimiter};
    for (unsigned i = 0; i < order.key_count; i++) {
        const gs_text_key &key = order.keys[i];
        const uint8_t *const from = walk.find_begin(key);
        const uint8_t *end = walk.find_limit(key);
        if (end < from)
            end = from;
        w.mask = key.is_complemented ? 0xff : 0;
        if (key.is_number)
            gs_key_put_number(from, end, &w);
        else
            gs_key_put_bytes(key, from, end, &w);
    }
    return w.bytes;
}

#endif
