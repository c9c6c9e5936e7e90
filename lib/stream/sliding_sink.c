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

static void release_block(gs_sliding_block *b)
{
    gs_rank_summary_release(&b->ranks);
    gs_count_summary_release(&b->numbers);
    gs_text_counts_release(&b->texts);
    gs_pair_facts_release(&b->pairs);
}

static void clear_block(gs_sliding_block *b)
{
    b->ranks.count = b->numbers.count = 0;
    b->ranks.values = b->numbers.values = b->numbers.lost = 0;
    gs_text_counts_reset(&b->texts);
    b->pairs.values = b->pairs.ranks.values = 0;
    b->pairs.x_sum = b->pairs.sums.totals[0] = b->pairs.sums.totals[1] = 0;
    b->pairs.ranks.count = b->pairs.sums.count = 0;
}

static size_t block_bytes(const gs_sliding_block *b)
{
    return (b->ranks.capacity + b->pairs.ranks.capacity) * sizeof(gs_rank_entry) +
           b->pairs.sums.capacity * sizeof(gs_sum_entry) +
           gs_count_summary_bytes(&b->numbers) + gs_text_counts_bytes(&b->texts);
}

static void swap(gs_sliding_block *a, gs_sliding_block *b)
{
    const gs_sliding_block other = *a;
    *a = *b;
    *b = other;
}

static gs_code append_pairs(gs_sliding_sink *s, gs_pair_facts *to,
                            const gs_pair_facts *from, gs_status *st)
{
    gs_pair_facts *const both = &s->spare.pairs;
    GS_TRY(gs_sum_summary_merge(&both->sums, &to->sums, &from->sums, st));
    GS_TRY(gs_rank_summary_merge(&both->ranks, &to->ranks, &from->ranks, st));
    both->values = 0;
    both->x_sum = 0;
    gs_pair_facts_add(both, to);
    gs_pair_facts_add(both, from);
    return GS_OK;
}

/* Adds what `from` knows to `to`. */
static gs_code append(gs_sliding_sink *s, gs_sliding_block *to,
                      const gs_sliding_block *from, gs_status *st)
{
    switch (s->kind) {
    case GS_SLIDING_RANKS:
        GS_TRY(gs_rank_summary_merge(&s->spare.ranks, &to->ranks, &from->ranks, st));
        break;
    case GS_SLIDING_NUMBERS:
        GS_TRY(
            gs_count_summary_merge(&s->spare.numbers, &to->numbers, &from->numbers, st));
        break;
    case GS_SLIDING_TEXTS: return gs_text_counts_merge(&to->texts, &from->texts, st);
    case GS_SLIDING_SUMS:
    case GS_SLIDING_SUMS_AND_RANKS:
        GS_TRY(append_pairs(s, &to->pairs, &from->pairs, st));
        break;
    }
    swap(to, &s->spare);
    return GS_OK;
}

static bool is_of_pairs(const gs_sliding_sink *s)
{
    return s->kind == GS_SLIDING_SUMS || s->kind == GS_SLIDING_SUMS_AND_RANKS;
}

/* `parts` are ranks between which there is one entry, or counters; sums have their own.
 */
static gs_code prune(const gs_sliding_sink *s, gs_sliding_block *b, uint64_t parts,
                     uint64_t sum_parts, gs_status *st)
{
    switch (s->kind) {
    case GS_SLIDING_RANKS: gs_rank_summary_prune(&b->ranks, parts); break;
    case GS_SLIDING_NUMBERS: return gs_count_summary_prune(&b->numbers, parts, st);
    case GS_SLIDING_TEXTS: return gs_text_counts_prune(&b->texts, parts, st);
    case GS_SLIDING_SUMS:
    case GS_SLIDING_SUMS_AND_RANKS:
        gs_rank_summary_prune(&b->pairs.ranks, parts);
        gs_sum_summary_prune(&b->pairs.sums, sum_parts);
        break;
    }
    return GS_OK;
}

/* `to` keeps its memory. */
static gs_code copy_block(const gs_sliding_sink *s, gs_sliding_block *to,
                          const gs_sliding_block *from, gs_status *st)
{
    switch (s->kind) {
    case GS_SLIDING_RANKS: return gs_rank_summary_copy(&to->ranks, &from->ranks, st);
    case GS_SLIDING_NUMBERS:
        return gs_count_summary_copy(&to->numbers, &from->numbers, st);
    case GS_SLIDING_TEXTS:
        gs_text_counts_reset(&to->texts);
        return gs_text_counts_merge(&to->texts, &from->texts, st);
    case GS_SLIDING_SUMS:
    case GS_SLIDING_SUMS_AND_RANKS: break;
    }
    to->pairs.values = 0;
    to->pairs.x_sum = 0;
    gs_pair_facts_add(&to->pairs, &from->pairs);
    GS_TRY(gs_rank_summary_copy(&to->pairs.ranks, &from->pairs.ranks, st));
    return gs_sum_summary_copy(&to->pairs.sums, &from->pairs.sums, st);
}

/* Blocks are thinned out in one and the same place, and take no more room where they are
 * stored than those before them. */
