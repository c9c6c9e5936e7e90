/* SPDX-License-Identifier: MIT */
#include "lib/join/near_kept.h"

#include <stdatomic.h>

#include "lib/base/mem.h"
#include "lib/base/share.h"
#include "lib/join/band_fill.h"
#include "lib/join/band_match.h"

enum {
    FILL_PORTIONS = 8, /* a thread */
    /* Each portion may go through all of the right side, to set its bits. */
    SEEING_PORTIONS = 8, /* a thread */
    AHEAD = 16,          /* lines, of which text is asked for */
};

typedef struct keeping {
    const gs_near_sides *sides;
    gs_join_number unit;
    gs_band_fill *fill;
    gs_band_right right;
    gs_sink *sink;
    uint64_t first_ticket;
    size_t portion_count; /* of the lines that are gone through now */
    atomic_size_t next_portion;
    atomic_bool has_failed;
} keeping;

typedef struct stretch {
    size_t first, end;
} stretch;

static stretch portion_of(const keeping *k, const gs_number_side *s, size_t portion)
{
    const size_t whole = s->count / k->portion_count, rest = s->count % k->portion_count;
    return (stretch){whole * portion + rest * portion / k->portion_count,
                     whole * (portion + 1) + rest * (portion + 1) / k->portion_count};
}

static bool takes_next(keeping *k, size_t *portion)
{
    if (atomic_load(&k->has_failed))
        return false;
    *portion = atomic_fetch_add(&k->next_portion, 1);
    return *portion < k->portion_count;
}

/* --- the right side ------------------------------------------------------------- */

/* Is there a left line that has this right one in its window? *left is one that is not
 * behind it, and moves on. */
static inline bool has_partner(const gs_near_sides *s, int64_t number, size_t *left)
{
    const gs_number_line *const lines = s->left->lines;
    const size_t count = s->left->count;
    const gs_near_reach partners = gs_near_left_of(s, number);
    while (*left < count && lines[*left].number < partners.from)
        ++*left;
    return *left < count && lines[*left].number <= partners.to;
}

static gs_code fill_portion(keeping *k, unsigned worker, stretch part, gs_status *st)
{
    const gs_near_sides *const s = k->sides;
    const bool takes_all = s->job->options->shows_unpaired[GS_JOIN_RIGHT];
    if (part.first == part.end)
        return GS_OK;
    const gs_number_line *const lines = s->right->lines;
    size_t left =
        gs_number_side_seek(s->left, gs_near_left_of(s, lines[part.first].number).from);
    size_t bytes;
    for (size_t r = part.first; r < part.end; r++) {
        if (r + AHEAD < part.end)
            gs_number_side_prefetch(s->right, r + AHEAD);
        if (!takes_all && !has_partner(s, lines[r].number, &left))
            continue;
        const uint8_t *const line = gs_number_side_line(s->right, r, &bytes);
        GS_TRY(gs_band_fill_add(k->fill, worker, lines[r].number * k->unit, line, bytes,
                                st));
    }
    return GS_OK;
}

static gs_code fill_worker(void *context, unsigned worker, gs_status *st)
{
    keeping *const k = context;
    for (size_t portion; takes_next(k, &portion) && st->code == GS_OK;) {
        gs_band_fill_begin(k->fill, worker, portion);
        GS_NOTED(fill_portion(k, worker, portion_of(k, k->sides->right, portion), st));
        gs_band_fill_end(k->fill, worker);
    }
    if (st->code != GS_OK)
        atomic_store(&k->has_failed, true);
    return st->code;
}

static gs_code keep_right(keeping *k, gs_status *st)
{
    gs_join_job *const job = k->sides->job;
    const unsigned workers = gs_team_workers(job->team);
    job->store.memory_bytes = k->sides->shelf_bytes;
    k->right = (gs_band_right){.format = &job->format, .shelf = {.store = &job->store}};
    k->portion_count = FILL_PORTIONS * (size_t)workers;
    GS_TRY(gs_band_fill_new(&k->fill, &job->format, &job->store, workers,
                            k->portion_count, st));
    GS_TRY(gs_team_run(job->team, fill_worker, k, st));
    GS_TRY(gs_band_fill_join(k->fill, &k->right, st));
    return gs_band_right_end(&k->right, st);
}

/* --- the left side -------------------------------------------------------------- */

static gs_code match_portion(const keeping *k, gs_band_match *m, size_t portion,
                             gs_status *st)
{
    const gs_number_side *const left = k->sides->left;
    const stretch part = portion_of(k, left, portion);
    size_t bytes;
    gs_band_match_begin(m, k->first_ticket + portion);
    for (size_t i = part.first; i < part.end; i++) {
        if (i + AHEAD < part.end)
            gs_number_side_prefetch(left, i + AHEAD);
        const uint8_t *const line = gs_number_side_line(left, i, &bytes);
        GS_TRY(gs_band_match_add(m, left->lines[i].number * k->unit, line, bytes, st));
    }
    return gs_band_match_end(m, st);
}

static gs_code match_worker(void *context, unsigned worker, gs_status *st)
{
    keeping *const k = context;
    gs_band_match *m = NULL;
    (void)worker;
    GS_NOTED(gs_band_match_new(&m, &k->sides->job->format, &k->right, k->sink, st));
    for (size_t portion; st->code == GS_OK && takes_next(k, &portion);)
        GS_NOTED(match_portion(k, m, portion, st));
    gs_band_match_free(m);
    if (st->code != GS_OK) {
        atomic_store(&k->has_failed, true);
        gs_stream_abort(k->sink->stream, st);
    }
    return st->code;
}

/* Behind all portions. */
static gs_code show_unpaired(const keeping *k, gs_status *st)
{
    gs_band_match *m = NULL;
    GS_TRY(gs_band_match_new(&m, &k->sides->job->format, &k->right, k->sink, st));
    gs_band_match_begin(m, k->first_ticket + k->portion_count);
    GS_NOTED(gs_band_match_unpaired(m, st));
    if (st->code == GS_OK)
        GS_NOTED(gs_band_match_end(m, st));
    gs_band_match_free(m);
    return st->code;
}

static gs_code match_left(keeping *k, size_t portion_lines, gs_status *st)
{
    const gs_near_sides *const s = k->sides;
    const bool sees = k->right.seen != NULL;
    const size_t short_ones = s->left->count / portion_lines + 1;
    const size_t most = SEEING_PORTIONS * (size_t)gs_team_workers(s->job->team);
    k->portion_count = sees && short_ones > most ? most : short_ones;
    atomic_store(&k->next_portion, 0);
    GS_TRY(gs_team_run(s->job->team, match_worker, k, st));
    return sees ? show_unpaired(k, st) : GS_OK;
}

gs_code gs_near_kept_match(const gs_near_sides *sides, size_t portion_lines,
                           gs_sink *sink, uint64_t ticket, gs_status *st)
{
    gs_assert(gs_join_moves_on(sides->match)); /* has_partner, fill_portion */
    keeping k = {
        .sides = sides,
        .unit = gs_number_side_unit(sides->left),
        .sink = sink,
        .first_ticket = ticket,
    };
    if (keep_right(&k, st) == GS_OK)
        GS_NOTED(match_left(&k, portion_lines, st));
    gs_band_right_release(&k.right);
    gs_band_fill_free(k.fill);
    return st->code;
}
