/* SPDX-License-Identifier: MIT */
#include "lib/sort/text/mapped_merge.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/balloon.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/team.h"
#include "lib/sort/text/mapped_piece.h"
#include "lib/sort/text/reversed_text.h"

enum {
    BROUGHT_BYTES = 256 << 10, /* of a text, beyond what a piece has of it */
    LEFT_PIECES = 8,           /* at once */
    /* Where more than a seventh of the memory is to be written, the kernel has who writes
     * wait for the disk. */
    CACHED_OUTPUT_SHARE = 8,
};

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
static void take_pages_locked(gs_mapped_piece *w)
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
static gs_code take_piece(gs_mapped_piece *w, bool *is_taken, gs_status *st)
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
static void await_turn(gs_mapped_piece *w, bool is_sorted, bool *is_wanted)
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
static uint64_t leave_pieces(const gs_mapped_piece *w)
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

/* Those of a sort are counted, and told of when all are merged. */
static void note_read(const gs_mapped_piece *w, uint64_t bytes)
{
    gs_mapped_merge *const m = w->m;
    pthread_mutex_lock(&m->mutex);
    m->read.records += w->records.records;
    m->read.bytes += w->records.bytes;
    m->read_bytes += bytes;
    pthread_mutex_unlock(&m->mutex);
}

static void tell_all_read(const gs_mapped_merge *m)
{
    gs_sort_stats *const stats = m->merge->options->stats;
    gs_witness *const witness = m->sink->witness;
    if (!gs_witness_is_full(witness))
        gs_witness_read(witness, &m->read);
    if (stats == NULL)
        return;
    atomic_fetch_add(&stats->records, m->read.records);
    atomic_fetch_add(&stats->text_bytes, m->read_bytes);
    atomic_fetch_add(&stats->input_bytes, m->read_bytes);
}

static gs_code work(gs_mapped_piece *w, gs_status *st)
{
    gs_mapped_merge *const m = w->m;
    gs_sort_stats *const stats = m->merge->options->stats;
    for (;;) {
        bool is_taken, is_sorted, is_wanted;
        GS_TRY(take_piece(w, &is_taken, st));
        if (!is_taken)
            return GS_OK;
        const uint64_t begin_ns = gs_trace_begin(m->merge->options->trace);
        GS_TRY(gs_mapped_piece_merge(w, &is_sorted, st));
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

static gs_code merge_worker(void *context, unsigned number, gs_status *st)
{
    gs_mapped_merge *const m = context;
    gs_mapped_piece w = {.m = m, .number = number};
    if (gs_mapped_piece_init(&w, st) == GS_OK)
        GS_NOTED(work(&w, st));
    gs_mapped_piece_release(&w);
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
    if (st->code == GS_OK && m->has_rest && m->is_guess)
        return gs_mapped_fail_guess(m, st);
    if (st->code == GS_OK && m->is_guess)
        gs_log_say(m->merge->options->log, GS_LOG_INFO,
                   "sorted stretches of the input: %zu", m->text_count);
    if (st->code == GS_OK && m->merge->is_sort)
        tell_all_read(m);
    if (st->code == GS_OK && m->has_rest && (m->merge->is_sort || m->are_runs))
        return gs_mapped_fail_not_all(m, 0, st); /* all was seen to be sorted */
    if (st->code == GS_OK && m->has_rest)
        GS_NOTED(merge_rest(m, st));
    return st->code == GS_OK ? gs_file_map_check(&m->map, st) : st->code;
}

uint64_t gs_mapped_merge_bytes(const gs_mapped_merge *m)
{
    return gs_file_map_text_bytes(&m->map);
}

bool gs_mapped_merge_was_wrong(const gs_mapped_merge *m)
{
    return atomic_load(&m->was_wrong);
}

gs_write_way gs_mapped_wished_way(void)
{
    const char *const wish = getenv("GS_MERGED_TO");
    if (wish == NULL)
        return GS_WRITE_QUICK;
    return strcmp(wish, "cache") == 0 ? GS_WRITE_CACHED : GS_WRITE_DIRECT;
}

bool gs_mapped_merge_fills_cache(const gs_mapped_merge *m)
{
    const gs_write_way wish = gs_mapped_wished_way();
    if (wish != GS_WRITE_QUICK)
        return wish == GS_WRITE_CACHED;
    return gs_mapped_merge_bytes(m) <=
               gs_machine_memory_available() / CACHED_OUTPUT_SHARE &&
           !gs_balloon_takes_free_memory("");
}

uint64_t gs_mapped_merge_next_ticket(const gs_mapped_merge *m)
{
    return m->first_ticket + m->next;
}