static gs_code store(gs_sliding_sink *s, unsigned level, uint64_t number,
                     const gs_sliding_block *from, gs_status *st)
{
    gs_sliding_level *const l = &s->levels[level];
    gs_sliding_block *const to = &l->stored[number % l->capacity];
    clear_block(&s->thinned);
    GS_TRY(append(s, &s->thinned, from, st));
    GS_TRY(prune(s, &s->thinned, l->parts, gs_sum_window_parts(s->eps), st));
    s->stored_bytes -= block_bytes(to);
    GS_NOTED(copy_block(s, to, &s->thinned, st));
    s->stored_bytes += block_bytes(to);
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
            release_block(&l->stored[k]);
        gs_mem_free(l->stored);
        release_block(&l->waiting);
    }
    release_block(&s->moving);
    release_block(&s->thinned);
    release_block(&s->spare);
    release_block(&s->covered);
}

/* To how many parts what goes up is thinned out: it does on every level. */
static uint64_t parts_of_moving(const gs_sliding_sink *s)
{
    const bool is_of_ranks = s->kind == GS_SLIDING_RANKS || is_of_pairs(s);
    return (uint64_t)ceil(4.0 * (is_of_ranks ? s->level_count : 1) / s->eps);
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
    clear_block(&s->moving);
    GS_TRY(append(s, &s->moving, block, st));
    for (unsigned i = 0; i < s->level_count; i++, number /= 2) {
        gs_sliding_level *const l = &s->levels[i];
        GS_TRY(store(s, i, number, &s->moving, st));
        if (number % 2 == 0) {
            swap(&l->waiting, &s->moving);
            return GS_OK;
        }
        GS_TRY(append(s, &l->waiting, &s->moving, st));
        swap(&l->waiting, &s->moving);
        clear_block(&l->waiting);
        GS_TRY(prune(s, &s->moving, parts_of_moving(s), sum_parts_of_moving(s), st));
    }
    return GS_OK;
}

static size_t held_bytes(const gs_sliding_sink *s)
{
    size_t sum = s->stored_bytes + block_bytes(&s->moving);
    for (unsigned i = 0; i < s->level_count; i++) {
        const gs_sliding_level *const l = &s->levels[i];
        sum += block_bytes(&l->waiting) + l->capacity * sizeof *l->stored;
    }
    return sum;
}

/* --- the sink ----------------------------------------------------------------------- */

static gs_code digest(void *context, const gs_window *w, bool is_whole, void *to,
                      gs_status *st)
{
    const gs_sliding_sink *const s = context;
    gs_sliding_block *const b = to;
    (void)is_whole;
    switch (s->kind) {
    case GS_SLIDING_RANKS:
        return gs_rank_summary_take(&b->ranks, w->keys, w->count, 1, st);
    case GS_SLIDING_NUMBERS:
        return gs_count_summary_take(&b->numbers, w->keys, w->count, st);
    case GS_SLIDING_SUMS:
    case GS_SLIDING_SUMS_AND_RANKS:
        return gs_pair_facts_take(&b->pairs, s->type, w,
                                  s->kind == GS_SLIDING_SUMS_AND_RANKS, &b->pairs.sums,
                                  st);
    case GS_SLIDING_TEXTS: break;
    }
    gs_text_counts_reset(&b->texts);
    return gs_text_counts_add_all(&b->texts, w->texts, w->ends, w->count, st);
}

static gs_code add(void *context, void *block, gs_status *st)
{
    gs_sliding_sink *const s = context;
    const gs_sliding_block *const b = block;
    if (s->kind == GS_SLIDING_TEXTS && b->texts.values != s->block_values)
        return GS_FAIL(st, GS_ERR_LIMIT, 0, "%zu values take more than %d bytes",
                       s->block_values, GS_WINDOW_TEXT_BYTES_MAX);
    GS_TRY(add_block(s, block, st));
    return held_bytes(s) <= s->memory_bytes ? GS_OK : fail_full(s, st);
}

/* The largest blocks that lie between two numbers of level 0. */
static gs_code cover(gs_sliding_sink *s, uint64_t from, uint64_t to, gs_status *st)
{
    clear_block(&s->covered);
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
        GS_TRY(append(s, &s->covered, last, st));
    if (s->kind == GS_SLIDING_NUMBERS)
        gs_count_summary_rank(&s->covered.numbers);
    if (s->kind == GS_SLIDING_TEXTS)
        gs_text_counts_rank(&s->covered.texts);
    const gs_sliding_all all = {.covered = &s->covered,
                                .values = values,
                                .in_window = in_window,
                                .uncovered = in_window - in_last - fit * s->block_values,
                                .bytes = held_bytes(s)};
    return s->report(s->report_context, &all, is_end, st);
}

static void release(void *block)
{
    release_block(block);
}

gs_value_sink gs_sliding_sink_as_sink(gs_sliding_sink *s)
{
    return (gs_value_sink){
        .context = s,
        .digest_bytes = sizeof(gs_sliding_block),
        .digest = digest,
        .add = add,
        .report = report,
        .digest_release = release,
    };
}
