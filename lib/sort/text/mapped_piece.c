/* SPDX-License-Identifier: MIT */
#include "lib/sort/text/mapped_piece.h"

#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/sort/text/reversed_text.h"

enum { CANCEL_CHECK_LINES = 1 << 14, ROOM_BYTES = 64 << 10 };

gs_code gs_mapped_fail_not_all(const gs_mapped_merge *m, size_t text, gs_status *st)
{
    return m->are_runs ? GS_FAIL(st, GS_ERR_FORMAT, 0,
                                 "the runs were not in order, or are not as they were")
                       : gs_map_name_fail_changed(m->texts[text].begin, st);
}

static gs_code fail_too_long(const gs_mapped_piece *w, size_t text, const uint8_t *at,
                             gs_status *st)
{
    gs_mapped_merge *const m = w->m;
    const size_t file = m->texts[text].file;
    const gs_mapped_file *const f = &m->map.files[file];
    const uint64_t offset = f->from + (uint64_t)(at - (m->map.base + f->begin));
    const gs_line_feed_options options = {
        .record_bytes_max = m->merge->source.record_bytes_max,
        .too_long_hint = m->merge->source.too_long_hint,
    };
    if (m->is_guess)
        atomic_store(&m->was_wrong, true);
    return gs_line_feed_fail_too_long(&options, m->merge->options->inputs[file], "line",
                                      offset, st);
}

/* Brings what comes in a text from `at` on, in a large piece not all at once. */
static void bring(gs_mapped_piece *w, size_t text, const uint8_t *at)
{
    const size_t to_come = (size_t)(w->end[text] - at);
    if (to_come > 0)
        gs_file_map_bring(at,
                          to_come < GS_MERGE_PIECE_MAX ? to_come : GS_MERGE_PIECE_MAX);
    w->left[text] = at;
}

/* Goes on in a piece that is large, since all of its lines are equal: leaves what was,
 * and brings what comes. */
static void go_on(gs_mapped_piece *w, size_t text)
{
    const gs_text_cursor *const c = &w->cursors[text];
    const size_t passed = (size_t)(c->begin - w->left[text]);
    if (passed < GS_MERGE_PIECE_MAX)
        return;
    gs_text_leave(c->text, w->left[text], passed);
    bring(w, text, c->begin);
}

/* The line of the cursor goes out next. Its string lies where another one soon will. */
static gs_code keep(gs_mapped_piece *w, const gs_text_cursor *c, gs_sink_record *kept,
                    gs_status *st)
{
    *kept = (gs_sink_record){.data = c->line, .length = c->line_bytes, .count = 1};
    if (w->m->form.encoder == NULL || !gs_witness_is_full(w->m->sink->witness))
        return GS_OK;
    const size_t bytes = c->head->string_bytes;
    if (bytes + GS_MAPPED_LINE_SLACK > w->kept_room) {
        const size_t room = bytes + bytes / 2 + 2 * GS_MAPPED_LINE_SLACK;
        GS_TRY(gs_mem_resize(&w->kept_string, room, "string of a line", st));
        w->kept_room = room;
    }
    memcpy(w->kept_string, c->head->string, bytes);
    kept->string = (gs_seen_string){w->kept_string, bytes};
    return GS_OK;
}

static gs_code start_cursors(gs_mapped_piece *w, gs_status *st)
{
    const gs_mapped_merge *const m = w->m;
    for (size_t i = 0; i < m->text_count; i++)
        GS_TRY(gs_text_cursor_start(&w->cursors[i], &m->form, &m->texts[i], w->begin[i],
                                    w->end[i], &w->tree.heads[i], st));
    gs_merge_tree_start(&w->tree);
    return GS_OK;
}

/* The loop for all kinds of records. Equal lines count as one where that is asked for:
 * what was kept stays where it is until the next line differs. */
static gs_code merge_lines(gs_mapped_piece *w, bool *is_sorted, gs_status *st)
{
    gs_merge_tree *const tree = &w->tree;
    const gs_file_merge *const merge = w->m->merge;
    const size_t line_bytes_max = merge->source.record_bytes_max;
    const bool drops = merge->merge.is_unique;
    gs_sink_record kept = {0};
    bool has_kept = false;
    *is_sorted = true;
    GS_TRY(start_cursors(w, st));
    for (uint64_t n = 1; *is_sorted && gs_merge_tree_has_winner(tree); n++) {
        const uint32_t winner = gs_merge_tree_winner(tree);
        gs_text_cursor *const c = &w->cursors[winner];
        if (n % CANCEL_CHECK_LINES == 0)
            GS_TRY(gs_cancel_check(merge->merge.cancel, st));
        if (c->line_bytes > line_bytes_max)
            return fail_too_long(w, winner, c->begin, st);
        w->records.bytes += c->line_bytes;
        w->records.records++;
        if (drops && has_kept && gs_merge_tree_code(tree) == GS_OVC_EQUAL) {
            kept.count++;
            gs_sink_drop(w->piece, c->line, c->line_bytes, 1);
            go_on(w, winner);
        } else {
            if (has_kept)
                GS_TRY(gs_sink_add(w->piece, &kept, st));
            GS_TRY(keep(w, c, &kept, st));
            has_kept = true;
        }
        GS_TRY(gs_text_cursor_advance(c, is_sorted, st));
        gs_merge_tree_replay(tree);
    }
    return has_kept ? gs_sink_add(w->piece, &kept, st) : GS_OK;
}

