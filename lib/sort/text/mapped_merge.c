/* SPDX-License-Identifier: MIT */
#include "lib/sort/text/mapped_merge.h"

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/team.h"
#include "lib/sort/text/line_merge.h"
#include "lib/sort/text/mapped_state.h"
#include "lib/sort/text/reversed_text.h"

enum {
    CANCEL_CHECK_LINES = 1 << 14,
    ROOM_BYTES = 64 << 10,
    BROUGHT_BYTES = 256 << 10, /* of a text, beyond what a piece has of it */
    LEFT_PIECES = 8,           /* at once */
    /* Where more than a seventh of the memory is to be written, the kernel has who writes
     * wait for the disk. */
    CACHED_OUTPUT_SHARE = 8,
};

typedef struct piece_worker {
    gs_mapped_merge *m;
    unsigned number;
    uint64_t piece_number;
    gs_multiset records;          /* of the piece, as many as were read */
    const uint8_t **begin, **end; /* of the piece in each text; one array, with */
    const uint8_t **left;         /* before what it is left already, */
    const uint8_t **bring;        /* from where on it is brought, up to */
    const uint8_t **bring_end;    /* here, and */
    const uint8_t **leave;        /* from where to `begin` pages are left; or NULL */
    gs_text_cursor *cursors;
    gs_merge_tree tree;
    gs_line_merge lines; /* in place of those two, where it can be */
    gs_sink_piece *piece;
    uint8_t *kept_string; /* of a keyed line, for a witness */
    size_t kept_room;
} piece_worker;

/* --- a piece ----------------------------------------------------------------- */

/* Who sorts promises every record, also of a file that somebody writes to. */
static gs_code fail_not_all(const gs_mapped_merge *m, size_t text, gs_status *st)
{
    return m->are_runs ? GS_FAIL(st, GS_ERR_FORMAT, 0,
                                 "the runs were not in order, or are not as they were")
                       : gs_map_name_fail_changed(m->texts[text].begin, st);
}

static gs_code fail_too_long(const piece_worker *w, size_t text, const uint8_t *at,
                             gs_status *st)
{
    const gs_mapped_merge *const m = w->m;
    const size_t file = m->texts[text].file;
    const gs_mapped_file *const f = &m->map.files[file];
    const uint64_t offset = f->from + (uint64_t)(at - (m->map.base + f->begin));
    const gs_line_feed_options options = {
        .record_bytes_max = m->merge->source.record_bytes_max,
        .too_long_hint = m->merge->source.too_long_hint,
    };
    return gs_line_feed_fail_too_long(&options, m->merge->options->inputs[file], "line",
                                      offset, st);
}

/* Brings what comes in a text from `at` on, in a large piece not all at once. */
static void bring(piece_worker *w, size_t text, const uint8_t *at)
{
    const size_t to_come = (size_t)(w->end[text] - at);
    if (to_come > 0)
        gs_file_map_bring(at,
                          to_come < GS_MERGE_PIECE_MAX ? to_come : GS_MERGE_PIECE_MAX);
    w->left[text] = at;
}

/* Goes on in a piece that is large, since all of its lines are equal: leaves what was,
 * and brings what comes. */
static void go_on(piece_worker *w, size_t text)
{
    const gs_text_cursor *const c = &w->cursors[text];
    const size_t passed = (size_t)(c->begin - w->left[text]);
    if (passed < GS_MERGE_PIECE_MAX)
        return;
    gs_text_leave(c->text, w->left[text], passed);
    bring(w, text, c->begin);
}

