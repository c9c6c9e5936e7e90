/* SPDX-License-Identifier: MIT */
#include "lib/stream/value_batch.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/stream/time_text.h"

enum { SHOWN_BYTES = 60 }; /* of a bad value, in a message */

void gs_value_batch_release(gs_value_batch *v)
{
    gs_mem_free(v->keys);
    gs_mem_free(v->texts);
    gs_mem_free(v->ends);
    gs_mem_free(v->room.data);
    *v = (gs_value_batch){0};
}

/* --- records ------------------------------------------------------------------------ */

static inline bool next_of_table(gs_value_iter *it)
{
    gs_csv_iter *const c = &it->csv;
    while (!gs_csv_iter_next(c)) {
        if (gs_csv_iter_load(c))
            continue;
        it->why = gs_csv_iter_why(c);
        if (it->why != NULL || c->rest >= c->bytes)
            return false;
        c->begin = c->rest; /* the last one of a file, without its line end */
        c->end = c->rest = c->bytes;
        break;
    }
    it->record = c->text + c->begin;
    it->bytes = c->end - c->begin;
    return true;
}

static inline bool next_record(gs_value_iter *it)
{
    if (it->is_csv)
        return next_of_table(it);
    const uint8_t *const data = it->batch->data;
    const size_t bytes = it->batch->bytes;
    if (it->at >= bytes)
        return false;
    it->record = data + it->at;
    it->bytes = gs_line_find(it->record, bytes - it->at, '\n');
    it->at += it->bytes + 1;
    return true;
}

bool gs_value_iter_next(gs_value_iter *it)
{
    return next_record(it);
}

/* The mark that some programs write before a table is no part of its first record, of
 * the header or, without one, of a value. */
gs_value_iter gs_value_iter_all(const gs_value_options *o, const gs_line_batch *batch)
{
    const bool may_have_mark = batch->offset == 0 && (o->format.is_csv || o->has_header);
    const size_t mark = may_have_mark ? gs_line_mark_bytes(batch->data, batch->bytes) : 0;
    const gs_csv_form form = {.separator = o->format.separator, .eol = '\n'};
    return (gs_value_iter){
        .batch = batch,
        .is_csv = o->format.is_csv,
        .at = mark,
        .csv = gs_csv_iter_begin(batch->data + mark, batch->bytes - mark, form)};
}

gs_value_iter gs_value_iter_begin(const gs_value_options *o, const gs_line_batch *batch)
{
    gs_value_iter it = gs_value_iter_all(o, batch);
    if (o->has_header && batch->offset == 0)
        (void)gs_value_iter_next(&it);
    return it;
}

/* --- numbers ------------------------------------------------------------------------ */

/* Counts a bad record; `it` stands at it. */
static void note(gs_value_batch *v, const gs_value_iter *it, gs_bad_value why,
                 size_t column)
{
    if (v->bad_count++ > 0)
        return;
    v->bad = why;
    v->bad_at = (size_t)(it->record - it->batch->data);
    v->bad_bytes = it->bytes;
    v->bad_column = column;
}

static gs_code parse_binary(gs_value_batch *v, const gs_value_options *o,
                            const gs_line_batch *batch, gs_status *st)
{
    const size_t size = gs_number_type_bytes(o->type), record = gs_value_record_size(o);
    const size_t columns = o->column_count;
    GS_TRY(gs_mem_grow(&v->keys, &v->capacity, batch->bytes / size + 1, "values", st));
    const uint8_t *from = batch->data;
    size_t left = batch->bytes / record;
    while (left > 0) {
        size_t bad = 0;
        uint64_t *const to = v->keys + v->count * columns;
        const bool is_good =
            gs_number_parse_binary(o->type, from, left * columns, to, &bad);
        const size_t good = is_good ? left : bad / columns;
        v->count += good;
        if (is_good)
            return GS_OK;
        const gs_value_iter it = {
            .batch = batch, .record = from + good * record, .bytes = record};
        note(v, &it, GS_BAD_NUMBER, bad % columns);
        from += (good + 1) * record;
        left -= good + 1;
    }
    return GS_OK;
}

