/* SPDX-License-Identifier: MIT */
#include "lib/stream/table_sink.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/share.h"

enum {
    COUNTERS_MAX = 1 << 16,
    COUNTERS_MIN = 1 << 8,
    COUNTER_BYTES = 256, /* of one, twice over, with its text and its slots */
    FEW = 1 << 12,       /* counters of a window that has little but different values */
};

typedef struct field_slice {
    uint32_t at, bytes; /* NO_FIELD: there is none */
} field_slice;

#define NO_FIELD UINT32_MAX
#define EPS_MAX  0.05

/* What a thread makes of a window. */
typedef struct window_facts {
    gs_column_facts *columns;
    size_t column_count;
    uint64_t with_more;
    field_slice *fields; /* column by column */
    size_t field_capacity;
    uint8_t *undoubled; /* fields that lie nowhere as they are meant */
    size_t undoubled_bytes, undoubled_capacity;
    gs_column_room room;
    gs_window numbers;
} window_facts;

static void release_columns(gs_column_facts *columns, size_t count)
{
    for (size_t i = 0; columns != NULL && i < count; i++)
        gs_column_facts_release(&columns[i]);
    gs_mem_free(columns);
}

void gs_table_sink_release(gs_table_sink *s)
{
    release_columns(s->columns, s->column_count);
    release_columns(s->reported, s->column_count);
    for (size_t i = 0; s->ranks != NULL && i < s->column_count; i++)
        gs_rank_histogram_release(&s->ranks[i]);
    gs_mem_free(s->ranks);
    gs_mem_free(s->names);
    gs_mem_free(s->name_texts);
    *s = (gs_table_sink){.column_count = 0};
}

static void release_window(void *window)
{
    window_facts *const w = window;
    release_columns(w->columns, w->column_count);
    gs_mem_free(w->fields);
    gs_mem_free(w->undoubled);
    gs_mem_free(w->room.data);
    gs_window_release(&w->numbers);
}

/* --- fields ------------------------------------------------------------------------- */

typedef struct field_cursor {
    const gs_table_sink *sink;
    const uint8_t *at, *end; /* NULL: no more */
    gs_column_room *room;
} field_cursor;

/* The fields of a record, one after the other. */
static gs_code next_field(field_cursor *c, gs_slice *field, bool *found, gs_status *st)
{
    const gs_column_format *const f = &c->sink->format;
    *found = c->at != NULL;
    if (!*found)
        return GS_OK;
    *field = (gs_slice){c->at, (size_t)(c->end - c->at)};
    if (!c->sink->is_split) {
        c->at = NULL;
        return GS_OK;
    }
    return gs_column_next(f, &c->at, c->end, c->room, field, found, st);
}

static gs_code cut_record(const gs_table_sink *s, window_facts *w, const uint8_t *texts,
                          size_t begin, size_t end, field_slice *to, size_t stride,
                          gs_status *st)
{
    field_cursor c = {s, texts + begin, texts + end, &w->room};
    gs_slice field;
    bool found = true;
    size_t column = 0;
    while (column < s->column_count) {
        field_slice *const f = &to[column++ * stride];
        if (found)
            GS_TRY(next_field(&c, &field, &found, st));
        *f = (field_slice){NO_FIELD, 0};
        if (!found)
            continue;
        f->bytes = (uint32_t)field.bytes;
        if (field.data >= texts + begin && field.data <= texts + end) {
            f->at = (uint32_t)(field.data - texts);
            continue;
        }
        GS_TRY(gs_mem_grow(&w->undoubled, &w->undoubled_capacity,
                           w->undoubled_bytes + field.bytes + GS_COLUMN_SLACK,
                           "quoted fields", st));
        if (field.bytes > 0)
            memcpy(w->undoubled + w->undoubled_bytes, field.data, field.bytes);
        f->at = (uint32_t)w->undoubled_bytes | UINT32_C(1) << 31;
        w->undoubled_bytes += field.bytes;
    }
    w->with_more += c.at != NULL;
    return GS_OK;
}

