/* SPDX-License-Identifier: MIT */
#include "lib/sort/text/reversed_text.h"

#include "io/map_names.h"
#include "lib/base/assertion.h"

/* Where the line begins that ends before `end`, of what is not before `lo`. */
static inline const uint8_t *last_line(const gs_text_form *form, const uint8_t *lo,
                                       const uint8_t *end)
{
    if (form->record_size > 0)
        return end - form->record_size;
    /* But for the end of that line itself. */
    return lo + gs_line_find_last(lo, (size_t)(end - lo) - 1, form->layout->eol);
}

const uint8_t *gs_reversed_cut(const gs_text_form *form, const gs_text *text,
                               const uint8_t *end, size_t piece_bytes)
{
    gs_assert(text->begin < end && end <= text->end);
    if ((size_t)(end - text->begin) <= piece_bytes)
        return text->begin;
    const uint8_t *const next = gs_text_next_line(form, text, end - piece_bytes - 1);
    return next < end ? next : last_line(form, text->begin, end);
}

static gs_code add_line(gs_sink_piece *piece, const uint8_t *line, size_t bytes,
                        gs_multiset *records, gs_status *st)
{
    const gs_sink_record r = {.data = line, .length = bytes, .count = 1};
    records->records++;
    records->bytes += bytes;
    return gs_sink_add(piece, &r, st);
}

gs_code gs_reversed_add(const gs_text_form *form, const gs_text *text,
                        const uint8_t *begin, const uint8_t *end, gs_sink_piece *piece,
                        gs_multiset *records, gs_status *st)
{
    const size_t eol_bytes = form->record_size > 0 ? 0 : 1;
    *records = (gs_multiset){0};
    if (end == text->end && text->last_line != NULL) {
        const size_t bytes = text->last_line_bytes;
        GS_TRY(add_line(piece, text->last_line, bytes, records, st));
        end -= bytes;
        if (end > begin && end[-1] != form->layout->eol)
            return gs_map_name_fail_changed(end,
                                            st); /* it was longer or shorter before */
    }
    while (end > begin) {
        const uint8_t *const line = last_line(form, begin, end);
        GS_TRY(add_line(piece, line, (size_t)(end - line) - eol_bytes, records, st));
        end = line;
    }
    return GS_OK;
}