/* A field as its column is to be read. */
static bool parse_field(const gs_value_options *o, size_t column, const gs_slice *field,
                        uint64_t *key)
{
    double seconds;
    if (column == 0 || !o->has_times)
        return gs_number_parse_text(o->type, field->data, field->bytes, key);
    if (!gs_time_parse(field->data, field->bytes, &seconds))
        return false;
    *key = gs_number_of_double(seconds);
    return true;
}

static gs_code parse_fields(gs_value_batch *v, const gs_value_options *o,
                            gs_value_iter *it, gs_status *st)
{
    while (next_record(it)) {
        uint64_t *const to = v->keys + v->count * o->column_count;
        size_t i = 0;
        for (; i < o->column_count; i++) {
            gs_slice value;
            bool found;
            GS_TRY(gs_column_find(&o->format, o->columns[i].field, it->record, it->bytes,
                                  &v->room, &value, &found, st));
            if (found && parse_field(o, i, &value, &to[i]))
                continue;
            note(v, it, found ? GS_BAD_NUMBER : GS_BAD_FIELD, i);
            break;
        }
        v->count += i == o->column_count;
    }
    return GS_OK;
}

/* A number a line: what most streams are. */
static void parse_lines(gs_value_batch *v, const gs_value_options *o,
                        const gs_line_batch *batch, const gs_value_iter *first)
{
    const uint8_t *const data = batch->data;
    const gs_number_type type = o->type;
    const size_t skipped = first->at < batch->bytes ? first->at : batch->bytes;
    gs_line_iter lines = gs_line_iter_begin(data + skipped, batch->bytes - skipped, '\n');
    uint64_t *to = v->keys;
    while (gs_line_iter_load(&lines)) {
        while (gs_line_iter_next(&lines)) {
            const uint8_t *const text = lines.text + lines.begin;
            const size_t bytes = lines.end - lines.begin;
            if (__builtin_expect(gs_number_parse_text(type, text, bytes, to), 1)) {
                to++;
                continue;
            }
            const gs_value_iter it = {.batch = batch, .record = text, .bytes = bytes};
            note(v, &it, GS_BAD_NUMBER, 0);
        }
    }
    if (lines.rest < lines.bytes) {
        const gs_value_iter it = {.batch = batch,
                                  .record = lines.text + lines.rest,
                                  .bytes = lines.bytes - lines.rest};
        if (gs_number_parse_text(type, it.record, it.bytes, to))
            to++;
        else
            note(v, &it, GS_BAD_NUMBER, 0);
    }
    v->count = (size_t)(to - v->keys);
}

/* --- texts -------------------------------------------------------------------------- */

enum { WORD = 16 }; /* what is copied at once */

/* There is room for it and for a word beyond; the text may be read as far. */
static inline void put_text(gs_value_batch *v, const uint8_t *text, size_t bytes)
{
    uint8_t *const to = v->texts + v->text_bytes;
    for (size_t i = 0; i < bytes; i += WORD)
        memcpy(to + i, text + i, WORD);
    v->text_bytes += bytes;
    v->ends[v->count++] = (uint32_t)v->text_bytes;
}

/* A text a line. */
static void put_lines(gs_value_batch *v, const gs_line_batch *batch, size_t begin)
{
    gs_line_iter lines =
        gs_line_iter_begin(batch->data + begin, batch->bytes - begin, '\n');
    while (gs_line_iter_load(&lines))
        while (gs_line_iter_next(&lines))
            put_text(v, lines.text + lines.begin, lines.end - lines.begin);
    if (lines.rest < lines.bytes)
        put_text(v, lines.text + lines.rest, lines.bytes - lines.rest);
}