/* The line of the cursor goes out next. Its string lies where another one soon will. */
static gs_code keep(piece_worker *w, const gs_text_cursor *c, gs_sink_record *kept,
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

static gs_code start_cursors(piece_worker *w, gs_status *st)
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
static gs_code merge_lines(piece_worker *w, bool *is_sorted, gs_status *st)
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
static bool has_open_line(const piece_worker *w, size_t text)
{
    const gs_text *const t = &w->m->texts[text];
    return t->last_line != NULL && w->begin[text] < w->end[text] &&
           w->end[text] == t->end;
}

/* Are lines all that it takes to merge the piece? */
static bool is_of_lines(const piece_worker *w)
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
static gs_code merge_only_lines(piece_worker *w, bool *is_sorted, gs_status *st)
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
static bool is_copy(const piece_worker *w, size_t *text)
{
    const gs_mapped_merge *const m = w->m;
    size_t parts = 0;
    if (!(m->merge->is_sort || m->are_runs) || m->merge->merge.is_unique ||
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
static gs_code begin_piece(piece_worker *w, uint64_t bytes, gs_status *st)
{
    gs_mapped_merge *const m = w->m;
    gs_sink_begin(w->piece, m->first_ticket + w->piece_number);
    return m->has_places ? gs_sink_take_place(w->piece, bytes, st) : GS_OK;
}

static gs_code copy_piece(piece_worker *w, size_t text, gs_status *st)
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
static gs_code reverse_piece(piece_worker *w, gs_status *st)
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

static gs_code merge_piece(piece_worker *w, bool *is_sorted, gs_status *st)
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
    if (is_of_lines(w))
        GS_TRY(merge_only_lines(w, is_sorted, st));
    else
        GS_TRY(merge_lines(w, is_sorted, st));
    const uint64_t merged = w->records.bytes + (has_eol ? w->records.records : 0);
    return (m->merge->is_sort || m->are_runs) && merged != expected
               ? fail_not_all(m, 0, st)
               : GS_OK;
}

/* --- workers ----------------------------------------------------------------- */

/* Nothing from piece `number` on, which begins at `begin`, is for this way. */
static void end_before_locked(gs_mapped_merge *m, uint64_t number,
                              const uint8_t *const *begin)
{
    if (m->has_rest && m->end <= number)
        return;
    m->end = number;
    m->has_rest = true;
    memcpy(m->rest, begin, m->text_count * sizeof *begin);
    pthread_cond_broadcast(&m->turn);
}

/* The one before the last that was cut, of a text that stands the other way round. */
static gs_text_cut_end cut_reversed_locked(gs_mapped_merge *m, const uint8_t **begin,
                                           const uint8_t **end)
{
    const gs_text *const text = &m->texts[0];
    *end = m->reversed_end;
    if (*end == text->begin)
        return GS_TEXT_CUT_DONE;
    *begin = m->reversed_end = gs_reversed_cut(&m->form, text, *end, m->piece_bytes);
    return GS_TEXT_CUT_PIECE;
}

/* Of each text more is brought than one piece has, and left when there is more of it:
 * each call has the other threads wait. */
static void take_pages_locked(piece_worker *w)
{
    gs_mapped_merge *const m = w->m;
    const bool leaves = m->next % LEFT_PIECES == 0;
    for (size_t i = 0; i < m->text_count; i++) {
        const uint8_t *const end = w->end[i];
        const size_t left = (size_t)(m->texts[i].end - end);
        w->bring[i] = w->bring_end[i] = w->leave[i] = end;
        if (end > m->brought[i]) {
            w->bring[i] = m->brought[i] > w->begin[i] ? m->brought[i] : w->begin[i];
            m->brought[i] = end + (left < BROUGHT_BYTES ? left : BROUGHT_BYTES);
            w->bring_end[i] = m->brought[i];
            if ((size_t)(end - w->bring[i]) > GS_MERGE_PIECE_MAX) /* see go_on */
                w->bring_end[i] = w->bring[i] + GS_MERGE_PIECE_MAX;
        }
        if (leaves) {
            w->leave[i] = m->kept[i];
            m->kept[i] = w->begin[i];
        }
    }
}

/* Takes the next piece, if there is one. */
static gs_code take_piece(piece_worker *w, bool *is_taken, gs_status *st)
{
    gs_mapped_merge *const m = w->m;
    gs_text_cut_end how = GS_TEXT_CUT_DONE;
    pthread_mutex_lock(&m->mutex);
    if (!m->has_failed && m->texts[0].is_reversed)
        how = cut_reversed_locked(m, w->begin, w->end);
    else if (!m->has_failed && m->next < m->end)
        GS_NOTED(gs_text_cut_next(m->cut, w->begin, w->end, &how, st));
    *is_taken = st->code == GS_OK && how == GS_TEXT_CUT_PIECE;
    if (*is_taken) {
        w->piece_number = m->next++;
        if (!m->texts[0].is_reversed)
            take_pages_locked(w);
    } else if (how == GS_TEXT_CUT_DISORDER)
        end_before_locked(m, m->next, w->begin);
    pthread_mutex_unlock(&m->mutex);
    return st->code;
}

/* Tells the witness of the records of a part, a little at a time: what was looked at is
 * ours until it is left. */
static void tell_read(const gs_mapped_merge *m, const uint8_t *begin, const uint8_t *end)
{
    const size_t size = m->form.record_size;
    while (gs_witness_is_full(m->sink->witness) && begin < end) {
        const size_t left = (size_t)(end - begin);
        size_t part = left;
        if (left > GS_MERGE_PIECE_MAX)
            part = size > 0 ? GS_MERGE_PIECE_MAX / size * size
                            : gs_line_find_last(begin, GS_MERGE_PIECE_MAX,
                                                m->form.layout->eol);
        part = part > 0 ? part : left;
        gs_witness_read_text(m->sink->witness, begin, part);
        if (part < left)
            gs_file_map_leave_part(begin, part);
        begin += part;
    }
}

/* Waits until all pieces before this one were seen to be sorted; *is_wanted if they were,
 * and this one too. */
static void await_turn(piece_worker *w, bool is_sorted, bool *is_wanted)
{
    gs_mapped_merge *const m = w->m;
    const uint64_t number = w->piece_number;
    pthread_mutex_lock(&m->mutex);
    while (!m->has_failed && m->sorted != number && number < m->end)
        pthread_cond_wait(&m->turn, &m->mutex);
    *is_wanted = is_sorted && !m->has_failed && number < m->end;
    if (*is_wanted)
        m->sorted++;
    else if (!is_sorted)
        end_before_locked(m, number, w->begin);
    pthread_cond_broadcast(&m->turn);
    pthread_mutex_unlock(&m->mutex);
}

/* Few merge what comes before this piece any more. Looking for cuts may have brought some
 * of it back. */
static uint64_t leave_pieces(const piece_worker *w)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < w->m->text_count; i++) {
        const gs_text *const text = &w->m->texts[i];
        const size_t part = (size_t)(w->end[i] - w->begin[i]);
        if (text->is_reversed)
            gs_text_leave_around(text, w->begin[i], part);
        else if (w->leave[i] < w->begin[i])
            gs_text_leave_around(text, w->leave[i], (size_t)(w->begin[i] - w->leave[i]));
        bytes += part;
    }
    return bytes;
}

