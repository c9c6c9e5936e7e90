/* SPDX-License-Identifier: MIT */
#include "lib/join/join_fields.h"

#include <stdbool.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/sort/key/keys.h"

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

gs_code gs_join_fields_cut(gs_join_fields *f, int delimiter, const uint8_t *line,
                           size_t bytes, gs_status *st)
{
    const uint8_t *const end = line + bytes;
    f->count = 0;
    if (bytes == 0)
        return GS_OK;
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

gs_join_field gs_join_field_find(int delimiter, const uint8_t *line, size_t bytes,
                                 size_t field)
{
    const bool is_blanks = delimiter == GS_ORDER_BLANK_FIELDS;
    const uint8_t *const end = line + bytes;
    const uint8_t *p = line;
    for (;; field--) {
        while (is_blanks && p < end && is_blank(*p))
            p++;
        const uint8_t *to = p;
        if (is_blanks)
            while (to < end && !is_blank(*to))
                to++;
        else
            to = delimiter != '\n' && p < end ? memchr(p, delimiter, (size_t)(end - p))
                                              : NULL;
        to = to != NULL ? to : end;
        if (field == 0)
            return (gs_join_field){p, (size_t)(to - p)};
        if (to == end)
            return (gs_join_field){end, 0};
        p = to + !is_blanks;
    }
}

void gs_join_fields_release(gs_join_fields *f)
{
    gs_mem_free(f->at);
    *f = (gs_join_fields){0};
}
