/* SPDX-License-Identifier: MIT */
#include "lib/sort/record/csv_scan.h"

#include <string.h>

const char *gs_csv_iter_why(gs_csv_iter *it)
{
    if (it->is_broken)
        return it->opens_wrongly ? "a quote in a field that does not begin with one"
                                 : "text behind a closing quote";
    if (it->inside == 0)
        return NULL;
    it->broken_at = it->rest;
    return "a quote is not closed";
}

size_t gs_csv_record_end(const uint8_t *text, size_t bytes, gs_csv_form form,
                         const char **why, size_t *broken_at)
{
    gs_csv_iter it = gs_csv_iter_begin(text, bytes, form);
    *why = NULL;
    while (gs_csv_iter_load(&it)) {
        if (gs_csv_iter_next(&it))
            return it.end;
    }
    *why = gs_csv_iter_why(&it);
    *broken_at = it.broken_at;
    return bytes;
}

/* The bits of what is there of 64 bytes. */
static uint64_t valid_of(size_t left)
{
    return left < 64 ? UINT64_MAX >> (64 - left) : UINT64_MAX;
}

/* From the end back: the state there is known by the number of all quotes. */
size_t gs_csv_last_end(const uint8_t *text, size_t bytes, gs_csv_form form, bool *inside)
{
    if (bytes == 0)
        return 0;
    if (gs_line_count(text, bytes, GS_CSV_QUOTE) % 2 != 0)
        *inside = !*inside;
    bool ends_inside = *inside;
    for (size_t at = (bytes - 1) / 64 * 64;; at -= 64) {
        const uint64_t valid = valid_of(bytes - at);
        const uint64_t quotes = gs_line_mask(text + at, GS_CSV_QUOTE) & valid;
        ends_inside ^= __builtin_parityll(quotes); /* of where the 64 bytes begin */
        uint64_t carry = ends_inside ? UINT64_MAX : 0;
        const uint64_t between = gs_csv_inside(quotes, &carry);
        const uint64_t ends = gs_line_mask(text + at, form.eol) & valid & ~between;
        if (ends != 0)
            return at + 64 - (size_t)__builtin_clzll(ends);
        if (at == 0)
            return 0;
    }
}

size_t gs_csv_first_end(const uint8_t *text, size_t bytes, gs_csv_form form, bool inside)
{
    uint64_t carry = inside ? UINT64_MAX : 0;
    for (size_t at = 0; at < bytes; at += 64) {
        const uint64_t valid = valid_of(bytes - at);
        const uint64_t quotes = gs_line_mask(text + at, GS_CSV_QUOTE) & valid;
        const uint64_t between = gs_csv_inside(quotes, &carry);
        const uint64_t ends = gs_line_mask(text + at, form.eol) & valid & ~between;
        if (ends != 0)
            return at + (size_t)__builtin_ctzll(ends) + 1;
    }
    return 0;
}

/* --- values ------------------------------------------------------------------------ */

static const uint8_t *find_quote(const uint8_t *p, const uint8_t *end)
{
    return p < end ? memchr(p, GS_CSV_QUOTE, (size_t)(end - p)) : NULL;
}

const uint8_t *gs_csv_quoted_end(const uint8_t *p, const uint8_t *end, bool *has_doubled)
{
    p++;
    while ((p = find_quote(p, end)) != NULL) {
        if (p + 1 == end || p[1] != GS_CSV_QUOTE)
            return p + 1;
        *has_doubled = true;
        p += 2;
    }
    return NULL;
}

uint8_t *gs_csv_undouble(const uint8_t *from, const uint8_t *end, uint8_t *to)
{
    while (from < end) {
        const uint8_t *const quote = find_quote(from, end);
        const size_t bytes = (size_t)((quote != NULL ? quote + 1 : end) - from);
        memmove(to, from, bytes);
        to += bytes;
        from += bytes + (quote != NULL);
    }
    return to;
}
