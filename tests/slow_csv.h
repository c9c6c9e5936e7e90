/* SPDX-License-Identifier: MIT */
/*
 * slow_csv: the records of a CSV text byte by byte, as RFC 4180 has them; what csv_scan
 * and csv_value find is compared with it, by tests and a fuzzer.
 */
#ifndef GS_TESTS_SLOW_CSV_H
#define GS_TESTS_SLOW_CSV_H

#include <string.h>

#include "lib/sort/key/keys.h"

typedef enum slow_csv_state {
    SLOW_CSV_FIELD_BEGINS,
    SLOW_CSV_BARE,
    SLOW_CSV_QUOTED,
    SLOW_CSV_CLOSED,   /* behind a quote that closes, or is the first of two */
    SLOW_CSV_RETURNED, /* behind that and a CR */
    SLOW_CSV_RECORD_ENDS,
    SLOW_CSV_BAD_QUOTE,
    SLOW_CSV_BAD_TEXT,
} slow_csv_state;

static inline slow_csv_state slow_csv_next(slow_csv_state state, uint8_t c,
                                           gs_csv_form form)
{
    if (state == SLOW_CSV_QUOTED)
        return c == '"' ? SLOW_CSV_CLOSED : SLOW_CSV_QUOTED;
    if (c == form.eol)
        return SLOW_CSV_RECORD_ENDS;
    if (c == '"')
        return state == SLOW_CSV_FIELD_BEGINS || state == SLOW_CSV_CLOSED
                   ? SLOW_CSV_QUOTED
                   : SLOW_CSV_BAD_QUOTE;
    if (state == SLOW_CSV_RETURNED)
        return SLOW_CSV_BAD_TEXT;
    if (c == form.separator)
        return SLOW_CSV_FIELD_BEGINS;
    if (state == SLOW_CSV_CLOSED)
        return c == '\r' ? SLOW_CSV_RETURNED : SLOW_CSV_BAD_TEXT;
    return SLOW_CSV_BARE;
}

/* The first record of a text that begins with one. Returns where it ends, which is
 * `bytes` without an eol; *state says how: ends, bad at that place, or as it is then. */
static inline size_t slow_csv_record(const uint8_t *text, size_t bytes, gs_csv_form form,
                                     slow_csv_state *state)
{
    *state = SLOW_CSV_FIELD_BEGINS;
    for (size_t i = 0; i < bytes; i++) {
        *state = slow_csv_next(*state, text[i], form);
        if (*state >= SLOW_CSV_RECORD_ENDS)
            return i;
    }
    return bytes;
}

/* The value of a field of a good record, without its eol; SIZE_MAX: it has fewer. */
static inline size_t slow_csv_value(const uint8_t *record, size_t bytes, gs_csv_form form,
                                    size_t field, uint8_t *to)
{
    slow_csv_state state = SLOW_CSV_FIELD_BEGINS;
    size_t at = 0, count = 0;
    if (bytes > 0 && record[bytes - 1] == '\r')
        bytes--;
    for (size_t i = 0; i < bytes; i++) {
        const slow_csv_state next = slow_csv_next(state, record[i], form);
        const bool is_text = next == SLOW_CSV_BARE ||
                             (state == SLOW_CSV_QUOTED && next == SLOW_CSV_QUOTED);
        const bool is_quote = state == SLOW_CSV_CLOSED && next == SLOW_CSV_QUOTED;
        if (next == SLOW_CSV_FIELD_BEGINS)
            count++;
        else if (count == field && (is_text || is_quote))
            to[at++] = record[i];
        state = next;
    }
    return field <= count ? at : SIZE_MAX;
}

/* Does all that is fast about a text say what is slow about it? The text has
 * GS_CSV_SLACK bytes behind it, `room` as many as it. NULL: yes; else what does not. */
static inline const char *slow_csv_differs(const uint8_t *text, size_t bytes,
                                           gs_csv_form form, uint8_t *room,
                                           uint8_t *other)
{
    gs_csv_iter it = gs_csv_iter_begin(text, bytes, form);
    slow_csv_state state = SLOW_CSV_RECORD_ENDS;
    size_t begin = 0, end = 0;
    while (gs_csv_iter_load(&it)) {
        while (gs_csv_iter_next(&it)) {
            end = begin + slow_csv_record(text + begin, bytes - begin, form, &state);
            if (state != SLOW_CSV_RECORD_ENDS || it.begin != begin || it.end != end)
                return "a record";
            const size_t n = end - begin;
            gs_csv_walk walk = gs_csv_walk_begin(text + begin, n, form.separator);
            for (size_t i = 0, more = 1; more && i < 100; i++) {
                const size_t field = i % 3 == 2 ? i / 4 : i; /* now and then back */
                const size_t want = slow_csv_value(text + begin, n, form, field, other);
                more = want != SIZE_MAX;
                if (gs_csv_walk_has(&walk, field) != (more != 0))
                    return "the number of fields";
                const gs_csv_value v = gs_csv_walk_value(&walk, field, room);
                if ((size_t)(v.end - v.from) != (more ? want : 0) ||
                    (more && memcmp(v.from, other, want) != 0))
                    return "a value";
            }
            begin = end + 1;
        }
    }
    if (it.rest != begin)
        return "what is left";
    end = begin + slow_csv_record(text + begin, bytes - begin, form, &state);
    const char *const why = gs_csv_iter_why(&it);
    const bool is_bad = state == SLOW_CSV_BAD_QUOTE || state == SLOW_CSV_BAD_TEXT;
    const bool is_open = begin < bytes && state == SLOW_CSV_QUOTED;
    if (state == SLOW_CSV_RECORD_ENDS && begin < bytes)
        return "a record that is missing";
    if ((why != NULL) != (begin < bytes && (is_bad || is_open)))
        return "whether it is broken";
    if (why != NULL && it.broken_at != (is_bad ? end : begin))
        return "where it is broken";
    if (why != NULL && is_bad && it.opens_wrongly != (state == SLOW_CSV_BAD_QUOTE))
        return "why it is broken";
    return NULL;
}

/* The same of searches for ends, which look at the number of quotes alone. */
static inline const char *slow_csv_ends_differ(const uint8_t *text, size_t bytes,
                                               gs_csv_form form, bool inside)
{
    bool now = inside, fast = inside;
    size_t first = 0, last = 0;
    for (size_t i = 0; i < bytes; i++) {
        now ^= text[i] == '"';
        if (text[i] != form.eol || now)
            continue;
        last = i + 1;
        first = first == 0 ? last : first;
    }
    if (gs_csv_last_end(text, bytes, form, &fast) != last || fast != now)
        return "the last end";
    return gs_csv_first_end(text, bytes, form, inside) != first ? "the first end" : NULL;
}

#endif
