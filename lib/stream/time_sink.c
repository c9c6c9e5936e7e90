/* SPDX-License-Identifier: MIT */
/*
 * Of eps a quarter goes to the merging of levels, a half to what is stored, and three
 * sixteenths to the block that is left out: half of it may be too much or too little for
 * the number of values, and a quarter for the place among them.
 *
 * Of counts the block that is left out takes a quarter, and as much as an eighth more
 * where it makes fewer or more values than there are the measure of what is frequent;
 * merging takes an eighth, and what is stored a half.
 */
#include "lib/stream/time_sink.h"

#include <math.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/share.h"

enum {
    PAIR = 2,
    BLOCK_VALUES_MAX = 1 << 15,
    PAIR_BYTES = 16,
    TEXT_BYTES =
        64, /* of a text with its time; where they are longer, blocks take more */
};

gs_code gs_time_sink_init(gs_time_sink *s, gs_status *st)
{
    const size_t value_bytes =
        gs_sliding_kind_is_of_texts(s->kind) ? TEXT_BYTES : PAIR_BYTES;
    s->capacity = (size_t)ceil(8 / s->eps) + 2;
    const size_t fit = s->memory_bytes / 4 / s->capacity / value_bytes;
    s->block_values = gs_power_below(gs_clamp(fit, 1, BLOCK_VALUES_MAX));
    GS_TRY(gs_mem_new_array(&s->keys, s->block_values, sizeof *s->keys, "block", st));
    return gs_mem_new_array(&s->raws, s->capacity, sizeof *s->raws, "blocks", st);
}

void gs_time_sink_release(gs_time_sink *s)
{
    for (unsigned k = 0; k < GS_TIME_LEVELS_MAX; k++) {
        for (size_t i = 0; s->levels[k] != NULL && i < s->capacity; i++)
            gs_sliding_block_release(s->kind, &s->levels[k][i].facts);
        gs_mem_free(s->levels[k]);
        gs_sliding_block_release(s->kind, &s->waiting[k].facts);
    }
    for (size_t i = 0; s->raws != NULL && i < s->capacity; i++)
        gs_time_raw_release(&s->raws[i]);
    gs_sliding_block_release(s->kind, &s->moving.facts);
    gs_sliding_block_release(s->kind, &s->spare);
    gs_sliding_block_release(s->kind, &s->covered);
    gs_mem_free(s->raws);
    gs_mem_free(s->keys);
}

/* No time is before the one that came before it. */
static void arrange(void *context, uint64_t *keys, size_t count)
{
    gs_time_sink *const s = context;
    const size_t stride = gs_sliding_kind_is_of_texts(s->kind) ? 1 : PAIR;
    for (size_t i = 0; i < count; i++) {
        uint64_t *const key = &keys[stride * i + stride - 1];
        const double time = gs_number_as_double(GS_NUMBER_F64, *key);
        if (!s->has_arranged || time > s->arranged)
            s->arranged = time;
        s->has_arranged = true;
        *key = gs_number_of_double(s->arranged);
    }
}

/* --- levels ------------------------------------------------------------------------- */

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

/* To how many what goes up: ranks are by every level, counts only once. */
static uint64_t parts_of_moving(const gs_time_sink *s)
{
    const bool has_ranks = gs_sliding_kind_has_ranks(s->kind);
    return (uint64_t)ceil((has_ranks ? 2.0 * GS_TIME_LEVELS_MAX : 8) / s->eps);
}

static size_t facts_bytes(const gs_time_sink *s, const gs_time_block *b)
{
    return gs_sliding_block_bytes(s->kind, &b->facts);
}

static gs_code thin_out(gs_time_sink *s, gs_time_block *b, uint64_t age, gs_status *st)
{
    s->held_bytes -= facts_bytes(s, b);
    GS_NOTED(gs_sliding_block_prune(s->kind, &b->facts, parts_of_age(s, age), 0, st));
    if (st->code == GS_OK)
        GS_NOTED(gs_sliding_block_trim(s->kind, &b->facts, st));
    s->held_bytes += facts_bytes(s, b);
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
    s->held_bytes -= facts_bytes(s, to);
    gs_sliding_block_release(s->kind, &to->facts);
    GS_TRY(gs_sliding_block_store(s->kind, &to->facts, &s->moving.facts, st));
    s->held_bytes += facts_bytes(s, to);
    for (uint64_t age = 1; age <= number + 1 && age < s->capacity; age *= 2)
        GS_TRY(thin_out(s, block_at(s, level, number + 1 - age), age, st));
    return GS_OK;
}

/* The block that is moving is of level 0 and the next one. */
static gs_code add_block(gs_time_sink *s, gs_status *st)
{
    gs_time_block *const moving = &s->moving;
    uint64_t number = s->blocks++;
    for (unsigned i = 0; i < GS_TIME_LEVELS_MAX; i++, number /= 2) {
        gs_time_block *const waiting = &s->waiting[i];
        GS_TRY(store(s, i, number, st));
        if (number % 2 == 0) {
            waiting->first = moving->first;
            gs_sliding_block_swap(&waiting->facts, &moving->facts);
            return GS_OK;
        }
        GS_TRY(gs_sliding_block_append(s->kind, &waiting->facts, &moving->facts,
                                       &s->spare, st));
        gs_sliding_block_swap(&waiting->facts, &moving->facts);
        GS_TRY(
            gs_sliding_block_prune(s->kind, &moving->facts, parts_of_moving(s), 0, st));
        moving->first = waiting->first;
        gs_sliding_block_release(s->kind, &waiting->facts);
    }
    return GS_FAIL(st, GS_ERR_LIMIT, 0, "these are too many values for a window of time");
}