/* --- windows ------------------------------------------------------------------------ */

static gs_code prepare(const gs_table_sink *s, window_facts *w, gs_status *st)
{
    if (w->column_count == 0) {
        GS_TRY(gs_mem_new_array(&w->columns, s->column_count, sizeof *w->columns,
                                "columns", st));
        w->column_count = s->column_count;
        GS_TRY(gs_window_init(&w->numbers, GS_WINDOW_TEXTS, 1, false, st));
    }
    for (size_t i = 0; i < w->column_count; i++)
        gs_column_facts_reset(&w->columns[i]);
    w->with_more = 0;
    w->undoubled_bytes = 0;
    return GS_OK;
}

static gs_code look_at_column(const gs_table_sink *s, window_facts *w,
                              const gs_window *window, size_t column, gs_status *st)
{
    gs_column_facts *const facts = &w->columns[column];
    const field_slice *const fields = w->fields + column * window->count;
    gs_window *const numbers = &w->numbers;
    numbers->count = 0;
    for (size_t i = 0; i < window->count; i++) {
        if (fields[i].at == NO_FIELD) {
            facts->missing++;
            continue;
        }
        const uint32_t at = fields[i].at & (UINT32_MAX >> 1);
        const uint8_t *const text =
            at == fields[i].at ? window->texts + at : w->undoubled + at;
        bool is_number;
        GS_TRY(gs_column_facts_add(facts, text, fields[i].bytes,
                                   &numbers->keys[numbers->count], &is_number, st));
        numbers->count += is_number;
    }
    if (numbers->count > 0)
        GS_TRY(gs_window_sort(s->sorter, numbers, st));
    GS_TRY(gs_rank_summary_take(&facts->ranks, numbers->keys, numbers->count,
                                gs_rank_window_stride(s->eps, numbers->count), st));
    /* Where hardly a value comes twice, few can be frequent, and the others cost time
     * when all windows are put together. The first window is whole: of a short stream
     * the number of different values is known. */
    const bool is_various = window->number > 0 && facts->counts.count > window->count / 2;
    return gs_text_counts_prune(&facts->counts,
                                is_various && s->counters > FEW ? FEW : s->counters, st);
}

static gs_code digest(void *context, const gs_window *window, bool is_whole, void *to,
                      gs_status *st)
{
    const gs_table_sink *const s = context;
    window_facts *const w = to;
    size_t fields = 0;
    (void)is_whole;
    GS_TRY(prepare(s, w, st));
    GS_TRY(gs_mem_size_mul(&fields, window->count, s->column_count, st));
    GS_TRY(gs_mem_grow(&w->fields, &w->field_capacity, fields, "fields", st));
    for (size_t i = 0; i < window->count; i++)
        GS_TRY(cut_record(s, w, window->texts, i > 0 ? window->ends[i - 1] : 0,
                          window->ends[i], w->fields + i, window->count, st));
    for (size_t i = 0; i < s->column_count; i++)
        GS_TRY(look_at_column(s, w, window, i, st));
    return GS_OK;
}

static gs_code add(void *context, void *window, gs_status *st)
{
    gs_table_sink *const s = context;
    window_facts *const w = window;
    s->with_more += w->with_more;
    for (size_t i = 0; i < s->column_count; i++) {
        gs_column_facts *const all = &s->columns[i];
        GS_TRY(gs_column_facts_merge(all, &w->columns[i], st));
        if (all->counts.count > 2 * s->counters)
            GS_TRY(gs_text_counts_prune(&all->counts, s->counters, st));
        if (w->columns[i].ranks.count > 0)
            GS_TRY(gs_rank_histogram_add(&s->ranks[i], &w->columns[i].ranks, st));
    }
    return GS_OK;
}

