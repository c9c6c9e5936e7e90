/* SPDX-License-Identifier: MIT */
#include "lib/index/text/document_table.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/index/text/byte_find.h"
#include "lib/base/utf8.h"
#include "lib/sort/record/records.h"

enum {
    COLUMNS_MAX = 65536,
    NAMES_TAIL_BYTES = 40, /* " and N more" */
};

/* --- cutting ----------------------------------------------------------------------- */

/* What the words of the cutter's state are. */
enum { PLACE, SEPARATOR, MARK_BYTES };

/* Where it stands. At the beginning of a row a byte order mark may come, of which
 * MARK_BYTES were there. */
enum { AT_ROW, AT_VALUE, IN_VALUE, IN_QUOTES, BEHIND_QUOTE };

gs_cut_state gs_csv_cut_begin(uint8_t separator)
{
    return (gs_cut_state){{[PLACE] = AT_ROW, [SEPARATOR] = separator}};
}

/* One byte that stands in no quotes: where that leads. */
static uint64_t see_byte(gs_cut_state *s, uint64_t place, uint8_t c)
{
    static const uint8_t mark[] = {0xef, 0xbb, 0xbf};
    if (place == AT_ROW && c == mark[s->words[MARK_BYTES]]) {
        s->words[MARK_BYTES] = (s->words[MARK_BYTES] + 1) % sizeof mark;
        return s->words[MARK_BYTES] > 0 ? AT_ROW : AT_VALUE;
    }
    if (s->words[MARK_BYTES] > 0)
        place = IN_VALUE;
    s->words[MARK_BYTES] = 0;
    if (c == '\n')
        return AT_ROW;
    if (c == s->words[SEPARATOR])
        return AT_VALUE;
    return c == GS_CSV_QUOTE && place != IN_VALUE ? IN_QUOTES : IN_VALUE;
}

size_t gs_csv_cut(gs_cut_state *state, const uint8_t *data, size_t bytes)
{
    const uint8_t *const end = data + bytes;
    const uint8_t *p = data, *whole = data;
    const uint8_t separator = (uint8_t)state->words[SEPARATOR];
    uint64_t place = state->words[PLACE];
    while (p < end) {
        if (place == IN_QUOTES) {
            p = memchr(p, GS_CSV_QUOTE, (size_t)(end - p));
            if (p == NULL)
                break;
            place = BEHIND_QUOTE;
            p++;
            continue;
        }
        if (place == IN_VALUE && (p = gs_find_either(p, end, separator, '\n')) == end)
            break;
        place = see_byte(state, place, *p++);
        if (place == AT_ROW && p[-1] == '\n')
            whole = p;
    }
    state->words[PLACE] = place;
    return (size_t)(whole - data);
}

/* --- values ------------------------------------------------------------------------ */

typedef struct table_reader {
    const gs_columns *columns;
    const uint8_t *at, *end;
    const char *why;     /* the row is no document */
    uint64_t more_lines; /* within values */
} table_reader;

/* A value without the line end behind it. */
static gs_text_span plain_value(const uint8_t *from, const uint8_t *to,
                                const uint8_t *end)
{
    const bool ends_line = to == end || *to == '\n';
    return (gs_text_span){from, (size_t)(to - from) -
                                    (ends_line && to > from && to[-1] == '\r')};
}

/* Stands on a quotation mark. The value is put together where it is. What stands behind
 * the closing quote belongs to it: a document that is a little broken is better found
 * than left out, where a sort would stop (gs_csv_iter). */
static gs_text_span read_quoted(table_reader *r)
{
    bool has_doubled = false;
    const uint8_t *const from = r->at + 1;
    const uint8_t *const closed = gs_csv_quoted_end(r->at, r->end, &has_doubled);
    const uint8_t *const stop = closed != NULL ? closed - 1 : r->end;
    r->more_lines += gs_line_count(from, (size_t)(stop - from), '\n');
    uint8_t *const begin = (uint8_t *)(uintptr_t)from;
    const uint8_t *const to = has_doubled ? gs_csv_undouble(from, stop, begin) : stop;
    gs_text_span value = {begin, (size_t)(to - begin)};
    r->at = r->end;
    if (closed == NULL) {
        r->why = "a quoted value does not end";
        return value;
    }
    r->at = gs_find_either(closed, r->end, r->columns->separator, '\n');
    const gs_text_span rest = plain_value(closed, r->at, r->end);
    memmove(begin + value.bytes, rest.data, rest.bytes);
    value.bytes += rest.bytes;
    return value;
}

