/* SPDX-License-Identifier: MIT */
#include "lib/sort/key/csv_value.h"

#include "lib/sort/key/key_field.h"

static void look_at(gs_csv_walk *w, size_t at)
{
    w->at = at;
    w->ahead = 0;
    if (at >= w->bytes)
        return;
    const uint8_t *const p = w->record + at;
    const size_t left = w->bytes - at;
    const uint64_t valid = left < 64 ? UINT64_MAX >> (64 - left) : UINT64_MAX;
    const uint64_t quotes = gs_line_mask(p, GS_CSV_QUOTE) & valid;
    w->ahead = gs_line_mask(p, w->separator) & valid & ~gs_csv_inside(quotes, &w->inside);
}

gs_csv_walk gs_csv_walk_begin(const uint8_t *record, size_t bytes, uint8_t separator)
{
    const bool has_return = bytes > 0 && record[bytes - 1] == '\r';
    gs_csv_walk w = {
        .record = record, .bytes = bytes - has_return, .separator = separator};
    look_at(&w, 0);
    return w;
}

/* Moves to the beginning of a field; false if there are fewer. */
static bool walk_to(gs_csv_walk *w, size_t field)
{
    if (field < w->field) {
        w->field = w->begin = 0;
        w->inside = 0;
        look_at(w, 0);
    }
    while (w->field < field) {
        if (w->ahead != 0) {
            w->begin = w->at + (size_t)__builtin_ctzll(w->ahead) + 1;
            w->ahead &= w->ahead - 1;
            w->field++;
        } else if (w->at < w->bytes) {
            look_at(w, w->at + 64);
        } else {
            return false;
        }
    }
    return true;
}

/* Where the field ends that the walk stands on. */
static size_t field_end(gs_csv_walk *w)
{
    while (w->ahead == 0 && w->at < w->bytes)
        look_at(w, w->at + 64);
    return w->ahead != 0 ? w->at + (size_t)__builtin_ctzll(w->ahead) : w->bytes;
}

bool gs_csv_walk_has(gs_csv_walk *w, size_t field)
{
    return walk_to(w, field);
}

gs_csv_value gs_csv_walk_value(gs_csv_walk *w, size_t field, uint8_t *room)
{
    const uint8_t *const none = w->record + w->bytes;
    if (!walk_to(w, field))
        return (gs_csv_value){none, none};
    const uint8_t *from = w->record + w->begin, *end = w->record + field_end(w);
    if (end - from < 2 || *from != GS_CSV_QUOTE)
        return (gs_csv_value){from, end};
    from++;
    end--;
    if (gs_field_find_byte(from, end, GS_CSV_QUOTE) == end)
        return (gs_csv_value){from, end};
    return (gs_csv_value){room, gs_csv_undouble(from, end, room)};
}

static const uint8_t *skip(const uint8_t *p, const uint8_t *end, bool blanks,
                           size_t characters)
{
    if (blanks)
        p = gs_text_skip_blanks(p, end);
    return gs_field_advance(p, end, characters);
}

static const uint8_t *key_end(const gs_key *key, gs_csv_value last)
{
    return key->end_char == 0
               ? last.end
               : skip(last.from, last.end, key->skip_end_blanks, key->end_char);
}

/* The values of several fields, with separators between them, in the room. */
static gs_csv_value join_fields(gs_csv_walk *w, const gs_key *key, uint8_t *room)
{
    uint8_t *to = room;
    gs_csv_value last = {room, room};
    const uint8_t *begin = room;
    for (size_t field = key->start_field;; field++) {
        const gs_csv_value value = gs_csv_walk_value(w, field, to);
        const size_t bytes = (size_t)(value.end - value.from);
        memmove(to, value.from, bytes);
        last = (gs_csv_value){to, to + bytes};
        to += bytes;
        if (field == key->start_field)
            begin = skip(last.from, last.end, key->skip_start_blanks, key->start_char);
        if (field == key->end_field)
            break;
        if (!walk_to(w, field + 1))
            return (gs_csv_value){begin, to}; /* there are no more */
        *to++ = w->separator;
    }
    return (gs_csv_value){begin, key_end(key, last)};
}

gs_csv_value gs_csv_walk_key(gs_csv_walk *w, const gs_key *key, uint8_t *room)
{
    gs_csv_value k = {room, room};
    if (key->start_field == key->end_field) {
        const gs_csv_value value = gs_csv_walk_value(w, key->start_field, room);
        k.from = skip(value.from, value.end, key->skip_start_blanks, key->start_char);
        k.end = key_end(key, value);
    } else if (key->start_field < key->end_field && walk_to(w, key->start_field)) {
        k = join_fields(w, key, room);
    }
    if (k.end < k.from)
        k.end = k.from;
    return k;
}