/* Does it end with a line that has no end in its text? */
static bool has_open_line(const gs_mapped_piece *w, size_t text)
{
    const gs_text *const t = &w->m->texts[text];
    return t->last_line != NULL && w->begin[text] < w->end[text] &&
           w->end[text] == t->end;
}

/* Are lines all that it takes to merge the piece? */
static bool is_of_lines(const gs_mapped_piece *w)
{
    const gs_mapped_merge *const m = w->m;
    if (m->form.encoder != NULL || m->form.record_size > 0 || m->merge->merge.is_unique ||
        gs_witness_is_full(m->sink->witness))
        return false;
    for (size_t i = 0; i < m->text_count; i++)
        if (has_open_line(w, i))
            return false;
    return true;
}

/* The same as merge_lines of these. */
static gs_code merge_only_lines(gs_mapped_piece *w, bool *is_sorted, gs_status *st)
{
    gs_line_merge *const lines = &w->lines;
    gs_line_merge_end how = gs_line_merge_start(lines, w->begin, w->end);
    for (size_t room = ROOM_BYTES; how == GS_LINE_MERGE_FULL;) {
        uint8_t *to;
        size_t made;
        uint64_t count;
        GS_TRY(gs_cancel_check(w->m->merge->merge.cancel, st));
        GS_TRY(gs_sink_text_room(w->piece, room, &to, st));
        how = gs_line_merge_some(lines, to, room, &made, &count);
        gs_sink_text_added(w->piece, made, count);
        w->records.bytes += made - count;
        w->records.records += count;
        if (how == GS_LINE_MERGE_FULL && gs_line_merge_next_bytes(lines) > room)
            room = gs_line_merge_next_bytes(lines);
    }
    *is_sorted = how != GS_LINE_MERGE_DISORDER;
    if (how == GS_LINE_MERGE_LONG)
        return fail_too_long(w, lines->source, lines->at, st);
    return how == GS_LINE_MERGE_OPEN ? gs_map_name_fail_changed(lines->at, st) : GS_OK;
}

/* Is all of the piece of one text, that was seen to be sorted? If no line is left out and
 * nobody looks at lines, it goes out as it is. */
static bool is_copy(const gs_mapped_piece *w, size_t *text)
{
    const gs_mapped_merge *const m = w->m;
    size_t parts = 0;
    if (!(m->merge->is_sort || m->are_runs) || m->is_guess || m->merge->merge.is_unique ||
        gs_witness_is_full(m->sink->witness))
        return false;
    for (size_t i = 0; i < m->text_count; i++) {
        if (w->begin[i] == w->end[i])
            continue;
        *text = i;
        parts++;
    }
    return parts == 1 && !has_open_line(w, *text);
}

/* So many bytes will come. Those of lines that are known to be in order need no turn. */
static gs_code begin_piece(gs_mapped_piece *w, uint64_t bytes, gs_status *st)
{
    gs_mapped_merge *const m = w->m;
    gs_sink_begin(w->piece, m->first_ticket + w->piece_number);
    return m->has_places ? gs_sink_take_place(w->piece, bytes, st) : GS_OK;
}

static gs_code copy_piece(gs_mapped_piece *w, size_t text, gs_status *st)
{
    const gs_text_form *const form = &w->m->form;
    const uint8_t *const begin = w->begin[text];
    const size_t bytes = (size_t)(w->end[text] - begin);
    const uint64_t records = form->record_size > 0
                                 ? bytes / form->record_size
                                 : gs_line_count(begin, bytes, form->layout->eol);
    w->records = (gs_multiset){records, bytes - (form->record_size > 0 ? 0 : records), 0};
    gs_mapped_ask_ahead(w->m, text, w->end[text]);
    GS_TRY(begin_piece(w, bytes, st));
    GS_TRY(gs_cancel_check(w->m->merge->merge.cancel, st));
    return gs_sink_add_records(w->piece, begin, bytes, records, st);
}

/* The piece of a text that stands the other way round, and what comes before it is asked
 * for. */
