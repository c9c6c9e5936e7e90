/* SPDX-License-Identifier: MIT */
/*
 * Of eps a quarter goes to the merging of levels, a half to what is stored, and three
 * sixteenths to the block that is left out: half of it may be too much or too little for
 * the number of values, and a quarter for the place among them.
 */
#include "lib/stream/time_sink.h"

#include <math.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/share.h"

enum { PAIR = 2, BLOCK_VALUES_MAX = 1 << 15 };

/* What a thread makes of a window. */
typedef struct window_times {
    uint64_t *pairs; /* room for a whole block */
    size_t count;
} window_times;

gs_code gs_time_sink_init(gs_time_sink *s, gs_status *st)
{
    s->capacity = (size_t)ceil(8 / s->eps) + 2;
    const size_t fit = s->memory_bytes / 4 / s->capacity / (PAIR * sizeof *s->pairs);
    s->block_values = gs_power_below(gs_clamp(fit, 1, BLOCK_VALUES_MAX));
    const size_t pairs = s->capacity * s->block_values;
    GS_TRY(gs_mem_new_array(&s->keys, s->block_values, sizeof *s->keys, "block", st));
    return gs_mem_new_array(&s->pairs, pairs, PAIR * sizeof *s->pairs, "blocks", st);
}

void gs_time_sink_release(gs_time_sink *s)
{
    for (unsigned k = 0; k < GS_TIME_LEVELS_MAX; k++) {
        for (size_t i = 0; s->levels[k] != NULL && i < s->capacity; i++)
            gs_rank_summary_release(&s->levels[k][i].ranks);
        gs_mem_free(s->levels[k]);
        gs_rank_summary_release(&s->waiting[k].ranks);
    }
    gs_rank_summary_release(&s->moving.ranks);
    gs_rank_summary_release(&s->spare);
    gs_rank_summary_release(&s->covered.ranks);
    gs_mem_free(s->pairs);
    gs_mem_free(s->keys);
}

/* --- times -------------------------------------------------------------------------- */

static double time_of(uint64_t key)
{
    return gs_number_as_double(GS_NUMBER_F64, key);
}

/* No time is before the one that came before it. */
static void arrange(void *context, uint64_t *pairs, size_t count)
{
    gs_time_sink *const s = context;
    for (size_t i = 0; i < count; i++) {
        const double time = time_of(pairs[PAIR * i + 1]);
        if (!s->has_arranged || time > s->arranged)
            s->arranged = time;
        s->has_arranged = true;
        pairs[PAIR * i + 1] = gs_number_of_double(s->arranged);
    }
}

static bool is_in_window(const gs_time_sink *s, double time)
{
    return time > s->latest - s->seconds || time >= s->latest;
}

/* The first and the last time of some pairs. */
static void find_times(gs_time_block *b, const uint64_t *pairs, size_t count)
{
    uint64_t least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < count; i++) {
        const uint64_t key = pairs[PAIR * i + 1];
        least = key < least ? key : least;
        most = key > most ? key : most;
    }
    b->first = time_of(least);
    b->last = time_of(most);
}

/* Those of some pairs in order whose time is in the window. */
static gs_code take_part(gs_time_sink *s, const uint64_t *pairs, size_t count,
                         gs_rank_summary *to, gs_status *st)
{
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        s->keys[n] = pairs[PAIR * i];
        n += is_in_window(s, time_of(pairs[PAIR * i + 1]));
        gs_assert(n <= s->block_values);
    }
    return gs_rank_summary_take(to, s->keys, n, 1, st);
}

static gs_code take_all(gs_time_sink *s, const uint64_t *pairs, size_t count,
                        gs_rank_summary *to, gs_status *st)
{
    for (size_t i = 0; i < count; i++)
        s->keys[i] = pairs[PAIR * i];
    return gs_rank_summary_take(to, s->keys, count, 1, st);
}

/* --- levels ------------------------------------------------------------------------- */

static uint64_t *pairs_of(const gs_time_sink *s, uint64_t number)
{
    return s->pairs + number % s->capacity * s->block_values * PAIR;
}

static gs_time_block *block_at(const gs_time_sink *s, unsigned level, uint64_t number)
{
    return &s->levels[level][number % s->capacity];
}

/* To how many parts a block is thinned out that is `age` times its size old. */
static uint64_t parts_of_age(const gs_time_sink *s, uint64_t age)
{
    const double levels = log2((double)s->capacity) + 2;
    return (uint64_t)ceil(4 * levels / s->eps / (double)age);
}