static gs_code report(void *context, void *last, uint64_t values, bool is_end,
                      gs_status *st)
{
    gs_table_sink *const s = context;
    const window_facts *const w = last;
    for (size_t i = 0; i < s->column_count; i++) {
        gs_column_facts *const to = &s->reported[i];
        gs_column_facts_reset(to);
        GS_TRY(gs_column_facts_merge(to, &s->columns[i], st));
        if (w != NULL)
            GS_TRY(gs_column_facts_merge(to, &w->columns[i], st));
        gs_text_counts_rank(&to->counts);
        GS_TRY(gs_rank_histogram_all(&s->ranks[i], w ? &w->columns[i].ranks : NULL,
                                     &to->ranks, st));
    }
    const gs_table_facts all = {.records = values,
                                .with_more = s->with_more + (w ? w->with_more : 0),
                                .eps = s->eps,
                                .column_count = s->column_count,
                                .names = s->names,
                                .columns = s->reported};
    return s->report(s->report_context, &all, is_end, st);
}

/* --- the first record --------------------------------------------------------------- */

static gs_code read_names(gs_table_sink *s, const uint8_t *record, size_t bytes,
                          gs_column_room *room, gs_status *st)
{
    field_cursor c = {s, record, record + bytes, room};
    size_t at = 0;
    GS_TRY(gs_mem_new_array(&s->names, s->column_count, sizeof *s->names, "names", st));
    GS_TRY(gs_mem_new(&s->name_texts, bytes + 1, "names", st));
    for (size_t i = 0; i < s->column_count; i++) {
        gs_slice name = {0};
        bool found;
        GS_TRY(next_field(&c, &name, &found, st));
        if (name.bytes > 0)
            memcpy(s->name_texts + at, name.data, name.bytes);
        s->names[i] = (gs_slice){s->name_texts + at, name.bytes};
        at += name.bytes;
    }
    return GS_OK;
}

/* Ranks of each column in their part of the memory, for as good as any stream. */
static void fit_eps(gs_table_sink *s, size_t each)
{
    const uint64_t values = UINT64_C(1) << 36;
    while (s->eps < EPS_MAX &&
           gs_rank_histogram_entries_max(s->eps, GS_WINDOW_TEXTS, values) *
                   sizeof(gs_rank_entry) >
               each)
        s->eps = s->eps * 2 < EPS_MAX ? s->eps * 2 : EPS_MAX;
}

static gs_code begin(void *context, const uint8_t *record, size_t bytes, gs_status *st)
{
    gs_table_sink *const s = context;
    gs_column_room room = {0};
    field_cursor c = {s, record, record + bytes, &room};
    size_t columns = 0;
    for (bool found = true;
         found && st->code == GS_OK && columns < GS_TABLE_COLUMNS_MAX;) {
        gs_slice field;
        GS_NOTED(next_field(&c, &field, &found, st));
        columns += found;
    }
    if (columns == 0)
        columns = 1;
    const size_t each = s->memory_bytes / columns;
    s->counters =
        gs_power_below(gs_clamp(each / COUNTER_BYTES, COUNTERS_MIN, COUNTERS_MAX));
    s->column_count = columns;
    fit_eps(s, each);
    if (st->code == GS_OK)
        GS_NOTED(
            gs_mem_new_array(&s->columns, columns, sizeof *s->columns, "columns", st));
    if (st->code == GS_OK)
        GS_NOTED(
            gs_mem_new_array(&s->reported, columns, sizeof *s->reported, "columns", st));
    if (st->code == GS_OK)
        GS_NOTED(gs_mem_new_array(&s->ranks, columns, sizeof *s->ranks, "columns", st));
    for (size_t i = 0; st->code == GS_OK && i < columns; i++)
        gs_rank_histogram_init(&s->ranks[i], s->eps, GS_WINDOW_TEXTS);
    if (st->code == GS_OK && s->has_header)
        GS_NOTED(read_names(s, record, bytes, &room, st));
    gs_mem_free(room.data);
    return st->code;
}

gs_value_sink gs_table_sink_as_sink(gs_table_sink *s)
{
    return (gs_value_sink){
        .context = s,
        .digest_bytes = sizeof(window_facts),
        .begin = begin,
        .digest = digest,
        .add = add,
        .report = report,
        .digest_release = release_window,
    };
}
