/* SPDX-License-Identifier: MIT */
#include "lib/join/join_fields.h"

#include <stdbool.h>
#include <string.h>

#include "lib/base/mem.h"

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static inline gs_code add(gs_join_fields *f, const uint8_t *from, const uint8_t *to,
                          gs_status *st)
{
    if (f->count == f->capacity)
        GS_TRY(gs_mem_grow(&f->at, &f->capacity, f->count + 1, "fields", st));
    f->at[f->count++] = (gs_join_field){from, (size_t)(to - from)};
    return GS_OK;
}

static gs_code cut_blanks(gs_join_fields *f, const uint8_t *p, const uint8_t *end,
                          gs_status *st)
{
    while (p < end && is_blank(*p))
        p++;
    if (p == end)
        return GS_OK;
    for (;;) {
        const uint8_t *to = p;
        while (to < end && !is_blank(*to))
            to++;
        GS_TRY(add(f, p, to, st));
        if (to == end)
            return GS_OK;
        for (p = to; p < end && is_blank(*p); p++)
            continue;
        if (p == end)
            return add(f, end, end, st);
    }
}

/* Where a field of CSV ends, quotes and all; `end` if it is the last. */
static const uint8_t *csv_field_end(const uint8_t *p, const uint8_t *end,
                                    uint8_t separator)
{
    if (p < end && *p == GS_CSV_QUOTE) {
        for (p++; p < end; p += 2) { /* a quote that is written twice is one */
            const uint8_t *const quote = memchr(p, GS_CSV_QUOTE, (size_t)(end - p));
            p = quote != NULL ? quote : end;
            if (end - p < 2 || p[1] != GS_CSV_QUOTE)
                break;
        }
    }
    const uint8_t *const to = p < end ? memchr(p, separator, (size_t)(end - p)) : NULL;
    return to != NULL ? to : end;
}

static const uint8_t *csv_line_end(const uint8_t *line, size_t bytes)
{
    return line + bytes - (bytes > 0 && line[bytes - 1] == '\r');
}

static gs_code cut_csv(gs_join_fields *f, const uint8_t *p, const uint8_t *end,
                       uint8_t separator, gs_status *st)
{
    for (;; p++) {
        const uint8_t *const to = csv_field_end(p, end, separator);
        GS_TRY(add(f, p, to, st));
        p = to;
        if (p == end)
            return GS_OK;
    }
}

static gs_join_field find_csv(const uint8_t *p, const uint8_t *end, uint8_t separator,
                              size_t field)
{
    for (;; p++) {
        const uint8_t *const to = csv_field_end(p, end, separator);
        if (field-- == 0)
            return (gs_join_field){p, (size_t)(to - p)};
        if (to == end)
            return (gs_join_field){end, 0};
        p = to;
    }
}

static gs_code cut_tuple(gs_join_fields *f, const gs_order *order, const uint8_t *tuple,
                         gs_status *st)
{
    for (size_t i = 0; i < order->byte_key_count; i++) {
        const gs_byte_key *const field = &order->byte_keys[i];
        GS_TRY(add(f, tuple + field->offset, tuple + field->offset + field->length, st));
    }
    return GS_OK;
}

gs_code gs_join_fields_cut(gs_join_fields *f, const gs_order *order, const uint8_t *line,
                           size_t bytes, gs_status *st)
{
    const int delimiter = order->delimiter;
    const uint8_t *const end = line + bytes;
    f->count = 0;
    if (order->record_size > 0)
        return cut_tuple(f, order, line, st);
    if (bytes == 0)
        return GS_OK;
    if (gs_form_has_quotes(order->form))
        return cut_csv(f, line, csv_line_end(line, bytes), (uint8_t)delimiter, st);
    if (delimiter == GS_ORDER_BLANK_FIELDS)
        return cut_blanks(f, line, end, st);
    const uint8_t *p = line;
    while (delimiter != '\n' && p < end) {
        const uint8_t *const to = memchr(p, delimiter, (size_t)(end - p));
        if (to == NULL)
            break;
        GS_TRY(add(f, p, to, st));
        p = to + 1;
    }
    return add(f, p, end, st);
}

static gs_join_field find_between_blanks(const uint8_t *p, const uint8_t *end,
                                         size_t field)
{
    for (;; field--) {
        while (p < end && is_blank(*p))
            p++;
        const uint8_t *to = p;
        while (to < end && !is_blank(*to))
            to++;
        if (field == 0)
            return (gs_join_field){p, (size_t)(to - p)};
        if (to == end)
            return (gs_join_field){end, 0};
        p = to;
    }
}

gs_join_field gs_join_field_find(const gs_order *order, const uint8_t *line, size_t bytes,
                                 size_t field)
{
    const int delimiter = order->delimiter;
    if (gs_form_has_quotes(order->form))
        return find_csv(line, csv_line_end(line, bytes), (uint8_t)delimiter, field);
    const uint8_t *const end = line + bytes;
    if (delimiter == GS_ORDER_BLANK_FIELDS)
        return find_between_blanks(line, end, field);
    for (const uint8_t *p = line;; field--) {
        const uint8_t *to =
            delimiter != '\n' && p < end ? memchr(p, delimiter, (size_t)(end - p)) : NULL;
        to = to != NULL ? to : end;
        if (field == 0)
            return (gs_join_field){p, (size_t)(to - p)};
        if (to == end)
            return (gs_join_field){end, 0};
        p = to + 1;
    }
}

void gs_join_fields_release(gs_join_fields *f)
{
    gs_mem_free(f->at);
    *f = (gs_join_fields){0};
}