static gs_code thin_out(gs_time_sink *s, gs_time_block *b, uint64_t age, gs_status *st)
{
    s->held_bytes -= b->ranks.capacity * sizeof(gs_rank_entry);
    gs_rank_summary_prune(&b->ranks, parts_of_age(s, age));
    GS_NOTED(gs_rank_summary_trim(&b->ranks, st));
    s->held_bytes += b->ranks.capacity * sizeof(gs_rank_entry);
    return st->code;
}

/* The moving block to its place; older ones become smaller. */
static gs_code store(gs_time_sink *s, unsigned level, uint64_t number, gs_status *st)
{
    if (s->levels[level] == NULL) {
        GS_TRY(gs_mem_new_array(&s->levels[level], s->capacity, sizeof *s->levels[level],
                                "blocks", st));
        s->level_count = level + 1;
    }
    gs_time_block *const to = block_at(s, level, number);
    to->first = s->moving.first;
    to->last = s->moving.last;
    s->held_bytes -= to->ranks.capacity * sizeof(gs_rank_entry);
    gs_rank_summary_release(&to->ranks);
    GS_TRY(gs_rank_summary_copy(&to->ranks, &s->moving.ranks, st));
    s->held_bytes += to->ranks.capacity * sizeof(gs_rank_entry);
    for (uint64_t age = 1; age <= number + 1 && age < s->capacity; age *= 2)
        GS_TRY(thin_out(s, block_at(s, level, number + 1 - age), age, st));
    return GS_OK;
}

static void swap(gs_rank_summary *a, gs_rank_summary *b)
{
    const gs_rank_summary other = *a;
    *a = *b;
    *b = other;
}

/* The block that is moving is of level 0 and the next one. */
static gs_code add_block(gs_time_sink *s, gs_status *st)
{
    const uint64_t parts = (uint64_t)ceil(2.0 * GS_TIME_LEVELS_MAX / s->eps);
    uint64_t number = s->blocks++;
    for (unsigned i = 0; i < GS_TIME_LEVELS_MAX; i++, number /= 2) {
        gs_time_block *const waiting = &s->waiting[i];
        GS_TRY(store(s, i, number, st));
        if (number % 2 == 0) {
            waiting->first = s->moving.first;
            swap(&waiting->ranks, &s->moving.ranks);
            return GS_OK;
        }
        GS_TRY(gs_rank_summary_merge(&s->spare, &waiting->ranks, &s->moving.ranks, st));
        swap(&s->spare, &s->moving.ranks);
        gs_rank_summary_prune(&s->moving.ranks, parts);
        s->moving.first = waiting->first;
        gs_rank_summary_release(&waiting->ranks);
    }
    return GS_FAIL(st, GS_ERR_LIMIT, 0, "these are too many values for a window of time");
}

static size_t bytes_of(const gs_time_sink *s)
{
    size_t sum = s->held_bytes + s->moving.ranks.capacity * sizeof(gs_rank_entry) +
                 s->capacity * s->block_values * PAIR * sizeof *s->pairs;
    for (unsigned i = 0; i < s->level_count; i++)
        sum += s->waiting[i].ranks.capacity * sizeof(gs_rank_entry) +
               s->capacity * sizeof *s->levels[i];
    return sum;
}

/* --- the window --------------------------------------------------------------------- */

typedef struct time_cover {
    uint64_t from;      /* the first block of level 0 that is covered */
    uint64_t part;      /* block of level 0 of which a part is; or NO_PART */
    uint64_t uncovered; /* at most so many values before `from` are in the window too */
} time_cover;

#define NO_PART UINT64_MAX

/* The first block of a level that lies in the window wholly, from `low` on. */
static uint64_t first_whole(const gs_time_sink *s, unsigned level, uint64_t low)
{
    uint64_t high = s->blocks >> level;
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (is_in_window(s, block_at(s, level, middle)->first))
            high = middle;
        else
            low = middle + 1;
    }
    return low;
}

static time_cover find_cover(const gs_time_sink *s)
{
    time_cover c = {.from = s->blocks, .part = NO_PART};
    for (unsigned level = 0; level < s->level_count; level++) {
        const uint64_t count = s->blocks >> level;
        const uint64_t oldest = count > s->capacity ? count - s->capacity : 0;
        const uint64_t whole = first_whole(s, level, oldest);
        if (whole == oldest && oldest > 0 && level + 1 < s->level_count)
            continue; /* it may reach further */
        c.from = whole << level;
        const bool has_part =
            whole > oldest && is_in_window(s, block_at(s, level, whole - 1)->last);
        if (has_part && level == 0)
            c.part = whole - 1;
        else if (has_part)
            c.uncovered = s->block_values << level;
        break;
    }
    return c;
}

