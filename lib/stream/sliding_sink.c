/* SPDX-License-Identifier: MIT */
/*
 * Of eps an eighth goes to the part of a block that is left out (a quarter of it, and
 * half of that by asking for the middle; for counts, all of the quarter), an eighth each
 * to the merging of levels and to what is stored, and as much again to ranks being whole
 * numbers.
 */
#include "lib/stream/sliding_sink.h"

#include <math.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

/* --- blocks ------------------------------------------------------------------------- */

static gs_code append(gs_sliding_sink *s, gs_sliding_block *to,
                      const gs_sliding_block *from, gs_status *st)
{
    return gs_sliding_block_append(s->kind, to, from, &s->spare, st);
}

/* Blocks are thinned out in one and the same place, and take no more room where they are
 * stored than those before them. */
static gs_code store(gs_sliding_sink *s, unsigned level, uint64_t number,
                     const gs_sliding_block *from, gs_status *st)
{
    gs_sliding_level *const l = &s->levels[level];
    gs_sliding_block *const to = &l->stored[number % l->capacity];
    gs_sliding_block_clear(s->kind, &s->thinned);
    GS_TRY(append(s, &s->thinned, from, st));
    GS_TRY(gs_sliding_block_prune(s->kind, &s->thinned, l->parts,
                                  gs_sum_window_parts(s->eps), st));
    s->stored_bytes -= gs_sliding_block_bytes(s->kind, to);
    GS_NOTED(gs_sliding_block_store(s->kind, to, &s->thinned, st));
    s->stored_bytes += gs_sliding_block_bytes(s->kind, to);
    return st->code;
}

static gs_code fail_full(const gs_sliding_sink *s, gs_status *st)
{
    (void)GS_FAIL(st, GS_ERR_LIMIT, 0,
                  "a window with an error of %g takes more than %zu bytes", s->eps,
                  s->memory_bytes);
    return gs_status_hint(st, "give more memory with -S, or allow a larger --eps");
}

/* --- levels ------------------------------------------------------------------------- */

gs_code gs_sliding_sink_init(gs_sliding_sink *s, gs_status *st)
{
    const double blocks = 4 / s->eps, window = (double)s->window;
    s->block_values = (size_t)fmax(1, floor(window / blocks));
    s->level_count = 1;
    while (s->level_count < GS_SLIDING_LEVELS_MAX &&
           ldexp((double)s->block_values, (int)s->level_count) <= window)
        s->level_count++;
    for (unsigned i = 0; i < s->level_count; i++) {
        gs_sliding_level *const l = &s->levels[i];
        const double values = ldexp((double)s->block_values, (int)i);
        l->parts = (uint64_t)ceil(8 * values * s->level_count / (s->eps * window));
        l->capacity = (size_t)(window / values) + 2;
        if (l->capacity > s->memory_bytes / 2 / sizeof *l->stored)
            return fail_full(s, st);
        GS_TRY(
            gs_mem_new_array(&l->stored, l->capacity, sizeof *l->stored, "blocks", st));
    }
    return GS_OK;
}

void gs_sliding_sink_release(gs_sliding_sink *s)
{
    for (unsigned i = 0; i < s->level_count; i++) {
        gs_sliding_level *const l = &s->levels[i];
        for (size_t k = 0; l->stored != NULL && k < l->capacity; k++)
            gs_sliding_block_release(s->kind, &l->stored[k]);
        gs_mem_free(l->stored);
        gs_sliding_block_release(s->kind, &l->waiting);
    }
    gs_sliding_block_release(s->kind, &s->moving);
    gs_sliding_block_release(s->kind, &s->thinned);
    gs_sliding_block_release(s->kind, &s->spare);
    gs_sliding_block_release(s->kind, &s->covered);
}

/* To how many parts what goes up is thinned out: it does on every level. */
static uint64_t parts_of_moving(const gs_sliding_sink *s)
{
    const bool has_ranks = gs_sliding_kind_has_ranks(s->kind);
    return (uint64_t)ceil(4.0 * (has_ranks ? s->level_count : 1) / s->eps);
}

/* Of the 2 eps that are between the bounds of a sum levels make one, and a half is from
 * what is stored. */
static uint64_t sum_parts_of_moving(const gs_sliding_sink *s)
{
    return (uint64_t)ceil(s->level_count / s->eps);
}

