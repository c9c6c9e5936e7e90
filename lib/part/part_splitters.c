/* SPDX-License-Identifier: MIT */
#include "lib/part/part_splitters.h"

#include <string.h>

#include "io/small_file.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

static gs_code fail_too_many(const char *name, size_t bytes_max, gs_status *st)
{
    gs_quoted quoted;
    (void)GS_FAIL(st, GS_ERR_LIMIT, 0,
                  "%s: splitters take more than the %zu bytes there are for them",
                  gs_quote_name(&quoted, name), bytes_max);
    return gs_status_hint(st, "give more memory with -S, or fewer splitters");
}

static gs_code read_text(gs_part_splitters *s, size_t bytes_max, gs_status *st)
{
    _Static_assert((int)GS_SMALL_FILE_SLACK >= (int)GS_KEY_READ_SLACK,
                   "keys are read so");
    gs_small_file file = {.bytes = 0};
    GS_NOTED(gs_small_file_read(&file, s->name, bytes_max, st));
    s->text = file.data;
    s->text_bytes = file.bytes;
    return st->code == GS_OK && file.bytes > bytes_max
               ? fail_too_many(s->name, bytes_max, st)
               : st->code;
}

static gs_code fail_at(const gs_part_splitters *s, const gs_part_splitter *at,
                       const char *why, gs_status *st)
{
    gs_quoted quoted;
    return GS_FAIL(st, GS_ERR_FORMAT, 0, "%s:%llu: %s", gs_quote_name(&quoted, s->name),
                   (unsigned long long)at->line, why);
}

/* How long the record is that begins there, without its end. */
static gs_code find_end(const gs_part_splitters *s, const gs_order *order,
                        gs_part_splitter *r, gs_status *st)
{
    const size_t left = s->text_bytes - r->at;
    const char *why = NULL;
    size_t broken_at;
    gs_quoted quoted;
    if (order->record_size > left)
        return GS_FAIL(st, GS_ERR_FORMAT, 0,
                       "%s: the last splitter has %zu bytes and not %zu",
                       gs_quote_name(&quoted, s->name), left, order->record_size);
    if (order->record_size > 0)
        r->bytes = order->record_size;
    else if (gs_form_has_quotes(order->form))
        r->bytes = gs_csv_record_end(s->text + r->at, left, gs_order_csv(order), &why,
                                     &broken_at);
    else
        r->bytes = gs_line_find(s->text + r->at, left, order->eol);
    if (gs_form_is_objects(order->form))
        why = gs_json_line_why(s->text + r->at, r->bytes);
    return why == NULL ? GS_OK : fail_at(s, r, why, st);
}

gs_code gs_part_splitters_read(gs_part_splitters *s, const char *name,
                               const gs_order *order, size_t bytes_max, gs_status *st)
{
    const size_t end_bytes = order->record_size == 0;
    uint64_t line = 1;
    s->name = name;
    GS_TRY(read_text(s, bytes_max, st));
    for (size_t at = 0; at < s->text_bytes;) {
        gs_part_splitter r = {.at = at, .line = line};
        GS_TRY(find_end(s, order, &r, st));
        GS_TRY(gs_mem_grow(&s->list, &s->capacity, s->count + 1, "splitters", st));
        s->list[s->count++] = r;
        /* A record of a table may be several lines; others are counted as they are. */
        line += gs_form_has_quotes(order->form)
                    ? gs_line_count(s->text + at, r.bytes, GS_LINE_END) + 1
                    : 1;
        at += r.bytes + end_bytes;
    }
    return GS_OK;
}

int gs_part_splitters_compare(const gs_part_splitters *s, size_t a, size_t b,
                              bool is_backwards)
{
    const gs_part_splitter *const x = &s->list[a], *const y = &s->list[b];
    const int d = gs_string_compare(s->strings + x->string_at, x->string_bytes,
                                    s->strings + y->string_at, y->string_bytes, 0);
    return is_backwards ? -d : d;
}

static gs_code make_strings(gs_part_splitters *s, const gs_record_layout *layout,
                            const gs_key_encoder *encoder, gs_line_string *string,
                            gs_status *st)
{
    s->strings_used = 0;
    for (size_t i = 0; i < s->count; i++) {
        gs_part_splitter *const r = &s->list[i];
        GS_TRY(
            gs_line_string_make(string, layout, encoder, s->text + r->at, r->bytes, st));
        GS_TRY(gs_mem_grow(&s->strings, &s->strings_capacity,
                           s->strings_used + string->bytes + 1, "keys of splitters", st));
        if (string->bytes > 0)
            memcpy(s->strings + s->strings_used, string->data, string->bytes);
        r->string_at = s->strings_used;
        r->string_bytes = string->bytes;
        s->strings_used += string->bytes;
    }
    return GS_OK;
}

gs_code gs_part_splitters_arrange(gs_part_splitters *s, const gs_order *order,
                                  gs_status *st)
{
    const gs_record_layout layout = gs_order_layout(order, false);
    gs_line_string string = {0};
    gs_key_encoder *encoder = NULL;
    if (layout.is_keyed)
        GS_TRY(gs_key_encoder_new(&encoder, order, layout.is_backwards, st));
    GS_NOTED(make_strings(s, &layout, encoder, &string, st));
    gs_line_string_release(&string);
    gs_key_encoder_free(encoder);
    for (size_t i = 1; i < s->count && st->code == GS_OK; i++) {
        if (gs_part_splitters_compare(s, i - 1, i, layout.is_backwards) <= 0)
            continue;
        (void)fail_at(s, &s->list[i], "this splitter belongs before the one above", st);
        return gs_status_hint(st, "`gpusort sample --splitters' with the same options "
                                  "writes them in order");
    }
    return st->code;
}

void gs_part_splitters_release(gs_part_splitters *s)
{
    gs_mem_free(s->text);
    gs_mem_free(s->list);
    gs_mem_free(s->strings);
    *s = (gs_part_splitters){0};
}
