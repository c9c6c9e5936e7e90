/* SPDX-License-Identifier: MIT */
/*
 * text_key: the keys of one line or record as a byte string, for the device.
 *
 * The same bytes as lib/sort/key/key_encode.h makes on the CPU: text with 00 and 01
 * escaped and a terminator, decimal numbers as head byte, value bytes and pairs of
 * digits, fields of binary records with their signs turned; -g -h -M -R -V by the code of
 * the CPU itself (lib/encode). This is C that a kernel can call; compiled for the host it
 * lets a test without a GPU hold it against the CPU's encoder.
 *
 * One thread makes one string, and does so twice: once to measure and once to write. It
 * reads the line byte by byte, which the caches make cheap for the lines of neighbours.
 *
 * Kernels are made twice: for orders of bytes and -n alone, which are plain, and for any.
 *
 * Strings are measured in 32 bits. A chunk takes no batch in which one could be longer
 * (gs_text_string_bound).
 */
#ifndef GS_GPU_TEXT_KEY_H
#define GS_GPU_TEXT_KEY_H

#include "gpu/text/text_sort.h"
#include "lib/encode/general_key.h"
#include "lib/encode/key_reader.h"
#include "lib/encode/key_writer.h"
#include "lib/encode/md5.h"
#include "lib/encode/month_unit.h"
#include "lib/encode/version_key.h"

enum { GS_TEXT_ESCAPED_MAX = 1 }; /* bytes up to this one take two in a key */
#define GS_TEXT_STRING_MAX (UINT64_C(0xffffffff) - 64) /* of key and line */
#define GS_TEXT_UNDECIDED  UINT32_MAX /* instead of a length: it cannot be told here */
#define GS_TEXT_UNDECIDED_WHY                                                            \
    "GPU: a number by -g is half way between two, as far as it can tell"

/* --- finding fields ------------------------------------------------------------- */

/* How far the fields of a line have been passed. */
typedef struct gs_key_walk {
    const uint8_t *line, *end, *at; /* `at`: where `field` begins */
    uint64_t field;
    int delimiter;
} gs_key_walk;

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
            w->at = gs_text_skip_blanks(w->at, w->end);
            while (w->at < w->end && !gs_text_is_blank(*w->at))
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
    const uint8_t *const p = skip_blanks ? gs_text_skip_blanks(w->at, w->end) : w->at;
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

