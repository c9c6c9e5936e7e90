/* SPDX-License-Identifier: MIT */
#include "lib/join/near_match.h"

#include <stdatomic.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/base/share.h"
#include "lib/join/join_format.h"
#include "lib/join/near_kept.h"

enum {
    PORTION_BYTES = 256 << 10, /* of pairs, about */
    PORTION_LINES_MAX = 4 << 10,
    PORTION_LINES_MIN = 1 << 4,
    /* With more of them at a time, right lines that lie here and there leave the cache
     * from one left line to the next. */
    PARTNERS_MAX = 1 << 13,
    SAMPLES = 1 << 8,  /* of left lines, to guess how many partners they have */
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
    uint8_t separator, eol;
    window *windows; /* of the left lines of a portion */
    size_t window_capacity;
    size_t asked; /* right lines before this one were asked for */
    gs_stream *stream;
    uint64_t offset;                /* in it, where `begin` is */
    uint64_t left_bytes;            /* of the portion, from there on */
    uint8_t *begin, *at, *room_end; /* of a block: pairs that were made, and room */
    uint64_t pairs;
} pairing;

static inline size_t bytes_of(const gs_number_line *line)
{
    return (size_t)(line->where & GS_WHERE_LENGTH_LONG);
}

/* Windows of the left lines from `first` on; and how many bytes their pairs have. */
static uint64_t find_windows(pairing *p, size_t first, size_t count)
{
    const gs_near_sides *const s = p->sides;
    const gs_number_line *const left = s->left->lines + first;
    const gs_number_line *const right = s->right->lines;
    const size_t right_count = s->right->count;
    const size_t begin =
        gs_number_side_seek(s->right, gs_near_right_of(s, left[0].number).from);
    window w = {begin, begin};
    uint64_t inside = 0, bytes = 0; /* of right lines in the window */
    for (size_t i = 0; i < count; i++) {
        const gs_near_reach partners = gs_near_right_of(s, left[i].number);
        for (; w.first < right_count && right[w.first].number < partners.from; w.first++)
            inside -= w.first < w.end ? bytes_of(&right[w.first]) : 0;
        if (w.end < w.first)
            w.end = w.first;
        for (; w.end < right_count && right[w.end].number <= partners.to; w.end++)
            inside += bytes_of(&right[w.end]);
        p->windows[i] = w;
        p->pairs += w.end - w.first;
        bytes += (w.end - w.first) * (bytes_of(&left[i]) + 1 + 1) + inside;
    }
    return bytes;
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
 * what lies behind is not fetched. Up to GS_SHORT_COPY_BYTES more are written of others.
 */
static inline void copy_line(uint8_t *to, const uint8_t *from, size_t bytes)
{
    enum { HALF = 32 };
    if (__builtin_expect(bytes >= HALF && bytes <= 2 * HALF, 1)) {
        memcpy(to, from, HALF);
        memcpy(to + bytes - HALF, from + bytes - HALF, HALF);
    } else {
        gs_copy_short(to, from, bytes);
    }
}

/* What was made is the stream's. */
static void settle(pairing *p)
{
    const size_t made = (size_t)(p->at - p->begin);
    if (made > 0)
        gs_stream_filled(p->stream, p->offset, made);
    p->offset += made;
    p->left_bytes -= made;
    p->begin = p->at = p->room_end = NULL;
}

static gs_code put_bytes(pairing *p, const uint8_t *data, size_t bytes, gs_status *st)
{
    GS_TRY(gs_stream_put(p->stream, p->offset, data, bytes, st));
    p->offset += bytes;
    p->left_bytes -= bytes;
    return GS_OK;
}

/* A pair that does not fit into the block, with what copies write beyond, exactly; then
 * goes on behind it. */
static __attribute__((noinline)) gs_code put_over(pairing *p, const uint8_t *left,
                                                  size_t left_bytes, const uint8_t *right,
                                                  size_t right_bytes, gs_status *st)
{
    settle(p);
    GS_TRY(put_bytes(p, left, left_bytes, st));
    GS_TRY(put_bytes(p, &p->separator, 1, st));
    GS_TRY(put_bytes(p, right, right_bytes, st));
    GS_TRY(put_bytes(p, &p->eol, 1, st));
    if (p->left_bytes == 0)
        return GS_OK;
    size_t room;
    GS_TRY(
        gs_stream_map(p->stream, p->offset, (size_t)p->left_bytes, &p->begin, &room, st));
    p->at = p->begin;
    p->room_end = p->begin + room;
    return GS_OK;
}

static gs_code put_pairs(pairing *p, size_t left, const window *w, gs_status *st)
{
    const gs_near_sides *const s = p->sides;
    const uint8_t separator = p->separator, eol = p->eol;
    size_t left_bytes, right_bytes;
    const uint8_t *const left_line = gs_number_side_line(s->left, left, &left_bytes);
    uint8_t *to = p->at;
    for (size_t r = w->first; r < w->end; r++) {
        const uint8_t *const right_line = gs_number_side_line(s->right, r, &right_bytes);
        const size_t bytes = left_bytes + 1 + right_bytes + 1;
        if (__builtin_expect((size_t)(p->room_end - to) < bytes + GS_SHORT_COPY_BYTES,
                             0)) {
            p->at = to;
            GS_TRY(put_over(p, left_line, left_bytes, right_line, right_bytes, st));
            to = p->at;
            continue;
        }
        copy_line(to, left_line, left_bytes);
        to[left_bytes] = separator;
        copy_line(to + left_bytes + 1, right_line, right_bytes);
        to[bytes - 1] = eol;
        to += bytes;
    }
    p->at = to;
    return GS_OK;
}

/* The pairs of these left lines, whose windows are known. */
static gs_code put_portion(pairing *p, size_t first, size_t count, gs_status *st)
{
    p->begin = p->at = p->room_end = NULL;
    for (size_t i = 0; i < AHEAD && i < count; i++)
        ask(p, first + i, &p->windows[i]);
    for (size_t i = 0; i < count; i++) {
        if (i + AHEAD < count)
            ask(p, first + i + AHEAD, &p->windows[i + AHEAD]);
        GS_TRY(put_pairs(p, first + i, &p->windows[i], st));
    }
    settle(p);
    gs_assert(p->left_bytes == 0);
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

/* Where its pairs will be is known before they are made: so all threads make pairs, in
 * the blocks of the stream. */
static gs_code pair_portion(const matching *m, pairing *p, size_t portion, gs_status *st)
{
    const stretch part = portion_of(m, portion);
    const size_t count = part.end - part.first;
    p->left_bytes = 0;
    GS_TRY(gs_cancel_check(m->sides->job->sort.cancel_signal, st));
    GS_TRY(gs_mem_grow(&p->windows, &p->window_capacity, count, "windows", st));
    if (count > 0)
        p->left_bytes = find_windows(p, part.first, count);
    GS_TRY(gs_stream_reserve(p->stream, m->first_ticket + portion, p->left_bytes, true,
                             &p->offset, st));
    return p->left_bytes > 0 ? put_portion(p, part.first, count, st) : GS_OK;
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
    pairing p = {
        .sides = m->sides,
        .separator = f->separator,
        .eol = f->options->sort.order.eol,
        .stream = m->sink->stream,
    };
    (void)worker;
    GS_NOTED(pair_portions(m, &p, st));
    atomic_fetch_add(&m->sink->record_count, p.pairs);
    gs_mem_free(p.windows);
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
        const gs_near_reach right =
            gs_near_right_of(s, s->left->lines[count / samples * i].number);
        partners += (double)(gs_number_side_seek(s->right, right.to + 1) -
                             gs_number_side_seek(s->right, right.from));
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
    gs_assert(gs_join_moves_on(sides->match)); /* find_windows, guess_partners */
    gs_team *const team = sides->job->team;
    const double partners = guess_partners(sides);
    const size_t lines = choose_portion_lines(sides, partners);
    matching m = {.sides = sides, .sink = sink, .first_ticket = ticket};
    cut_portions(&m, lines);
    const bool is_kept =
        !is_both_lines(sides->job) || partners > PARTNERS_MAX || sink->is_zstd;
    if (is_kept || !m.is_by_cells)
        GS_TRY(gs_number_cells_sort_all(&sides->left->cells, team, st));
    return is_kept ? gs_near_kept_match(sides, lines, sink, ticket, st)
                   : gs_team_run(team, pair_worker, &m, st);
}
