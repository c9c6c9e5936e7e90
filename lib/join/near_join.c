/* SPDX-License-Identifier: MIT */
#include "lib/join/near_join.h"

#include <string.h>

#include "lib/base/log.h"
#include "lib/base/machine.h"
#include "lib/base/mem.h"
#include "lib/base/share.h"
#include "lib/join/near_match.h"

enum {
    TRIES = 4,      /* at a side, with finer units each time */
    TEXT_SHARE = 4, /* the texts are at most the memory without such a part of it */
    MUCH = 4,       /* a side that has so many times the bytes is much larger */
};
static const double FEW_PARTNERS = 0.5;

typedef struct near_join {
    gs_join_job *job;
    size_t budget_bytes; /* of memory, for texts and lines */
    uint64_t input_bytes[GS_JOIN_SIDES];
    gs_join_side first, second; /* to be read: the smaller one is first */
    gs_number_side sides[GS_JOIN_SIDES];
    /* The sides' lines, and what they are moved to and fro with; who has which changes.
     */
    gs_number_line *maps[GS_JOIN_SIDES + 1];
    size_t map_lines[GS_JOIN_SIDES + 1];
    gs_number_line *scratch;
    gs_input_stamps stamps; /* of files that are copied */
    uint64_t phase_begin_ns;
    bool is_other;
} near_join;

static void set_phase(near_join *n, gs_sort_phase phase)
{
    gs_sort_stats_begin_phase(n->job->sort.stats, phase, &n->phase_begin_ns);
}

/* --- what it is for ------------------------------------------------------------- */

/* The memory that a first chunk would have. */
static size_t memory_of(const gs_join_job *job)
{
    const gs_memory_plan *const p = &job->plan;
    const size_t all = gs_join_job_sort_bytes(job);
    return p->first_soft_bytes < all ? p->first_soft_bytes : all;
}

static bool is_for_it(near_join *n)
{
    const gs_join_job *const job = n->job;
    const gs_join_options *const o = job->options;
    uint64_t left = memory_of(job);
    n->budget_bytes = (size_t)left;
    left -= left / TEXT_SHARE;
    if (!gs_join_moves_on(o->match) || gs_join_reads_tuples(o) ||
        !gs_form_is_plain(o->sort.order.form) || (o->is_auto && !o->header) ||
        job->plan.is_space_limited)
        return false;
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++) {
        if (strcmp(o->inputs[s], "-") == 0)
            return false;
        n->input_bytes[s] = gs_join_job_input_bytes(job, (gs_join_side)s);
        if (n->input_bytes[s] > left)
            return false;
        left -= n->input_bytes[s];
    }
    const bool is_left_smaller =
        n->input_bytes[GS_JOIN_LEFT] < n->input_bytes[GS_JOIN_RIGHT];
    n->first = is_left_smaller ? GS_JOIN_LEFT : GS_JOIN_RIGHT;
    n->second = is_left_smaller ? GS_JOIN_RIGHT : GS_JOIN_LEFT;
    return true;
}

/* --- reading -------------------------------------------------------------------- */

static gs_code map_lines(near_join *n, unsigned which, size_t lines, gs_status *st)
{
    n->map_lines[which] = lines;
    return gs_mem_map(&n->maps[which], lines * sizeof **n->maps, true, "numbers of lines",
                      st);
}

/* How many lines there is memory for, those of each side once, and of the longer one once
 * more. */
static size_t lines_left(const near_join *n, gs_join_side side)
{
    const uint64_t texts = n->input_bytes[GS_JOIN_LEFT] + n->input_bytes[GS_JOIN_RIGHT];
    const size_t all = (n->budget_bytes - (size_t)texts) / sizeof(gs_number_line);
    const size_t first = n->sides[n->first].count;
    if (side == n->first)
        return all / 2;
    return all >= 3 * first ? (all - first) / 2 : all - 2 * first;
}

/* A file has no more lines than half its bytes, or one, without their ends. */
static size_t line_max(const near_join *n, gs_join_side side)
{
    const size_t most = (size_t)(n->input_bytes[side] / 2 + 1);
    return gs_clamp(most, 0, lines_left(n, side));
}

