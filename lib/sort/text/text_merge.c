/* SPDX-License-Identifier: MIT */
#include "lib/sort/text/text_merge.h"

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"

enum { CANCEL_CHECK_RECORDS = 1 << 14, KEPT_SLACK = 64 };

/* The record that goes out next, copied when equals of it may follow. */
typedef struct gs_kept_record {
    bool is_there;
    uint8_t *data; /* line with eol, then the string */
    size_t capacity;
    size_t line_bytes, string_bytes;
    uint64_t count;
} gs_kept_record;

typedef struct gs_text_merge {
    gs_text_source *sources;
    size_t *order; /* sources by their current lines; `live` of them */
    size_t live;
    const gs_text_source_options *source_options;
    const gs_text_merge_options *options;
    gs_sink_piece *piece;
    gs_kept_record kept;
    uint64_t top_left;
} gs_text_merge;

static int compare(const gs_text_merge *m, const gs_text_source *a,
                   const gs_text_source *b)
{
    if (a->prefix != b->prefix)
        return a->prefix < b->prefix ? -1 : 1;
    const int d = gs_string_compare(a->string.data, a->string.bytes, b->string.data,
                                    b->string.bytes, 0);
    return m->source_options->layout->is_backwards ? -d : d;
}

/* Does the source's line go out before, or stay in front of, that of sources[other]? */
static bool is_before(const gs_text_merge *m, size_t source, size_t other)
{
    const int d = compare(m, &m->sources[source], &m->sources[other]);
    return d < 0 || (d == 0 && source < other);
}

/* order[0] has a new line: finds its place among the others. The first look is at its
 * neighbour, since runs of lines from one source are common. */
static void reinsert_first(gs_text_merge *m)
{
    const size_t source = m->order[0];
    size_t lo = 1, hi = m->live, probe = 1;
    while (lo < hi) {
        if (is_before(m, source, m->order[probe]))
            hi = probe;
        else
            lo = probe + 1;
        probe = (lo + hi) / 2;
    }
    memmove(m->order, m->order + 1, (lo - 1) * sizeof *m->order);
    m->order[lo - 1] = source;
}

static gs_code put(gs_text_merge *m, const uint8_t *line, size_t line_bytes,
                   gs_seen_string string, uint64_t count, gs_status *st)
{
    const gs_sink_record r = {
        .data = line, .length = line_bytes, .count = count, .string = string};
    return gs_sink_add(m->piece, &r, st);
}

static gs_code put_kept(gs_text_merge *m, gs_status *st)
{
    if (!m->kept.is_there)
        return GS_OK;
    m->kept.is_there = false;
    const gs_kept_record *const k = &m->kept;
    const gs_seen_string string = {k->data + k->line_bytes + 1, k->string_bytes};
    return put(m, k->data, k->line_bytes, string, k->count, st);
}

static bool equals_kept(const gs_text_merge *m, const gs_text_source *s)
{
    const gs_kept_record *const k = &m->kept;
    return k->is_there && k->string_bytes == s->string.bytes &&
           memcmp(k->data + k->line_bytes + 1, s->string.data, s->string.bytes) == 0;
}

static gs_code keep(gs_text_merge *m, const gs_text_source *s, gs_status *st)
{
    gs_kept_record *const k = &m->kept;
    const size_t bytes = s->line_bytes + 1 + s->string.bytes;
    GS_TRY(gs_mem_grow(&k->data, &k->capacity, bytes + KEPT_SLACK, "merged line", st));
    memcpy(k->data, s->line, s->line_bytes);
    k->data[s->line_bytes] = m->source_options->layout->eol;
    memcpy(k->data + s->line_bytes + 1, s->string.data, s->string.bytes);
    k->line_bytes = s->line_bytes;
    k->string_bytes = s->string.bytes;
    k->count = 1;
    k->is_there = true;
    return GS_OK;
}

/* Takes the current line of the first source. *is_done when --top has enough. */
static gs_code take_first(gs_text_merge *m, bool *is_done, gs_status *st)
{
    const gs_text_source *const s = &m->sources[m->order[0]];
    if (m->options->is_unique && equals_kept(m, s)) {
        m->kept.count++;
        gs_sink_drop(m->piece, s->line, s->line_bytes, 1);
        return GS_OK;
    }
    GS_TRY(put_kept(m, st));
    if (m->options->has_top && m->top_left-- == 0) {
        *is_done = true;
        return GS_OK;
    }
    /* The last line of a file may lack its eol: only a copy can have one. */
    if (m->options->is_unique || !s->is_whole)
        return keep(m, s, st);
    const gs_seen_string string = {s->string.data, s->string.bytes};
    return put(m, s->line, s->line_bytes, string, 1, st);
}

static gs_code merge(gs_text_merge *m, gs_status *st)
{
    bool is_done = false;
    for (uint64_t n = 0; m->live > 0 && !is_done; n++) {
        if (n % CANCEL_CHECK_RECORDS == 0)
            GS_TRY(gs_cancel_check(m->options->cancel, st));
        GS_TRY(take_first(m, &is_done, st));
        gs_text_source *const s = &m->sources[m->order[0]];
        GS_TRY(gs_text_source_advance(s, m->source_options, st));
        if (s->has_line) {
            reinsert_first(m);
        } else {
            gs_text_source_close(s);
            m->live--;
            memmove(m->order, m->order + 1, m->live * sizeof *m->order);
        }
    }
    return put_kept(m, st);
}

/* Puts the sources that have lines in order, by insertion: there are few. */
static void start(gs_text_merge *m, size_t source_count)
{
    for (size_t i = 0; i < source_count; i++) {
        if (!m->sources[i].has_line) {
            gs_text_source_close(&m->sources[i]);
            continue;
        }
        size_t at = m->live++;
        while (at > 0 && is_before(m, i, m->order[at - 1])) {
            m->order[at] = m->order[at - 1];
            at--;
        }
        m->order[at] = i;
    }
}

gs_code gs_text_merge_run(gs_text_source *sources, size_t source_count,
                          const gs_text_source_options *source_options,
                          const gs_text_merge_options *options, gs_sink *sink,
                          uint64_t ticket, gs_status *st)
{
    gs_text_merge m = {
        .sources = sources,
        .source_options = source_options,
        .options = options,
        .top_left = options->top_count,
    };
    GS_TRY(gs_mem_new(&m.order, (source_count + 1) * sizeof *m.order, "merge order", st));
    GS_TRY_OR_FAIL(gs_sink_piece_new(&m.piece, sink, st));
    start(&m, source_count);
    gs_sink_begin(m.piece, ticket);
    if (merge(&m, st) == GS_OK)
        GS_NOTED(gs_sink_end(m.piece, st));
fail:
    gs_sink_piece_free(m.piece);
    gs_mem_free(m.kept.data);
    gs_mem_free(m.order);
    return st->code;
}
