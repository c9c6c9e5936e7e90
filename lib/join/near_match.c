/* SPDX-License-Identifier: MIT */
#include "lib/join/near_match.h"

#include <stdatomic.h>

#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/base/share.h"
#include "lib/join/join_pair.h"
#include "lib/join/near_kept.h"

enum {
    /* A portion's pairs stay in a thread's cache until they are put into the stream. */
    PORTION_BYTES = 256 << 10,
    PORTION_LINES_MAX = 4 << 10,
    PORTION_LINES_MIN = 1 << 4,
    /* With more of them at a time, right lines that lie here and there leave the cache
     * from one left line to the next. */
    PARTNERS_MAX = 1 << 8,
    SAMPLES = 1 << 8,  /* of left lines, to guess how many partners they have */
    WINDOWS = 1 << 9,  /* that are found before their lines are looked at */
    AHEAD = 32,        /* left lines, of which text is asked for */
    CELL_PORTIONS = 4, /* a cell may have the lines of so many portions */
};

/* The right lines from `first` on that are partners of a left line. */
typedef struct window {
    size_t first, end;
} window;

typedef struct matching {
    const gs_near_sides *sides;
    gs_sink *sink;
    uint64_t first_ticket;
    /* Of left lines, or of their cells, each of which is sorted by who comes to it. */
    bool is_by_cells;
    size_t portion_size, portion_count;
    atomic_size_t next_portion;
    atomic_bool has_failed;
} matching;

/* What one thread is at. */
typedef struct pairing {
    const gs_near_sides *sides;
    gs_join_writer writer;
    uint8_t separator, eol;
    window windows[WINDOWS];
    size_t asked; /* right lines before this one were asked for */
} pairing;

/* Windows of the left lines from `first` on, all of which begin in or behind `w`. */
static void find_windows(pairing *p, size_t first, size_t count, window w)
{
    const gs_near_sides *const s = p->sides;
    const gs_number_line *const left = s->left->lines + first;
    const gs_number_line *const right = s->right->lines;
    const size_t right_count = s->right->count;
    for (size_t i = 0; i < count; i++) {
        const int64_t from = left[i].number + s->low, to = left[i].number + s->high;
        while (w.first < right_count && right[w.first].number < from)
            w.first++;
        if (w.end < w.first)
            w.end = w.first;
        while (w.end < right_count && right[w.end].number <= to)
            w.end++;
        p->windows[i] = w;
    }
}

/* Asks for the text of a left line and its partners, unless it has none. */
static inline void ask(pairing *p, size_t left, const window *w)
{
    if (w->first == w->end)
        return;
    gs_number_side_prefetch(p->sides->left, left);
    if (p->asked < w->first)
        p->asked = w->first;
    for (; p->asked < w->end; p->asked++)
        gs_number_side_prefetch(p->sides->right, p->asked);
}

/* Most lines have 32 to 64 bytes: what is copied of those ends where they do, so that
 * what lies behind is not fetched. */
static inline void copy_line(uint8_t *to, const uint8_t *from, size_t bytes)
{
    enum { HALF = 32 };
    if (__builtin_expect(bytes >= HALF && bytes <= 2 * HALF, 1)) {
        memcpy(to, from, HALF);
        memcpy(to + bytes - HALF, from + bytes - HALF, HALF);
    } else {
        gs_join_pair_copy(to, from, bytes);
    }
}

static gs_code put_pairs(pairing *p, size_t left, const window *w, gs_status *st)
{
    const gs_near_sides *const s = p->sides;
    size_t left_bytes, right_bytes;
    const uint8_t *const left_line = gs_number_side_line(s->left, left, &left_bytes);
    uint8_t *to;
    for (size_t r = w->first; r < w->end; r++) {
        const uint8_t *const right_line = gs_number_side_line(s->right, r, &right_bytes);
        const size_t bytes = left_bytes + 1 + right_bytes + 1;
        GS_TRY(gs_join_writer_room(&p->writer, bytes, &to, st));
        copy_line(to, left_line, left_bytes);
        to[left_bytes] = p->separator;
        copy_line(to + left_bytes + 1, right_line, right_bytes);
        to[bytes - 1] = p->eol;
        gs_join_writer_added(&p->writer, bytes);
    }
    return GS_OK;
}

/* The pairs of these left lines, from `w` on. */
static gs_code pair_some(pairing *p, size_t first, size_t count, window *w, gs_status *st)
{
    find_windows(p, first, count, *w);
    for (size_t i = 0; i < AHEAD && i < count; i++)
        ask(p, first + i, &p->windows[i]);
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            ask(p, first + i + AHEAD, &p->windows[i + AHEAD]);
        GS_TRY(put_pairs(p, first + i, &p->windows[i], st));
    }
    *w = p->windows[count - 1];
    return GS_OK;
}

typedef struct stretch {
    size_t first, end;
} stretch;

static stretch portion_of(const matching *m, size_t portion)
{
    const gs_number_side *const left = m->sides->left;
    const size_t all = m->is_by_cells ? left->cells.count : left->count;
    const size_t first = portion * m->portion_size;
    const size_t end = all - first < m->portion_size ? all : first + m->portion_size;
    if (!m->is_by_cells)
        return (stretch){first, end};
    for (size_t cell = first; cell < end; cell++)
        gs_number_cells_sort(&left->cells, cell);
    return (stretch){left->cells.begins[first], left->cells.begins[end]};
}