/* Those of a sort are counted as they are read. */
static void note_read(const piece_worker *w, uint64_t bytes)
{
    gs_sort_stats *const stats = w->m->merge->options->stats;
    gs_witness *const witness = w->m->sink->witness;
    if (!w->m->merge->is_sort)
        return;
    if (!gs_witness_is_full(witness))
        gs_witness_read(witness, &w->records);
    if (stats == NULL)
        return;
    atomic_fetch_add(&stats->records, w->records.records);
    atomic_fetch_add(&stats->text_bytes, bytes);
    atomic_fetch_add(&stats->input_bytes, bytes);
}

static gs_code work(piece_worker *w, gs_status *st)
{
    gs_mapped_merge *const m = w->m;
    gs_sort_stats *const stats = m->merge->options->stats;
    for (;;) {
        bool is_taken, is_sorted, is_wanted;
        GS_TRY(take_piece(w, &is_taken, st));
        if (!is_taken)
            return GS_OK;
        const uint64_t begin_ns = gs_trace_begin(m->merge->options->trace);
        GS_TRY(merge_piece(w, &is_sorted, st));
        is_wanted = is_sorted;
        if (!m->has_places)
            await_turn(w, is_sorted, &is_wanted);
        if (!is_wanted)
            return GS_OK;
        for (size_t i = 0; i < m->text_count && !m->are_runs; i++)
            tell_read(m, w->begin[i], w->end[i]);
        const uint64_t bytes = leave_pieces(w);
        note_read(w, bytes);
        GS_TRY(gs_sink_end(w->piece, st));
        gs_trace_end(m->merge->options->trace, GS_LANE_WORKER, w->number, "merge",
                     begin_ns, bytes);
        if (stats != NULL)
            atomic_fetch_add(&stats->merge_bytes, bytes);
    }
}