/* A field of CSV is good until the next one is looked for: the time comes first. */
static gs_code parse_timed_texts(gs_value_batch *v, const gs_value_options *o,
                                 gs_value_iter *it, gs_status *st)
{
    GS_TRY(gs_mem_grow(&v->keys, &v->capacity, v->lines + 2, "times", st));
    while (next_record(it)) {
        gs_slice field;
        size_t column = 1;
        bool found;
        GS_TRY(gs_column_find(&o->format, o->columns[1].field, it->record, it->bytes,
                              &v->room, &field, &found, st));
        bool is_good = found && parse_field(o, 1, &field, &v->keys[v->count]);
        if (is_good) {
            column = 0;
            GS_TRY(gs_column_find(&o->format, o->columns[0].field, it->record, it->bytes,
                                  &v->room, &field, &found, st));
            is_good = found;
        }
        if (is_good)
            put_text(v, field.data, field.bytes);
        else
            note(v, it, found ? GS_BAD_NUMBER : GS_BAD_FIELD, column);
    }
    return GS_OK;
}

static gs_code parse_texts(gs_value_batch *v, const gs_value_options *o,
                           const gs_line_batch *batch, gs_value_iter *it, gs_status *st)
{
    const size_t field = o->columns[0].field;
    GS_TRY(gs_mem_grow(&v->texts, &v->text_capacity, batch->bytes + WORD, "values", st));
    GS_TRY(gs_mem_grow(&v->ends, &v->end_capacity, v->lines + 2, "values", st));
    v->text_bytes = 0;
    const bool is_line = !o->format.is_csv;
    if (is_line &&
        (o->is_record || (field == 0 && o->is_good == NULL && !o->has_times))) {
        put_lines(v, batch, it->at < batch->bytes ? it->at : batch->bytes);
        return GS_OK;
    }
    if (o->is_record) { /* of CSV, and may have several lines */
        while (next_record(it))
            put_text(v, it->record, it->bytes);
        return GS_OK;
    }
    if (o->has_times)
        return parse_timed_texts(v, o, it, st);
    while (next_record(it)) {
        gs_slice value;
        bool found;
        GS_TRY(gs_column_find(&o->format, field, it->record, it->bytes, &v->room, &value,
                              &found, st));
        if (found && (o->is_good == NULL || o->is_good(value.data, value.bytes)))
            put_text(v, value.data, value.bytes);
        else
            note(v, it, found ? GS_BAD_NUMBER : GS_BAD_FIELD, 0);
    }
    return GS_OK;
}

/* Numbers as texts: what tells of texts tells of them too. */
static gs_code print_numbers(gs_value_batch *v, const gs_value_options *o, gs_status *st)
{
    enum { MOST_BYTES = 24 }; /* -2.2250738585072014e-308 */
    const size_t count = v->count;
    GS_TRY(gs_mem_grow(&v->texts, &v->text_capacity, count * MOST_BYTES + WORD, "values",
                       st));
    GS_TRY(gs_mem_grow(&v->ends, &v->end_capacity, count, "values", st));
    v->count = v->text_bytes = 0;
    for (size_t i = 0; i < count; i++) {
        char text[GS_NUMBER_TEXT_BYTES] = {0};
        const size_t bytes = gs_number_print(o->type, v->keys[i], text);
        put_text(v, (const uint8_t *)text, bytes);
    }
    return GS_OK;
}

static gs_code parse_records(gs_value_batch *v, const gs_value_options *o,
                             const gs_line_batch *batch, gs_value_iter *it, gs_status *st)
{
    v->lines = gs_line_count(batch->data, batch->bytes, '\n');
    if (o->is_text)
        return parse_texts(v, o, batch, it, st);
    GS_TRY(gs_mem_grow(&v->keys, &v->capacity, (v->lines + 2) * o->column_count, "values",
                       st));
    if (o->column_count > 1 || o->columns[0].field > 0 || o->format.is_csv)
        return parse_fields(v, o, it, st);
    parse_lines(v, o, batch, it);
    return GS_OK;
}