static gs_code pair_portion(const matching *m, pairing *p, size_t portion, gs_status *st)
{
    const gs_near_sides *const s = m->sides;
    const stretch part = portion_of(m, portion);
    GS_TRY(gs_cancel_check(s->job->sort.cancel_signal, st));
    gs_sink_begin(p->writer.piece, m->first_ticket + portion);
    if (part.first < part.end) {
        const int64_t number = s->left->lines[part.first].number;
        const size_t begin = gs_number_side_seek(s->right, number + s->low);
        window w = {begin, begin};
        for (size_t i = part.first; i < part.end; i += WINDOWS)
            GS_TRY(
                pair_some(p, i, part.end - i < WINDOWS ? part.end - i : WINDOWS, &w, st));
    }
    gs_join_writer_settle(&p->writer);
    return gs_sink_end(p->writer.piece, st);
}

static gs_code pair_portions(matching *m, pairing *p, gs_status *st)
{
    size_t portion;
    while (!atomic_load(&m->has_failed) &&
           (portion = atomic_fetch_add(&m->next_portion, 1)) < m->portion_count)
        GS_TRY(pair_portion(m, p, portion, st));
    return GS_OK;
}

static gs_code pair_worker(void *context, unsigned worker, gs_status *st)
{
    matching *const m = context;
    const gs_join_format *const f = &m->sides->job->format;
    pairing *p = NULL;
    (void)worker;
    if (gs_mem_new(&p, sizeof *p, "matcher", st) == GS_OK) {
        p->sides = m->sides;
        p->separator = f->separator;
        p->eol = f->options->sort.order.eol;
        if (gs_sink_piece_new(&p->writer.piece, m->sink, st) == GS_OK)
            GS_NOTED(pair_portions(m, p, st));
        gs_sink_piece_free(p->writer.piece);
    }
    gs_mem_free(p);
    if (st->code != GS_OK) {
        atomic_store(&m->has_failed, true);
        gs_stream_abort(m->sink->stream, st);
    }
    return st->code;
}

/* How many partners a left line has, as some of them say. */
static double guess_partners(const gs_near_sides *s)
{
    const size_t count = s->left->count;
    const size_t samples = count < SAMPLES ? count : SAMPLES;
    double partners = 0;
    for (size_t i = 0; i < samples; i++) {
        const int64_t number = s->left->lines[count / samples * i].number;
        partners += (double)(gs_number_side_seek(s->right, number + s->high + 1) -
                             gs_number_side_seek(s->right, number + s->low));
    }
    return samples > 0 ? partners / (double)samples : 0;
}

static double line_bytes(const gs_number_side *s)
{
    return s->count > 0 ? (double)s->text_bytes / (double)s->count : 0;
}

static size_t choose_portion_lines(const gs_near_sides *s, double partners)
{
    const double bytes = partners * (line_bytes(s->left) + line_bytes(s->right)) + 1;
    const double lines = PORTION_BYTES / bytes;
    return lines > PORTION_LINES_MAX   ? PORTION_LINES_MAX
           : lines < PORTION_LINES_MIN ? PORTION_LINES_MIN
                                       : (size_t)lines;
}

/* A pair is the left line, a separator and the right line. */
static bool is_both_lines(const gs_join_job *job)
{
    const gs_join_options *const o = job->options;
    const bool has_filler = job->format.filler_bytes > 0;
    return o->shows_pairs && !o->shows_unpaired[GS_JOIN_LEFT] &&
           !o->shows_unpaired[GS_JOIN_RIGHT] && o->item_count == 0 && !o->is_auto &&
           !has_filler && o->sort.order.delimiter != GS_ORDER_BLANK_FIELDS &&
           o->key_field[GS_JOIN_LEFT] == 0 && o->key_field[GS_JOIN_RIGHT] == 0;
}

/* By cells, unless they are ordered or one has far more pairs than a portion should. */
static void cut_portions(matching *m, size_t lines)
{
    const gs_number_side *const left = m->sides->left;
    const gs_number_cells *const cells = &left->cells;
    const size_t cell_lines = cells->count > 0 ? left->count / cells->count + 1 : 0;
    m->is_by_cells = !cells->is_ordered && cell_lines <= CELL_PORTIONS * lines;
    const size_t all = m->is_by_cells ? cells->count : left->count;
    m->portion_size = !m->is_by_cells       ? lines
                      : cell_lines >= lines ? 1
                                            : lines / cell_lines;
    m->portion_count = all / m->portion_size + (all % m->portion_size > 0);
}

gs_code gs_near_match(const gs_near_sides *sides, gs_sink *sink, uint64_t ticket,
                      gs_status *st)
{
    gs_team *const team = sides->job->team;
    const double partners = guess_partners(sides);
    const size_t lines = choose_portion_lines(sides, partners);
    matching m = {.sides = sides, .sink = sink, .first_ticket = ticket};
    cut_portions(&m, lines);
    const bool is_kept = !is_both_lines(sides->job) || partners > PARTNERS_MAX;
    if (is_kept || !m.is_by_cells)
        GS_TRY(gs_number_cells_sort_all(&sides->left->cells, team, st));
    return is_kept ? gs_near_kept_match(sides, lines, sink, ticket, st)
                   : gs_team_run(team, pair_worker, &m, st);
}