static gs_code reverse_piece(gs_mapped_piece *w, gs_status *st)
{
    gs_mapped_merge *const m = w->m;
    const gs_text *const text = &m->texts[0];
    const uint8_t *const begin = w->begin[0];
    const size_t bytes = (size_t)(w->end[0] - begin);
    const size_t before = (size_t)(begin - text->begin);
    if (atomic_load(&m->asked[0].to) != NULL && before > m->ask_bytes)
        gs_file_map_ask(begin - m->ask_bytes, bytes);
    gs_file_map_bring(begin, bytes);
    GS_TRY(begin_piece(w, bytes + has_open_line(w, 0), st));
    GS_TRY(gs_cancel_check(m->merge->merge.cancel, st));
    return gs_reversed_add(&m->form, text, begin, w->end[0], w->piece, &w->records, st);
}

/* Do the parts of the piece begin with lines that may come behind those before them? */
static bool go_on_in_order(const gs_mapped_piece *w)
{
    const gs_mapped_merge *const m = w->m;
    const uint8_t eol = m->form.layout->eol;
    for (size_t i = 0; i < m->text_count; i++) {
        const gs_text *const text = &m->texts[i];
        const uint8_t *const line = w->begin[i];
        if (line == text->begin || line == w->end[i])
            continue;
        const uint8_t *const before =
            text->begin +
            gs_line_find_last(text->begin, (size_t)(line - 1 - text->begin), eol);
        const size_t bytes = gs_line_find(line, (size_t)(text->end - line), eol);
        const int d =
            gs_string_compare(before, (size_t)(line - 1 - before), line, bytes, 0);
        if (m->form.layout->is_backwards ? d < 0 : d > 0)
            return false;
    }
    return true;
}

gs_code gs_mapped_fail_guess(gs_mapped_merge *m, gs_status *st)
{
    atomic_store(&m->was_wrong, true);
    return GS_FAIL(st, GS_ERR_FORMAT, 0, "there are more sorted stretches");
}

gs_code gs_mapped_piece_merge(gs_mapped_piece *w, bool *is_sorted, gs_status *st)
{
    gs_mapped_merge *const m = w->m;
    const bool has_eol = m->form.record_size == 0;
    uint64_t expected = 0;
    size_t text = 0;
    *is_sorted = true;
    w->records = (gs_multiset){0};
    if (m->texts[0].is_reversed)
        return reverse_piece(w, st);
    if (is_copy(w, &text))
        return copy_piece(w, text, st);
    for (size_t i = 0; i < m->text_count; i++) {
        expected += (uint64_t)(w->end[i] - w->begin[i]) + has_open_line(w, i);
        gs_mapped_ask_ahead(m, i, w->end[i]);
        w->left[i] = w->begin[i];
        if (w->bring[i] < w->bring_end[i])
            gs_file_map_bring(w->bring[i], (size_t)(w->bring_end[i] - w->bring[i]));
    }
    GS_TRY(begin_piece(w, expected, st));
    if (!m->has_places)
        gs_sink_hold_back(w->piece); /* until all of it was seen to be sorted */
    if (m->is_guess && !go_on_in_order(w))
        return gs_mapped_fail_guess(m, st);
    if (is_of_lines(w))
        GS_TRY(merge_only_lines(w, is_sorted, st));
    else
        GS_TRY(merge_lines(w, is_sorted, st));
    if (m->is_guess && !*is_sorted)
        return gs_mapped_fail_guess(m, st);
    const uint64_t merged = w->records.bytes + (has_eol ? w->records.records : 0);
    return (m->merge->is_sort || m->are_runs) && merged != expected
               ? gs_mapped_fail_not_all(m, 0, st)
               : GS_OK;
}

gs_code gs_mapped_piece_init(gs_mapped_piece *w, gs_status *st)
{
    const size_t n = w->m->text_count;
    GS_TRY(gs_mem_new_array(&w->begin, 6 * n, sizeof *w->begin, "parts of a piece", st));
    w->end = w->begin + n;
    w->left = w->end + n;
    w->bring = w->left + n;
    w->bring_end = w->bring + n;
    w->leave = w->bring_end + n;
    GS_TRY(
        gs_mem_new_array(&w->cursors, n, sizeof *w->cursors, "cursors of a merge", st));
    const gs_record_layout *const layout = w->m->form.layout;
    GS_TRY(gs_merge_tree_init(&w->tree, n, layout->is_backwards, st));
    GS_TRY(gs_line_merge_init(&w->lines, n, layout->eol, layout->is_backwards,
                              w->m->merge->source.record_bytes_max, st));
    return gs_sink_piece_new(&w->piece, w->m->sink, st);
}

void gs_mapped_piece_release(gs_mapped_piece *w)
{
    for (size_t i = 0; w->cursors != NULL && i < w->m->text_count; i++)
        gs_text_cursor_release(&w->cursors[i]);
    gs_mem_free(w->begin);
    gs_mem_free(w->cursors);
    gs_merge_tree_release(&w->tree);
    gs_line_merge_release(&w->lines);
    gs_mem_free(w->kept_string);
    gs_sink_piece_free(w->piece);
}