/* The next value of a row; `at` is then on what ends it. */
static gs_text_span read_value(table_reader *r)
{
    if (r->at < r->end && *r->at == GS_CSV_QUOTE && r->columns->has_quotes)
        return read_quoted(r);
    const uint8_t *const from = r->at;
    r->at = gs_find_either(from, r->end, r->columns->separator, '\n');
    return plain_value(from, r->at, r->end);
}

/* Behind a value: does the row go on? */
static bool take_separator(table_reader *r)
{
    if (r->at == r->end || *r->at != r->columns->separator)
        return false;
    r->at++;
    return true;
}

static void skip_row(table_reader *r)
{
    do
        (void)read_value(r);
    while (take_separator(r));
    r->at += r->at < r->end;
}

/* --- rows -------------------------------------------------------------------------- */

/* What a row has of a document. */
typedef struct table_row {
    gs_text_span name, texts[GS_TEXT_FIELDS_MAX];
    size_t count, text_count; /* values, and texts that are there */
} table_row;

/* Reads one row, to the beginning of the next. */
static void read_row(table_reader *r, table_row *row)
{
    const gs_columns *const c = r->columns;
    bool is_there[GS_TEXT_FIELDS_MAX] = {false};
    row->count = row->text_count = 0;
    row->name = (gs_text_span){r->at, 0};
    r->why = NULL;
    do {
        const gs_text_span value = read_value(r);
        if (row->count == c->id)
            row->name = value;
        for (size_t i = 0; i < c->text_count; i++) {
            if (c->texts[i] == row->count) {
                row->texts[i] = value;
                is_there[i] = true;
            }
        }
        row->count++;
    } while (take_separator(r));
    for (size_t i = 0; i < c->text_count; i++) {
        if (is_there[i])
            row->texts[row->text_count++] = row->texts[i];
    }
    r->at += r->at < r->end;
    if (r->why == NULL && row->count > c->count)
        r->why = "more values than the header has names";
    if (r->why == NULL && (row->count <= c->id || row->text_count == 0))
        r->why = "too few values for name and text";
}

static gs_code take_row(gs_document_list *list, table_reader *r, gs_status *st)
{
    table_row row;
    const uint64_t line = list->line_count++;
    r->at = gs_utf8_skip_mark(r->at, r->end);
    const uint8_t *const eol = memchr(r->at, '\n', (size_t)(r->end - r->at));
    if (gs_document_line_is_blank(r->at, eol != NULL ? eol : r->end)) {
        r->at = eol != NULL ? eol + 1 : r->end;
        return GS_OK;
    }
    read_row(r, &row);
    list->line_count += r->more_lines;
    r->more_lines = 0;
    return gs_document_list_take(list, line, r->why, row.name, row.texts, row.text_count,
                                 st);
}

static table_reader reader_of(const gs_columns *columns, const uint8_t *data,
                              const uint8_t *end)
{
    return (table_reader){.columns = columns, .at = data, .end = end};
}

gs_code gs_table_parse(gs_document_list *list, const gs_columns *columns,
                       const gs_line_batch *batch, gs_status *st)
{
    table_reader r = reader_of(columns, batch->data, batch->data + batch->bytes);
    if (batch->offset == 0 && r.at < r.end) {
        r.at = gs_utf8_skip_mark(r.at, r.end);
        skip_row(&r);
        list->line_count += 1 + r.more_lines;
        r.more_lines = 0;
    }
    while (r.at < r.end)
        GS_TRY(take_row(list, &r, st));
    return GS_OK;
}

bool gs_table_find_name(const gs_columns *columns, const gs_line_batch *batch,
                        gs_text_span *name)
{
    table_reader r = reader_of(columns, batch->data, batch->data + batch->bytes);
    r.at = gs_utf8_skip_mark(r.at, r.end);
    if (batch->offset == 0) {
        skip_row(&r);
        r.at = gs_utf8_skip_mark(r.at, r.end);
    }
    for (size_t i = 0; r.at < r.end; i++) {
        *name = read_value(&r);
        if (i == columns->id)
            return r.at < r.end && r.why == NULL && name->bytes > 0;
        if (!take_separator(&r))
            break;
    }
    return false;
}