static gs_code append(gs_time_sink *s, const gs_rank_summary *from, gs_status *st)
{
    GS_TRY(gs_rank_summary_merge(&s->spare, &s->covered.ranks, from, st));
    swap(&s->spare, &s->covered.ranks);
    return GS_OK;
}

/* By the largest blocks that lie between two numbers of level 0. */
static gs_code cover(gs_time_sink *s, uint64_t from, gs_status *st)
{
    while (from < s->blocks) {
        unsigned level = 0;
        while (level + 1 < s->level_count && from % (UINT64_C(2) << level) == 0 &&
               from + (UINT64_C(2) << level) <= s->blocks)
            level++;
        GS_TRY(append(s, &block_at(s, level, from >> level)->ranks, st));
        from += UINT64_C(1) << level;
    }
    return GS_OK;
}

/* --- the sink ----------------------------------------------------------------------- */

static gs_code digest(void *context, const gs_window *w, bool is_whole, void *to,
                      gs_status *st)
{
    const gs_time_sink *const s = context;
    window_times *const t = to;
    (void)is_whole;
    if (t->pairs == NULL)
        GS_TRY(gs_mem_new_array(&t->pairs, s->block_values, PAIR * sizeof *t->pairs,
                                "block", st));
    t->count = w->count;
    memcpy(t->pairs, w->keys, w->count * PAIR * sizeof *t->pairs);
    return GS_OK;
}

static gs_code add(void *context, void *window, gs_status *st)
{
    gs_time_sink *const s = context;
    const window_times *const t = window;
    gs_assert(t->count == s->block_values);
    memcpy(pairs_of(s, s->blocks), t->pairs, t->count * PAIR * sizeof *t->pairs);
    find_times(&s->moving, t->pairs, t->count);
    GS_TRY(take_all(s, t->pairs, t->count, &s->moving.ranks, st));
    GS_TRY(add_block(s, st));
    if (bytes_of(s) <= s->memory_bytes)
        return GS_OK;
    (void)GS_FAIL(st, GS_ERR_LIMIT, 0,
                  "a window with an error of %g takes more than %zu bytes", s->eps,
                  s->memory_bytes);
    return gs_status_hint(st, "give more memory with -S, or allow a larger --eps");
}

static gs_code report(void *context, void *last, uint64_t values, bool is_end,
                      gs_status *st)
{
    gs_time_sink *const s = context;
    const window_times *const t = last;
    const size_t rest = t != NULL ? t->count : 0;
    gs_time_block rest_times = {.last = 0};
    if (rest > 0)
        find_times(&rest_times, t->pairs, rest);
    else if (s->blocks > 0)
        rest_times = *block_at(s, 0, s->blocks - 1);
    s->latest = rest_times.last;
    const time_cover c = find_cover(s);
    s->covered.ranks.count = 0;
    s->covered.ranks.values = 0;
    GS_TRY(cover(s, c.from, st));
    if (c.part != NO_PART) {
        GS_TRY(take_part(s, pairs_of(s, c.part), s->block_values, &s->moving.ranks, st));
        GS_TRY(append(s, &s->moving.ranks, st));
    }
    GS_TRY(take_part(s, t != NULL ? t->pairs : NULL, rest, &s->moving.ranks, st));
    GS_TRY(append(s, &s->moving.ranks, st));
    const gs_sliding_all all = {.covered = &s->covered,
                                .values = values,
                                .in_window = s->covered.ranks.values + c.uncovered / 2,
                                .uncovered = c.uncovered / 2,
                                .window_error = (c.uncovered + 1) / 2,
                                .bytes = bytes_of(s)};
    return s->report(s->report_context, &all, is_end, st);
}

static void release(void *window)
{
    window_times *const t = window;
    gs_mem_free(t->pairs);
}

gs_value_sink gs_time_sink_as_sink(gs_time_sink *s)
{
    return (gs_value_sink){
        .context = s,
        .digest_bytes = sizeof(window_times),
        .arrange = arrange,
        .digest = digest,
        .add = add,
        .report = report,
        .digest_release = release,
    };
}
