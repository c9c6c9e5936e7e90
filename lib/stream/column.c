/* SPDX-License-Identifier: MIT */
#include "lib/stream/column.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/sort/record/records.h"

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t';
}

static bool find_separated(uint8_t separator, size_t field, const uint8_t *p,
                           const uint8_t *end, gs_slice *out)
{
    for (; field > 1; field--) {
        p = memchr(p, separator, (size_t)(end - p));
        if (p == NULL)
            return false;
        p++;
    }
    const uint8_t *const stop = memchr(p, separator, (size_t)(end - p));
    *out = (gs_slice){p, (size_t)((stop ? stop : end) - p)};
    return true;
}

static bool find_between_blanks(size_t field, const uint8_t *p, const uint8_t *end,
                                gs_slice *out)
{
    for (;;) {
        while (p < end && is_blank(*p))
            p++;
        const uint8_t *const begin = p;
        while (p < end && !is_blank(*p))
            p++;
        if (p == begin)
            return false;
        if (--field == 0) {
            *out = (gs_slice){begin, (size_t)(p - begin)};
            return true;
        }
    }
}

/* --- CSV ---------------------------------------------------------------------------- */

static gs_code undouble(gs_slice *value, gs_column_room *room, gs_status *st)
{
    GS_TRY(gs_mem_grow(&room->data, &room->capacity, value->bytes + GS_COLUMN_SLACK,
                       "a quoted field", st));
    const uint8_t *const end =
        gs_csv_undouble(value->data, value->data + value->bytes, room->data);
    *value = (gs_slice){room->data, (size_t)(end - room->data)};
    return GS_OK;
}

/* gs_csv_iter has seen the records of files and pipes. Of one that a program has put, and
 * in which more stands behind a closing quote, the value is all of it, as it is written.
 */

/* The field at `p`, without its quotes. Returns where the next one begins, or NULL. */
static const uint8_t *cut_csv(uint8_t separator, const uint8_t *p, const uint8_t *end,
                              gs_slice *out, bool *has_doubled)
{
    *has_doubled = false;
    if (p < end && end[-1] == '\r')
        end--;
    const bool is_quoted = p < end && *p == GS_CSV_QUOTE;
    const uint8_t *closed = p;
    if (is_quoted && (closed = gs_csv_quoted_end(p, end, has_doubled)) == NULL)
        closed = end;
    const uint8_t *const next = memchr(closed, separator, (size_t)(end - closed));
    const uint8_t *const stop = next != NULL ? next : end;
    *out = (gs_slice){p, (size_t)(stop - p)};
    if (is_quoted && closed == stop && out->bytes >= 2)
        *out = (gs_slice){p + 1, out->bytes - 2};
    else
        *has_doubled = false;
    return next != NULL ? next + 1 : NULL;
}

static gs_code find_csv(uint8_t separator, size_t field, const uint8_t *p,
                        const uint8_t *end, gs_column_room *room, gs_slice *out,
                        bool *found, gs_status *st)
{
    bool has_doubled = false;
    do {
        p = cut_csv(separator, p, end, out, &has_doubled);
        *found = --field == 0;
    } while (!*found && p != NULL);
    return *found && has_doubled ? undouble(out, room, st) : GS_OK;
}

gs_code gs_column_next(const gs_column_format *f, const uint8_t **at, const uint8_t *end,
                       gs_column_room *room, gs_slice *out, bool *found, gs_status *st)
{
    const uint8_t *const p = *at;
    *found = p != NULL;
    if (p == NULL)
        return GS_OK;
    if (f->is_csv) {
        bool has_doubled;
        *at = cut_csv(f->separator, p, end, out, &has_doubled);
        return has_doubled ? undouble(out, room, st) : GS_OK;
    }
    if (f->has_separator) {
        const uint8_t *const stop = memchr(p, f->separator, (size_t)(end - p));
        *out = (gs_slice){p, (size_t)((stop ? stop : end) - p)};
        *at = stop ? stop + 1 : NULL;
        return GS_OK;
    }
    *found = find_between_blanks(1, p, end, out);
    gs_slice other;
    const uint8_t *const rest = *found ? out->data + out->bytes : end;
    *at = find_between_blanks(1, rest, end, &other) ? other.data : NULL;
    return GS_OK;
}

gs_code gs_column_find(const gs_column_format *f, size_t field, const uint8_t *record,
                       size_t bytes, gs_column_room *room, gs_slice *out, bool *found,
                       gs_status *st)
{
    const uint8_t *const end = record + bytes;
    *found = false;
    if (f->is_csv)
        return find_csv(f->separator, field > 0 ? field : 1, record, end, room, out,
                        found, st);
    if (field == 0) {
        *out = (gs_slice){record, bytes};
        *found = true;
    } else if (f->has_separator) {
        *found = find_separated(f->separator, field, record, end, out);
    } else {
        *found = find_between_blanks(field, record, end, out);
    }
    return GS_OK;
}