/* What lines are moved to and fro with is large enough for both sides. */
static gs_code make_room(near_join *n, gs_join_side side, gs_status *st)
{
    gs_number_side *const s = &n->sides[side];
    size_t lines = line_max(n, side);
    if (side == n->first) {
        const size_t both = gs_clamp(line_max(n, n->second), lines, SIZE_MAX);
        lines = both;
        GS_TRY(map_lines(n, GS_JOIN_SIDES, both, st));
        n->scratch = n->maps[GS_JOIN_SIDES];
    }
    if (lines > n->map_lines[GS_JOIN_SIDES])
        lines = n->map_lines[GS_JOIN_SIDES];
    GS_TRY(map_lines(n, side, lines, st));
    s->lines = n->maps[side];
    s->capacity = lines;
    return GS_OK;
}

/* A failure to read is met again by those who do it in another way, and told by them. */
static void leave_to_others(near_join *n, gs_status *st)
{
    if (st->code != GS_ERR_IO && st->code != GS_ERR_FORMAT && st->code != GS_ERR_LIMIT)
        return;
    gs_status_clear(st);
    n->is_other = true;
}

/* Once with the decimals that there are, and again if they do not do. */
static gs_code read_side(near_join *n, gs_join_side side, gs_status *st)
{
    gs_number_side *const s = &n->sides[side];
    gs_sort_stats *const stats = n->job->sort.stats;
    const uint64_t read_before = stats != NULL ? atomic_load(&stats->input_bytes) : 0;
    gs_number_finding finding = GS_NUMBERS_FINER;
    GS_TRY(make_room(n, side, st));
    for (unsigned t = 0; finding == GS_NUMBERS_FINER && t < TRIES; t++) {
        const gs_number_side again = {
            .lines = s->lines, .capacity = s->capacity, .decimals = s->decimals};
        gs_number_side_release(s);
        *s = again;
        if (t > 0 && stats != NULL)
            atomic_store(&stats->input_bytes, read_before);
        GS_TRY(gs_number_side_read(s, n->job, side, &finding, st));
    }
    n->is_other = finding != GS_NUMBERS_FOUND;
    return GS_OK;
}

static gs_code take_header(near_join *n, gs_join_side side, gs_status *st)
{
    const uint8_t *header;
    size_t bytes;
    gs_line_feed_header(n->sides[side].in.feed, &header, &bytes);
    return gs_join_job_take_header(n->job, side, bytes > 0 ? header : NULL,
                                   bytes > 0 ? bytes - 1 : 0, st);
}

/* Where a file is copied somebody may write to it meanwhile, which those who read it in
 * another way are to see. */
static gs_code take_stamps(near_join *n, gs_status *st)
{
    return gs_input_stamps_take(&n->stamps, n->job->options->inputs, GS_JOIN_SIDES, st);
}

static gs_code check_stamps(near_join *n, gs_status *st)
{
    const bool is_copied =
        n->sides[GS_JOIN_LEFT].own != NULL || n->sides[GS_JOIN_RIGHT].own != NULL;
    return is_copied ? gs_input_stamps_check(&n->stamps, st) : GS_OK;
}

/* Has hardly any line of the second side, which is much larger, a partner? Then it is
 * faster to find that out while it is read, as others do (band_sieve.h). That is guessed
 * as if the numbers of the first side were as far from each other everywhere. */
static bool is_for_a_sieve(const near_join *n)
{
    const gs_join_options *const o = n->job->options;
    const gs_number_side *const s = &n->sides[n->first];
    const bool is_small = n->input_bytes[n->first] < n->input_bytes[n->second] / MUCH;
    if (!is_small || s->count == 0 || gs_join_width(o) < 0 ||
        !gs_join_job_may_leave_out(n->job, n->second))
        return false;
    const double unit = (double)gs_number_side_unit(s);
    const double width = gs_join_width(o) / unit + 1;
    const double span = (double)s->greatest - (double)s->least + 1;
    return (double)s->count * width / span < FEW_PARTNERS;
}

static gs_code read_both(near_join *n, gs_status *st)
{
    gs_number_side *const first = &n->sides[n->first];
    gs_number_side *const second = &n->sides[n->second];
    GS_TRY(take_stamps(n, st));
    GS_TRY(read_side(n, n->first, st));
    n->is_other = n->is_other || is_for_a_sieve(n);
    if (n->is_other)
        return GS_OK;
    second->decimals = first->decimals;
    GS_TRY(read_side(n, n->second, st));
    n->is_other = n->is_other || !gs_number_side_refine(first, second->decimals);
    return n->is_other ? GS_OK : check_stamps(n, st);
}