static gs_code add_block(gs_sliding_sink *s, const gs_sliding_block *block, gs_status *st)
{
    uint64_t number = s->blocks++;
    gs_sliding_block_clear(s->kind, &s->moving);
    GS_TRY(append(s, &s->moving, block, st));
    for (unsigned i = 0; i < s->level_count; i++, number /= 2) {
        gs_sliding_level *const l = &s->levels[i];
        GS_TRY(store(s, i, number, &s->moving, st));
        if (number % 2 == 0) {
            gs_sliding_block_swap(&l->waiting, &s->moving);
            return GS_OK;
        }
        GS_TRY(append(s, &l->waiting, &s->moving, st));
        gs_sliding_block_swap(&l->waiting, &s->moving);
        gs_sliding_block_clear(s->kind, &l->waiting);
        GS_TRY(gs_sliding_block_prune(s->kind, &s->moving, parts_of_moving(s),
                                      sum_parts_of_moving(s), st));
    }
    return GS_OK;
}

static size_t held_bytes(const gs_sliding_sink *s)
{
    size_t sum = s->stored_bytes + gs_sliding_block_bytes(s->kind, &s->moving);
    for (unsigned i = 0; i < s->level_count; i++) {
        const gs_sliding_level *const l = &s->levels[i];
        sum += gs_sliding_block_bytes(s->kind, &l->waiting) +
               l->capacity * sizeof *l->stored;
    }
    return sum;
}

/* --- the sink ----------------------------------------------------------------------- */

/* What a thread makes of a window. */
typedef struct window_block {
    gs_sliding_kind kind;
    gs_sliding_block block;
} window_block;

static gs_code digest(void *context, const gs_window *w, bool is_whole, void *to,
                      gs_status *st)
{
    const gs_sliding_sink *const s = context;
    window_block *const b = to;
    (void)is_whole;
    b->kind = s->kind;
    return gs_sliding_block_take(s->kind, s->type, &b->block, w, st);
}

static gs_code add(void *context, void *window, gs_status *st)
{
    gs_sliding_sink *const s = context;
    const gs_sliding_block *const b = &((const window_block *)window)->block;
    if (gs_sliding_kind_is_of_texts(s->kind) && b->texts.values != s->block_values)
        return GS_FAIL(st, GS_ERR_LIMIT, 0, "%zu values take more than %d bytes",
                       s->block_values, GS_WINDOW_TEXT_BYTES_MAX);
    GS_TRY(add_block(s, b, st));
    return held_bytes(s) <= s->memory_bytes ? GS_OK : fail_full(s, st);
}

/* The largest blocks that lie between two numbers of level 0. */
static gs_code cover(gs_sliding_sink *s, uint64_t from, uint64_t to, gs_status *st)
{
    gs_sliding_block_clear(s->kind, &s->covered);
    while (from < to) {
        unsigned level = 0;
        while (level + 1 < s->level_count && from % (UINT64_C(2) << level) == 0 &&
               from + (UINT64_C(2) << level) <= to)
            level++;
        const gs_sliding_level *const l = &s->levels[level];
        GS_TRY(append(s, &s->covered, &l->stored[(from >> level) % l->capacity], st));
        from += UINT64_C(1) << level;
    }
    return GS_OK;
}

static gs_code report(void *context, void *last, uint64_t values, bool is_end,
                      gs_status *st)
{
    gs_sliding_sink *const s = context;
    const uint64_t in_window = values < s->window ? values : s->window;
    const uint64_t in_last = values - s->blocks * s->block_values;
    const uint64_t fit = (in_window - in_last) / s->block_values;
    gs_assert(in_last <= in_window);
    GS_TRY(cover(s, s->blocks - fit, s->blocks, st));
    if (last != NULL)
        GS_TRY(append(s, &s->covered, &((const window_block *)last)->block, st));
    gs_sliding_block_rank(s->kind, &s->covered);
    const gs_sliding_all all = {.covered = &s->covered,
                                .values = values,
                                .in_window = in_window,
                                .uncovered = in_window - in_last - fit * s->block_values,
                                .bytes = held_bytes(s)};
    return s->report(s->report_context, &all, is_end, st);
}

static void release(void *window)
{
    window_block *const b = window;
    gs_sliding_block_release(b->kind, &b->block);
}

gs_value_sink gs_sliding_sink_as_sink(gs_sliding_sink *s)
{
    return (gs_value_sink){
        .context = s,
        .digest_bytes = sizeof(window_block),
        .digest = digest,
        .add = add,
        .report = report,
        .digest_release = release,
    };
}
