/* SPDX-License-Identifier: MIT */
#include "lib/sort/text/text_cursor.h"

#include "io/file_map.h"
#include "io/map_names.h"
#include "lib/base/assertion.h"
#include "lib/sort/record/records.h"
#include "lib/sort/text/line_step.h"

/* The end of what may be left, if what is asked for begins before it may. */
static const uint8_t *clip(const gs_text *text, const uint8_t *data, size_t *bytes)
{
    const size_t kept = text->own_end > data ? (size_t)(text->own_end - data) : 0;
    const size_t less = kept < *bytes ? kept : *bytes;
    *bytes -= less;
    return data + less;
}

void gs_text_leave(const gs_text *text, const uint8_t *data, size_t bytes)
{
    data = clip(text, data, &bytes);
    gs_file_map_leave_part(data, bytes);
}

void gs_text_leave_around(const gs_text *text, const uint8_t *data, size_t bytes)
{
    const uint8_t *const begin =
        text->own_end > text->begin ? text->own_end : text->begin;
    data = clip(text, data, &bytes);
    if (data >= begin && bytes > 0)
        gs_file_map_leave_around(begin, data, bytes);
}

static size_t length_of_line(const gs_text_cursor *c)
{
    const gs_text_form *const form = c->form;
    return form->record_size
               ? form->record_size
               : gs_line_find(c->at, (size_t)(c->text->end - c->at), form->layout->eol);
}

/* Stands on the line at `at`, which is not the end of the text, and is so long. */
static inline gs_code take_line(gs_text_cursor *c, size_t line_bytes, gs_status *st)
{
    const gs_text_form *const form = c->form;
    const size_t left = (size_t)(c->text->end - c->at);
    c->begin = c->line = c->at;
    c->line_bytes = line_bytes;
    c->at += line_bytes;
    if (form->record_size == 0 && c->line_bytes < left) {
        c->at++;
    } else if (form->record_size == 0) {
        if (left != c->text->last_line_bytes)
            return gs_map_name_fail_changed(c->begin, st);
        c->line = c->text->last_line;
    }
    gs_line_string *const string = &c->strings[c->now];
    GS_TRY(gs_line_string_make(string, form->layout, form->encoder, c->line,
                               c->line_bytes, st));
    c->head->string = string->data;
    c->head->string_bytes = string->bytes;
    return GS_OK;
}

gs_code gs_text_cursor_start(gs_text_cursor *c, const gs_text_form *form,
                             const gs_text *text, const uint8_t *at, const uint8_t *end,
                             gs_merge_head *head, gs_status *st)
{
    gs_assert(text->begin <= at && at <= end && end <= text->end);
    c->form = form;
    c->text = text;
    c->head = head;
    c->begin = c->at = at;
    c->end = end;
    head->code = GS_OVC_EXHAUSTED;
    if (at == end)
        return GS_OK;
    GS_TRY(take_line(c, length_of_line(c), st));
    /* The first one differs from nothing at the first symbol. */
    head->code =
        gs_ovc_code(head->string, head->string_bytes, 0, form->layout->is_backwards);
    return GS_OK;
}

gs_code gs_text_cursor_advance(gs_text_cursor *c, bool *is_in_order, gs_status *st)
{
    gs_merge_head *const head = c->head;
    const bool is_backwards = c->form->layout->is_backwards;
    const uint8_t *const last = head->string;
    const size_t last_bytes = head->string_bytes;
    *is_in_order = true;
    if (c->step > 0 && c->at < c->end)
        c->at = (size_t)(c->end - c->at) > c->step
                    ? gs_text_next_line(c->form, c->text, c->at + c->step - 1)
                    : c->end;
    if (c->at >= c->end) {
        c->begin = c->end;
        head->code = GS_OVC_EXHAUSTED;
        return GS_OK;
    }
    c->now ^= 1;
    gs_line_ask_ahead(c->at);
    gs_line_step step;
    if (c->form->encoder == NULL && c->form->record_size == 0) {
        step = gs_line_step_to(last, last_bytes, c->at, (size_t)(c->text->end - c->at),
                               c->form->layout->eol);
        GS_TRY(take_line(c, step.bytes, st));
    } else {
        GS_TRY(take_line(c, length_of_line(c), st));
        step.differ = gs_ovc_first_difference(last, last_bytes, head->string,
                                              head->string_bytes, 0, &step.order);
    }
    *is_in_order = is_backwards ? step.order >= 0 : step.order <= 0;
    head->code = step.order == 0 ? GS_OVC_EQUAL
                                 : gs_ovc_code(head->string, head->string_bytes,
                                               step.differ, is_backwards);
    return GS_OK;
}

void gs_text_cursor_release(gs_text_cursor *c)
{
    gs_line_string_release(&c->strings[0]);
    gs_line_string_release(&c->strings[1]);
    *c = (gs_text_cursor){0};
}

const uint8_t *gs_text_next_line(const gs_text_form *form, const gs_text *text,
                                 const uint8_t *at)
{
    const size_t left = (size_t)(text->end - at);
    if (form->record_size > 0) {
        const size_t inside = (size_t)(at - text->begin) % form->record_size;
        const size_t next = form->record_size - inside;
        return next < left ? at + next : text->end;
    }
    const size_t end = gs_line_find(at, left, form->layout->eol);
    return end < left ? at + end + 1 : text->end;
}

/* Where the line begins that holds the byte at `at`, not before `lo`. */
static const uint8_t *line_begin(const gs_text_form *form, const gs_text *text,
                                 const uint8_t *lo, const uint8_t *at)
{
    if (form->record_size > 0)
        return at - (size_t)(at - text->begin) % form->record_size;
    return lo + gs_line_find_last(lo, (size_t)(at - lo), form->layout->eol);
}

gs_code gs_text_find(const gs_text_form *form, const gs_text *text, const uint8_t *lo,
                     const uint8_t *hi, const gs_merge_head *string, bool after_equals,
                     const uint8_t **found, gs_status *st)
{
    gs_merge_head head;
    gs_text_cursor probe = {0};
    while (lo < hi) {
        const uint8_t *const middle =
            line_begin(form, text, lo, lo + (size_t)(hi - lo) / 2);
        GS_TRY_OR_FAIL(gs_text_cursor_start(&probe, form, text, middle, hi, &head, st));
        int order = gs_string_compare(head.string, head.string_bytes, string->string,
                                      string->string_bytes, 0);
        if (form->layout->is_backwards)
            order = -order;
        if (order < 0 || (order == 0 && after_equals))
            lo = probe.at < hi ? probe.at : hi;
        else
            hi = middle;
    }
    *found = lo;
fail:
    gs_text_cursor_release(&probe);
    return st->code;
}