static size_t bytes_of(const gs_time_sink *s)
{
    size_t sum =
        s->held_bytes + facts_bytes(s, &s->moving) + s->capacity * sizeof *s->raws;
    for (unsigned i = 0; i < s->level_count; i++)
        sum += facts_bytes(s, &s->waiting[i]) + s->capacity * sizeof *s->levels[i];
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
        if (gs_time_is_in(&s->window, block_at(s, level, middle)->first))
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
            whole > oldest &&
            gs_time_is_in(&s->window, block_at(s, level, whole - 1)->last);
        if (has_part && level == 0)
            c.part = whole - 1;
        else if (has_part)
            c.uncovered = s->block_values << level;
        break;
    }
    return c;
}

static gs_code append(gs_time_sink *s, const gs_sliding_block *from, gs_status *st)
{
    return gs_sliding_block_append(s->kind, &s->covered, from, &s->spare, st);
}

/* By the largest blocks that lie between two numbers of level 0. */
static gs_code cover(gs_time_sink *s, uint64_t from, gs_status *st)
{
    while (from < s->blocks) {
        unsigned level = 0;
        while (level + 1 < s->level_count && from % (UINT64_C(2) << level) == 0 &&
               from + (UINT64_C(2) << level) <= s->blocks)
            level++;
        GS_TRY(append(s, &block_at(s, level, from >> level)->facts, st));
        from += UINT64_C(1) << level;
    }
    return GS_OK;
}

/* Those of a block that are in the window. */
static gs_code append_part(gs_time_sink *s, const gs_time_raw *raw, gs_status *st)
{
    GS_TRY(gs_time_raw_take(raw, &s->window, s->kind, s->keys, &s->moving.facts, st));
    return append(s, &s->moving.facts, st);
}

/* --- the sink ----------------------------------------------------------------------- */

static gs_code digest(void *context, const gs_window *w, bool is_whole, void *to,
                      gs_status *st)
{
    const gs_time_raw raw = gs_time_raw_of(w);
    (void)context;
    (void)is_whole;
    return gs_time_raw_copy(to, &raw, st);
}

static gs_code fail_full(const gs_time_sink *s, gs_status *st)
{
    (void)GS_FAIL(st, GS_ERR_LIMIT, 0,
                  "a window with an error of %g takes more than %zu bytes", s->eps,
                  s->memory_bytes);
    return gs_status_hint(st, "give more memory with -S, or allow a larger --eps");
}

static gs_code add(void *context, void *window, gs_status *st)
{
    static const gs_time_span always = {.seconds = INFINITY};
    gs_time_sink *const s = context;
    const gs_time_raw *const came = window;
    gs_time_raw *const raw = &s->raws[s->blocks % s->capacity];
    if (came->count != s->block_values)
        return GS_FAIL(st, GS_ERR_LIMIT, 0, "%zu values take more than %d bytes",
                       s->block_values, GS_WINDOW_TEXT_BYTES_MAX);
    s->held_bytes -= gs_time_raw_bytes(raw);
    GS_TRY(gs_time_raw_copy(raw, came, st));
    s->held_bytes += gs_time_raw_bytes(raw);
    gs_time_raw_times(raw, &s->moving.first, &s->moving.last);
    GS_TRY(gs_time_raw_take(raw, &always, s->kind, s->keys, &s->moving.facts, st));
    GS_TRY(add_block(s, st));
    return bytes_of(s) <= s->memory_bytes ? GS_OK : fail_full(s, st);
}

static gs_code report(void *context, void *last, uint64_t values, bool is_end,
                      gs_status *st)
{
    gs_time_sink *const s = context;
    const gs_time_raw *const rest = last;
    double first, latest = 0;
    if (rest != NULL)
        gs_time_raw_times(rest, &first, &latest);
    else if (s->blocks > 0)
        latest = block_at(s, 0, s->blocks - 1)->last;
    s->window = (gs_time_span){latest, s->seconds};
    const time_cover c = find_cover(s);
    gs_sliding_block_clear(s->kind, &s->covered);
    GS_TRY(cover(s, c.from, st));
    if (c.part != NO_PART)
        GS_TRY(append_part(s, &s->raws[c.part % s->capacity], st));
    if (rest != NULL)
        GS_TRY(append_part(s, rest, st));
    gs_sliding_block_rank(s->kind, &s->covered);
    const gs_sliding_all all = {
        .covered = &s->covered,
        .values = values,
        .in_window = gs_sliding_block_values(s->kind, &s->covered) + c.uncovered / 2,
        .uncovered = c.uncovered / 2,
        .window_error = (c.uncovered + 1) / 2,
        .bytes = bytes_of(s)};
    return s->report(s->report_context, &all, is_end, st);
}

static void release(void *window)
{
    gs_time_raw_release(window);
}

gs_value_sink gs_time_sink_as_sink(gs_time_sink *s)
{
    return (gs_value_sink){
        .context = s,
        .digest_bytes = sizeof(gs_time_raw),
        .arrange = arrange,
        .digest = digest,
        .add = add,
        .report = report,
        .digest_release = release,
    };
}