/* --- the header -------------------------------------------------------------------- */

/* The separator that comes most often outside of quotes. */
static uint8_t find_separator(const uint8_t *p, const uint8_t *end)
{
    static const uint8_t separators[] = {',', ';', '\t', '|'};
    size_t counts[sizeof separators] = {0}, best = 0;
    bool is_quoted = false;
    for (; p < end && (is_quoted || *p != '\n'); p++) {
        is_quoted ^= *p == GS_CSV_QUOTE;
        for (size_t i = 0; i < sizeof separators; i++)
            counts[i] += !is_quoted && *p == separators[i];
    }
    for (size_t i = 1; i < sizeof separators; i++)
        best = counts[i] > counts[best] ? i : best;
    return separators[best];
}

static bool is_name(gs_text_span value, const char *name, bool in_any_case)
{
    return strlen(name) == value.bytes &&
           (in_any_case ? strncasecmp((const char *)value.data, name, value.bytes) == 0
                        : memcmp(value.data, name, value.bytes) == 0);
}

static void list_name(gs_text_span name, char *names, size_t capacity, size_t *used,
                      size_t *more)
{
    if (*more == 0 && *used + name.bytes + NAMES_TAIL_BYTES < capacity)
        *used += (size_t)snprintf(names + *used, capacity - *used, "%s\"%.*s\"",
                                  *used > 0 ? ", " : "", (int)name.bytes,
                                  (const char *)name.data);
    else
        ++*more;
}

/* Which of the names that are looked for this is, or `count`. */
static size_t find_name(gs_text_span value, const char *const *wanted, size_t count,
                        bool in_any_case)
{
    size_t i = 0;
    while (i < count && !is_name(value, wanted[i], in_any_case))
        i++;
    return i;
}

gs_header_lack gs_columns_read(gs_columns *columns, const gs_document_options *options,
                               bool is_csv, const gs_file_front *front, char *names,
                               size_t capacity)
{
    const char *const *const ids =
        options->id_field != NULL ? &options->id_field : gs_usual_id_fields;
    const size_t id_count = options->id_field != NULL ? 1 : GS_USUAL_IDS;
    const bool is_usual_text = options->takes_usual_texts;
    size_t used = 0, more = 0, best_id = id_count;
    size_t places[GS_TEXT_FIELDS_MAX];
    *columns = (gs_columns){.has_quotes = is_csv, .separator = '\t'};
    table_reader r = reader_of(columns, front->data, front->data + front->bytes);
    r.at = gs_utf8_skip_mark(r.at, r.end);
    if (is_csv)
        columns->separator = find_separator(r.at, r.end);
    for (size_t i = 0; i < options->text_field_count; i++)
        places[i] = COLUMNS_MAX;
    *names = '\0';
    do {
        const gs_text_span value = read_value(&r);
        const size_t id = find_name(value, ids, id_count, options->id_field == NULL);
        const size_t text = find_name(value, options->text_fields,
                                      options->text_field_count, is_usual_text);
        if (id < best_id) {
            best_id = id;
            columns->id = columns->count;
        }
        if (text < options->text_field_count && places[text] == COLUMNS_MAX)
            places[text] = columns->count;
        list_name(value, names, capacity, &used, &more);
        columns->count++;
    } while (columns->count < COLUMNS_MAX && take_separator(&r));
    if (more > 0)
        (void)snprintf(names + used, capacity - used, " and %zu more", more);
    for (size_t i = 0; i < options->text_field_count; i++) {
        if (places[i] != COLUMNS_MAX)
            columns->texts[columns->text_count++] = places[i];
        if (is_usual_text && i == 0 && columns->text_count > 0)
            break; /* the first of the usual ones stands for all */
    }
    if (r.at == r.end && !front->is_all)
        return GS_HEADER_NO_END;
    return best_id == id_count        ? GS_HEADER_NO_NAME
           : columns->text_count == 0 ? GS_HEADER_NO_TEXT
                                      : GS_HEADER_IS_GOOD;
}