GS_BOTH void gs_key_put_bytes(const gs_text_key *key, const uint8_t *from,
                              const uint8_t *end, gs_key_writer *w)
{
    for (; from < end; from++) {
        unsigned c = *from;
        if (!gs_key_counts(key->dictionary, key->ignore_nonprint, *from))
            continue;
        if (key->fold)
            c = gs_text_upper(*from);
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

GS_BOTH void gs_key_put_number(const uint8_t *text, const uint8_t *end, gs_key_writer *w)
{
    enum { HEAD_ZERO = 0x80, HEAD_POSITIVE = 0x81, HEAD_LONG = 0x8a, U64_DIGITS = 19 };
    text = gs_text_skip_blanks(text, end);
    const bool is_negative = text < end && *text == '-';
    text += is_negative;
    while (text < end && *text == '0')
        text++;
    const uint8_t *const integer = text;
    uint64_t value = 0; /* of at most U64_DIGITS digits */
    for (; text < end && gs_text_is_digit(*text); text++)
        value = 10 * value + (uint64_t)(*text - '0');
    const uint8_t *const integer_end = text;
    const uint64_t digits = (uint64_t)(integer_end - integer);
    const uint8_t *fraction = text, *fraction_end = text;
    if (text < end && *text == '.') {
        fraction = fraction_end = ++text;
        for (; text < end && gs_text_is_digit(*text); text++) {
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

GS_BOTH void gs_key_put_random(const gs_text_order *order, const gs_text_key *key,
                               gs_key_reader text, gs_key_writer *w)
{
    const uint8_t *const from = text.at, *const end = text.end;
    if (w->to != NULL) {
        gs_md5 m;
        gs_md5_begin(&m);
        for (unsigned i = 0; i < GS_TEXT_SEED_BYTES; i++)
            gs_md5_put(&m, order->random_seed[i]);
        for (int c = gs_key_next(&text); c != GS_KEY_READ_ALL; c = gs_key_next(&text))
            gs_md5_put(&m, (uint8_t)c);
        gs_md5_end(&m);
        for (unsigned i = 0; i < GS_MD5_BYTES; i++)
            gs_key_put(w, gs_md5_byte(&m, i));
    } else {
        w->bytes += GS_MD5_BYTES;
    }
    gs_key_put_bytes(key, from, end, w);
}

/* A key that is not plain. Returns the writer behind it, so that on a device it stays in
 * registers; with GS_TEXT_UNDECIDED if it cannot be told. */
GS_BOTH_CALLED gs_key_writer gs_key_put_other(const gs_text_order *order,
                                              const gs_text_key *key, const uint8_t *from,
                                              const uint8_t *end, gs_key_writer w)
{
    const gs_key_reader text = {from, end, key->fold, key->dictionary,
                                key->ignore_nonprint};
    gs_general number;
    switch (key->kind) {
    case GS_TEXT_KIND_GENERAL:
        gs_general_read(from, end, &number);
        if (number.kind == GS_GENERAL_UNDECIDED)
            w.bytes = GS_TEXT_UNDECIDED;
        else
            gs_general_put(&number, &w);
        break;
    case GS_TEXT_KIND_HUMAN:
        gs_key_put(&w, (unsigned)(0x80 + gs_unit_of(from, end, key->fold)));
        gs_key_put_number(from, end, &w);
        break;
    case GS_TEXT_KIND_MONTH: gs_key_put(&w, gs_month_of(text)); break;
    case GS_TEXT_KIND_RANDOM: gs_key_put_random(order, key, text, &w); break;
    case GS_TEXT_KIND_VERSION: gs_version_put(text, &w); break;
    case GS_TEXT_KIND_NUMERIC: gs_key_put_number(from, end, &w); break;
    case GS_TEXT_KIND_BYTES: gs_key_put_bytes(key, from, end, &w); break;
    }
    return w;
}

/* May kernels for plain orders be used? */
static inline bool gs_text_order_is_plain(const gs_text_order *order)
{
    for (unsigned i = 0; order->record_size == 0 && i < order->key_count; i++) {
        if (order->keys[i].kind != GS_TEXT_KIND_BYTES &&
            order->keys[i].kind != GS_TEXT_KIND_NUMERIC)
            return false;
    }
    return true;
}

/* The whole string; returns its length, or GS_TEXT_UNDECIDED. With `to` NULL it is only
 * measured. */
GS_BOTH uint32_t gs_text_key_encode(const gs_text_order *order, const bool is_plain,
                                    const uint8_t *line, uint64_t line_bytes, uint8_t *to)
{
    gs_key_writer w = {to, 0, 0};
    if (order->record_size > 0) {
        for (unsigned i = 0; i < order->key_count; i++)
            gs_key_put_field(&order->fields[i], line, &w);
        return (uint32_t)w.bytes;
    }
    gs_key_walk walk = {line, line + line_bytes, line, 0, order->delimiter};
    for (unsigned i = 0; i < order->key_count; i++) {
        const gs_text_key *const key = &order->keys[i];
        const uint8_t *const from = gs_key_find_begin(&walk, key);
        const uint8_t *end = gs_key_find_limit(&walk, key);
        if (end < from)
            end = from;
        w.mask = key->is_complemented ? 0xff : 0;
        if (key->kind == GS_TEXT_KIND_NUMERIC)
            gs_key_put_number(from, end, &w);
        else if (is_plain || key->kind == GS_TEXT_KIND_BYTES)
            gs_key_put_bytes(key, from, end, &w);
        else
            w = gs_key_put_other(order, key, from, end, w);
        if (!is_plain && w.bytes == GS_TEXT_UNDECIDED)
            break;
    }
    return (uint32_t)w.bytes;
}

/* --- how long strings may be ------------------------------------------------------ */

/* What the string of a key takes at most: so many times the bytes of its text, so many
 * times those of them that are `costly`, and so many for each record: a switch that makes
 * text longer adds to it, and test_text_key holds every key against it. Costly are bytes
 * up to GS_TEXT_ESCAPED_MAX, and for -V the first digits of numbers; of a number that a
 * key begins in the first digit may be another one. */
typedef struct gs_text_cost {
    unsigned bytes, costly, record;
} gs_text_cost;

static inline gs_text_cost gs_text_cost_of(gs_text_kind kind)
{
    gs_text_cost cost = {1, 1, 2}; /* bytes: their end, and one to spare */
    switch (kind) {
    case GS_TEXT_KIND_BYTES: break;
    case GS_TEXT_KIND_NUMERIC: /* head and end */ cost.costly = 0; break;
    case GS_TEXT_KIND_HUMAN: /* the unit, too */
        cost.costly = 0;
        cost.record = 3;
        break;
    case GS_TEXT_KIND_GENERAL:
        cost.bytes = cost.costly = 0;
        cost.record = 14;
        break;
    case GS_TEXT_KIND_MONTH:
        cost.bytes = cost.costly = 0;
        cost.record = 1;
        break;
    case GS_TEXT_KIND_RANDOM: cost.record = GS_MD5_BYTES + 1; break;
    case GS_TEXT_KIND_VERSION:
        /* Twice the text, in which two bytes and digits stand for a number, and T 0 T; a
         * class before them. */
        cost.bytes = 2;
        cost.costly = 4;
        cost.record = 1 + 2 * 3 + 4;
        break;
    }
    return cost;
}

/* Is a key made of the first digits of numbers, too? */
static inline bool gs_text_order_has_versions(const gs_text_order *order)
{
    for (unsigned i = 0; order->record_size == 0 && i < order->key_count; i++) {
        if (order->keys[i].kind == GS_TEXT_KIND_VERSION)
            return true;
    }
    return false;
}

/* What the keys that the same byte of a line may be in take of it, and all of a record.
 * Keys that begin in a field and end in one are within these; a last character, though,
 * is counted across fields. */
static inline gs_text_cost gs_text_key_cover(const gs_text_order *order)
{
    gs_text_cost most = {0, 0, 0};
    for (unsigned i = 0; i < order->key_count; i++) {
        const uint64_t field = order->keys[i].start_field;
        gs_text_cost cover = {0, 0, 0};
        for (unsigned k = 0; k < order->key_count; k++) {
            const gs_text_key *const key = &order->keys[k];
            const gs_text_cost cost = gs_text_cost_of(key->kind);
            const bool is_beyond = key->end_char == 0 && key->end_field < field;
            if (key->start_field <= field && !is_beyond) {
                cover.bytes += cost.bytes;
                cover.costly += cost.costly;
            }
            cover.record += cost.record;
        }
        most.bytes = cover.bytes > most.bytes ? cover.bytes : most.bytes;
        most.costly = cover.costly > most.costly ? cover.costly : most.costly;
        most.record = cover.record;
    }
    return most;
}

/* What the keys of `records` lines or records take at most, which have `bytes` bytes
 * together, `costly` of them costly. */
static inline uint64_t gs_text_keys_bound(const gs_text_order *order, uint64_t records,
                                          uint64_t bytes, uint64_t costly)
{
    uint64_t fields = 0;
    if (order->record_size == 0) {
        const gs_text_cost cover = gs_text_key_cover(order);
        return cover.bytes * bytes + cover.costly * costly + cover.record * records;
    }
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