gs_code gs_value_batch_parse(gs_value_batch *v, const gs_value_options *o,
                             const gs_line_batch *batch, gs_status *st)
{
    v->count = 0;
    v->lines = v->bad_count = 0;
    v->bad = GS_BAD_NONE;
    v->why = NULL;
    if (o->is_binary) {
        GS_TRY(parse_binary(v, o, batch, st));
        for (size_t i = 0; o->has_times && i < v->count; i++)
            v->keys[2 * i + 1] =
                gs_number_of_double(gs_number_as_double(o->type, v->keys[2 * i + 1]));
        return o->is_text ? print_numbers(v, o, st) : GS_OK;
    }
    gs_value_iter it = gs_value_iter_begin(o, batch);
    GS_TRY(parse_records(v, o, batch, &it, st));
    v->why = it.why;
    if (v->why != NULL) {
        const size_t mark = (size_t)(it.csv.text - batch->data);
        v->broken_record_at = mark + it.csv.rest;
        v->broken_at = mark + it.csv.broken_at;
    }
    return GS_OK;
}

/* --- what is bad -------------------------------------------------------------------- */

static gs_code fail_bad(const gs_value_place *place, const gs_value_options *o,
                        const gs_value_batch *v, const gs_line_batch *batch,
                        const char *input_name, gs_status *st)
{
    gs_quoted name, shown;
    char text[SHOWN_BYTES + 1];
    const unsigned long long line =
        place->lines + 1 + gs_line_count(batch->data, v->bad_at, '\n');
    gs_quote_name(&name, input_name);
    if (o->is_binary) {
        (void)GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: at byte %llu: a NaN is no number",
                      name.text, (unsigned long long)(batch->offset + v->bad_at));
        return gs_status_hint(st, "--skip-bad leaves it out");
    }
    const size_t field = o->columns[v->bad_column].field;
    if (v->bad == GS_BAD_FIELD) {
        (void)GS_FAIL(st, GS_ERR_FORMAT, 0, "%s:%llu: there is no field %zu", name.text,
                      line, field);
        return gs_status_hint(st, "--skip-bad leaves such lines out");
    }
    gs_slice value = {0};
    gs_column_room room = {0};
    bool found = false;
    GS_TRY(gs_column_find(&o->format, field, batch->data + v->bad_at, v->bad_bytes, &room,
                          &value, &found, st));
    (void)snprintf(text, sizeof text, "%.*s",
                   value.bytes < SHOWN_BYTES ? (int)value.bytes : SHOWN_BYTES,
                   (const char *)value.data);
    gs_mem_free(room.data);
    const bool is_time = o->has_times && v->bad_column == 1;
    const bool has_type = !o->is_text && !is_time && o->type != GS_NUMBER_F64;
    (void)GS_FAIL(st, GS_ERR_FORMAT, 0, "%s:%llu: %s is no %s%s%s", name.text, line,
                  gs_quote_argument(&shown, text),
                  is_time      ? "time"
                  : o->is_text ? o->good_name
                               : "number",
                  has_type ? " of type " : "",
                  has_type ? gs_number_type_name(o->type) : "");
    return gs_status_hint(st, "--skip-bad leaves such lines out");
}

/* As a sort says it. */
static gs_code fail_broken(const gs_value_place *place, const gs_value_batch *v,
                           const gs_line_batch *batch, const char *input_name,
                           gs_status *st)
{
    gs_line_batch numbered = *batch;
    numbered.first_line = place->lines + 1;
    return gs_line_batch_fail(&numbered, input_name, v->broken_record_at,
                              v->broken_at - v->broken_record_at, v->why, st);
}

gs_code gs_value_place_pass(gs_value_place *place, const gs_value_options *o,
                            const gs_value_batch *v, const gs_line_batch *batch,
                            const char *input_name, gs_status *st)
{
    if (batch->input_index != place->input_index) {
        place->input_index = batch->input_index;
        place->lines = 0;
    }
    if (v->bad_count > 0 && !o->skips_bad)
        return fail_bad(place, o, v, batch, input_name, st);
    if (v->why != NULL)
        return fail_broken(place, v, batch, input_name, st);
    place->bad_count += v->bad_count;
    place->lines += v->lines;
    return GS_OK;
}