static gs_code worker_init(piece_worker *w, gs_status *st)
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

static void worker_release(piece_worker *w)
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

static gs_code merge_worker(void *context, unsigned number, gs_status *st)
{
    gs_mapped_merge *const m = context;
    piece_worker w = {.m = m, .number = number};
    if (worker_init(&w, st) == GS_OK)
        GS_NOTED(work(&w, st));
    worker_release(&w);
    if (st->code == GS_OK)
        return GS_OK;
    pthread_mutex_lock(&m->mutex);
    m->has_failed = true;
    pthread_cond_broadcast(&m->turn);
    pthread_mutex_unlock(&m->mutex);
    gs_stream_abort(m->sink->stream, st);
    return st->code;
}

/* --- all --------------------------------------------------------------------- */

/* From where something was out of place: one line after the other. */
static gs_code merge_rest(gs_mapped_merge *m, gs_status *st)
{
    const gs_file_merge *const merge = m->merge;
    gs_text_source *sources = NULL;
    GS_TRY(gs_mem_new_array(&sources, m->text_count, sizeof(gs_text_source),
                            "sources of a merge", st));
    for (size_t i = 0; i < m->text_count; i++)
        tell_read(m, m->rest[i], m->texts[i].end);
    for (size_t i = 0; i < m->text_count; i++)
        GS_TRY_OR_FAIL(gs_text_source_open_text(&sources[i], m->rest[i],
                                                (size_t)(m->texts[i].end - m->rest[i]),
                                                &merge->source, st));
    GS_NOTED(gs_text_merge_run(sources, m->text_count, &merge->source, &merge->merge,
                               m->sink, m->first_ticket + m->end, st));
fail:
    for (size_t i = 0; i < m->text_count; i++)
        gs_text_source_close(&sources[i]);
    gs_mem_free(sources);
    return st->code;
}

gs_code gs_mapped_merge_run(gs_mapped_merge *m, gs_sink *sink, uint64_t ticket,
                            gs_status *st)
{
    gs_sort_stats *const stats = m->merge->options->stats;
    gs_team *team = NULL;
    m->sink = sink;
    m->first_ticket = ticket;
    m->has_places = (m->merge->is_sort || m->are_runs) && !m->merge->merge.is_unique &&
                    !sink->is_zstd && sink->run == NULL &&
                    !gs_witness_is_full(sink->witness);
    if (stats != NULL && !m->are_runs) { /* runs may be merged in part only */
        atomic_store(&stats->merge_bytes_total, gs_file_map_text_bytes(&m->map));
        atomic_store(&stats->threads, m->plan.workers);
    }
    GS_TRY(gs_team_new(&team, m->plan.workers, st));
    gs_team_set_trace(team, m->merge->options->trace);
    GS_NOTED(gs_team_run(team, merge_worker, m, st));
    gs_team_free(team);
    if (st->code == GS_OK && m->has_rest && (m->merge->is_sort || m->are_runs))
        return fail_not_all(m, 0, st); /* all was seen to be sorted */
    if (st->code == GS_OK && m->has_rest)
        GS_NOTED(merge_rest(m, st));
    return st->code == GS_OK ? gs_file_map_check(&m->map, st) : st->code;
}

uint64_t gs_mapped_merge_bytes(const gs_mapped_merge *m)
{
    return gs_file_map_text_bytes(&m->map);
}

bool gs_mapped_merge_fills_cache(const gs_mapped_merge *m)
{
    return gs_mapped_merge_bytes(m) <=
           gs_machine_memory_available() / CACHED_OUTPUT_SHARE;
}

uint64_t gs_mapped_merge_next_ticket(const gs_mapped_merge *m)
{
    return m->first_ticket + m->next;
}
