/* SPDX-License-Identifier: MIT */
#include "lib/sort/column_names.h"

#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/quote.h"

enum { LISTED_BYTES = 100 /* of the names that a message shows */ };

/* A line of a header, with room for a name that has to be made of it. */
typedef struct header_line {
    const gs_order *order;
    const uint8_t *text;
    size_t bytes;
    uint8_t *room;
} header_line;

gs_code gs_named_job_init(gs_named_job *job, const gs_sort_options *options,
                          gs_status *st)
{
    const size_t count = options->order.key_count;
    *job = (gs_named_job){.options = *options};
    if (options->columns == NULL || count == 0)
        return GS_OK;
    GS_TRY(gs_mem_new_array(&job->keys, count, sizeof *job->keys, "keys", st));
    memcpy(job->keys, options->order.keys, count * sizeof *job->keys);
    job->options.order.keys = job->keys;
    return GS_OK;
}

void gs_named_job_release(gs_named_job *job)
{
    gs_mem_free(job->keys);
    job->keys = NULL;
}

/* The names of a header from left to right, each looked at once. */
typedef struct name_walk {
    const header_line *line;
    gs_csv_walk csv;         /* where quotes tell; else: */
    const uint8_t *at, *end; /* what is left of the line */
    bool is_over;
    size_t column; /* of the next name */
} name_walk;

static name_walk walk_names(const header_line *line)
{
    const uint8_t separator = (uint8_t)line->order->delimiter;
    const gs_csv_walk csv = gs_csv_walk_begin(line->text, line->bytes, separator);
    return (name_walk){
        .line = line, .csv = csv, .at = line->text, .end = line->text + csv.bytes};
}

/* What lies between separators. */
static bool next_part(name_walk *w, gs_csv_value *name)
{
    if (w->is_over)
        return false;
    const uint8_t separator = (uint8_t)w->line->order->delimiter;
    const uint8_t *const end =
        w->at + gs_line_find(w->at, (size_t)(w->end - w->at), separator);
    *name = (gs_csv_value){w->at, end};
    w->is_over = end == w->end;
    w->at = end + !w->is_over;
    return true;
}

/* What lies between blanks. */
static bool next_word(name_walk *w, gs_csv_value *name)
{
    while (w->at < w->end && (*w->at == ' ' || *w->at == '\t'))
        w->at++;
    const uint8_t *const begin = w->at;
    while (w->at < w->end && *w->at != ' ' && *w->at != '\t')
        w->at++;
    *name = (gs_csv_value){begin, w->at};
    return w->at > begin;
}

static bool next_name(name_walk *w, gs_csv_value *name)
{
    const size_t column = w->column++;
    if (gs_form_has_quotes(w->line->order->form)) {
        if (!gs_csv_walk_has(&w->csv, column))
            return false;
        *name = gs_csv_walk_value(&w->csv, column, w->line->room);
        return true;
    }
    return w->line->order->delimiter == GS_ORDER_BLANK_FIELDS ? next_word(w, name)
                                                              : next_part(w, name);
}

/* The names that there are, as many as a message holds. */
static void list_names(const header_line *line, char *to, size_t capacity)
{
    gs_csv_value name;
    size_t at = 0;
    name_walk walk = walk_names(line);
    *to = '\0';
    while (at + 1 < capacity && next_name(&walk, &name)) {
        const int more = snprintf(to + at, capacity - at, "%s%.*s", at > 0 ? ", " : "",
                                  (int)(name.end - name.from), (const char *)name.from);
        at += more > 0 ? (size_t)more : 0;
    }
    if (at >= capacity)
        memcpy(to + capacity - 4, "...", 4);
}

static gs_code fail_unknown(const header_line *line, const char *column, const char *name,
                            const char *hint, gs_status *st)
{
    gs_quoted shown_column, shown_name;
    char names[LISTED_BYTES];
    list_names(line, names, sizeof names);
    (void)GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: no column %s; there are: %s",
                  gs_quote_name(&shown_name, name),
                  gs_quote_argument(&shown_column, column), names);
    return gs_status_hint(st, hint);
}

static gs_code find_column(const header_line *line, const char *column, const char *name,
                           const char *hint, size_t *field, gs_status *st)
{
    const size_t bytes = strlen(column);
    gs_csv_value found;
    size_t times = 0;
    for (name_walk walk = walk_names(line); next_name(&walk, &found);) {
        if ((size_t)(found.end - found.from) != bytes ||
            memcmp(found.from, column, bytes) != 0)
            continue;
        if (times++ == 0)
            *field = walk.column - 1;
    }
    if (times == 0)
        return fail_unknown(line, column, name, hint, st);
    if (times == 1)
        return GS_OK;
    gs_quoted shown_column, shown_name;
    (void)GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: %zu columns are called %s",
                  gs_quote_name(&shown_name, name), times,
                  gs_quote_argument(&shown_column, column));
    return gs_status_hint(st, "give the column by its number");
}

/* The last line of a header, without its end and the mark before the first. */
static header_line last_line(const gs_order *order, const uint8_t *header, size_t bytes)
{
    const bool is_csv = gs_form_has_quotes(order->form);
    size_t from = gs_line_mark_bytes(header, bytes);
    for (size_t next = from; next < bytes;) {
        const uint8_t *const p = header + next;
        const size_t left = bytes - next;
        const size_t n = is_csv ? gs_csv_first_end(p, left, gs_order_csv(order), false)
                                : gs_line_find(p, left, order->eol) + 1;
        from = next;
        next += n > 0 ? n : left;
    }
    const size_t eol_bytes = bytes > from && header[bytes - 1] == order->eol;
    return (header_line){
        .order = order, .text = header + from, .bytes = bytes - eol_bytes - from};
}

gs_code gs_column_name_find(const gs_order *order, const uint8_t *header,
                            size_t header_bytes, const char *file, const char *name,
                            const char *hint, size_t *field, gs_status *st)
{
    header_line line = last_line(order, header, header_bytes);
    GS_TRY(gs_mem_new(&line.room, line.bytes + GS_CSV_SLACK, "header", st));
    GS_NOTED(find_column(&line, name, file, hint, field, st));
    gs_mem_free(line.room);
    return st->code;
}

gs_code gs_named_job_resolve(gs_named_job *job, const uint8_t *header,
                             size_t header_bytes, const char *name, gs_status *st)
{
    const gs_sort_options *const o = &job->options;
    for (size_t i = 0; job->keys != NULL && i < o->order.key_count; i++) {
        gs_key *const key = &job->keys[i];
        if (o->columns[i] == NULL)
            continue;
        GS_TRY(gs_column_name_find(&o->order, header, header_bytes, name, o->columns[i],
                                   "a name with a ':' or a ',' in it goes between quotes",
                                   &key->start_field, st));
        key->end_field = key->start_field;
    }
    return GS_OK;
}