static void note_read(const near_join *n)
{
    gs_sort_stats *const stats = n->job->sort.stats;
    for (unsigned s = 0; stats != NULL && s < GS_JOIN_SIDES; s++) {
        atomic_fetch_add(&stats->records, n->sides[s].line_count);
        atomic_fetch_add(&stats->text_bytes, n->sides[s].text_bytes);
    }
}

/* --- the pairs ------------------------------------------------------------------ */

static int64_t clamp_end(gs_join_number end)
{
    const gs_join_number far = 2 * (gs_join_number)GS_NUMBER_SIDE_FAR;
    return (int64_t)(end < -far ? -far : end > far ? far : end);
}

static gs_join_number floor_of(gs_join_number number, gs_join_number unit)
{
    return number / unit - (number % unit < 0);
}

static gs_near_sides sides_of(near_join *n)
{
    const gs_join_options *const o = n->job->options;
    gs_number_side *const left = &n->sides[GS_JOIN_LEFT];
    gs_number_side *const right = &n->sides[GS_JOIN_RIGHT];
    const size_t lines = left->count + right->count +
                         (left->count > right->count ? left->count : right->count);
    const size_t taken =
        (size_t)(n->input_bytes[GS_JOIN_LEFT] + n->input_bytes[GS_JOIN_RIGHT]) +
        lines * sizeof(gs_number_line);
    const gs_join_number unit = gs_number_side_unit(left);
    return (gs_near_sides){
        .job = n->job,
        .left = left,
        .right = right,
        .match = o->match,
        .low = clamp_end(-floor_of(-o->low, unit)),
        .high = clamp_end(floor_of(o->high, unit)),
        .shelf_bytes = n->budget_bytes > taken ? n->budget_bytes - taken : 0,
    };
}

static gs_code match_all(void *context, gs_sink *sink, uint64_t ticket, gs_status *st)
{
    near_join *const n = context;
    const gs_near_sides sides = sides_of(n);
    GS_TRY(gs_near_match(&sides, sink, ticket, st));
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++)
        GS_TRY(gs_file_map_check(&n->sides[s].in.map, st));
    return GS_OK;
}

/* --- all ------------------------------------------------------------------------ */

/* Cells of the left side are sorted when somebody comes to them. */
static gs_code order_lines(near_join *n, gs_status *st)
{
    gs_team *const team = n->job->team;
    gs_number_side *const right = &n->sides[GS_JOIN_RIGHT];
    GS_TRY(gs_number_side_split(right, &n->scratch, team, st));
    GS_TRY(gs_number_cells_sort_all(&right->cells, team, st));
    return gs_number_side_split(&n->sides[GS_JOIN_LEFT], &n->scratch, team, st);
}

static gs_code run(near_join *n, gs_status *st)
{
    gs_join_job *const job = n->job;
    set_phase(n, GS_PHASE_READ);
    GS_NOTED(read_both(n, st));
    if (st->code != GS_OK)
        leave_to_others(n, st);
    if (n->is_other || st->code != GS_OK)
        return st->code;
    note_read(n);
    gs_log_say(job->sort.log, GS_LOG_INFO,
               "numbers are sorted apart from their lines, which stay where they are");
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++)
        if (job->options->header)
            GS_TRY(take_header(n, (gs_join_side)s, st));
    GS_TRY(gs_join_job_make_format(job, st));
    set_phase(n, GS_PHASE_SORT);
    GS_TRY(order_lines(n, st));
    return gs_join_job_write(job, &job->plan, job->plan.piece_bytes, match_all, n, st);
}

gs_code gs_near_join_run(gs_join_job *job, bool *is_done, uint64_t *skipped,
                         gs_status *st)
{
    near_join n = {.job = job, .phase_begin_ns = gs_machine_now_ns()};
    *is_done = false;
    *skipped = 0;
    if (!is_for_it(&n))
        return GS_OK;
    GS_NOTED(run(&n, st));
    *is_done = !n.is_other;
    if (n.is_other)
        gs_sort_stats_reset(job->sort.stats);
    set_phase(&n, GS_PHASE_SORT);
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++) {
        *skipped += n.sides[s].skipped;
        gs_number_side_release(&n.sides[s]);
    }
    for (unsigned m = 0; m <= GS_JOIN_SIDES; m++)
        gs_mem_unmap(n.maps[m], n.map_lines[m] * sizeof **n.maps);
    gs_input_stamps_release(&n.stamps);
    return st->code;
}
