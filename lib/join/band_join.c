/* SPDX-License-Identifier: MIT */
/*
 * How a band join flows.
 *
 *      left input -> numbers
 *                      | sieve
 *                      v
 *      right input -> numbers -> sorted -> kept in order, with an index --+
 *                      | sieve                                            |
 *                      v                                +-> matcher ------+--+
 *      left input -> numbers ------------> sorted ------+-> matcher ------+--+-> output
 *
 * One side after the other is sorted, in memory or by runs. Where only lines with a
 * partner count, most of the others are not sorted at all (band_sieve.h): of the left
 * side by what was read of the right one, and of that by a look at the left side before,
 * if it is not much larger: to look at a line costs a sixth of what it does to sort and
 * keep one. In order, both
 * sides are cut into portions, one a thread at a time: the right one to be kept
 * (band_fill.h), the left one to find its partners by a window that moves over that
 * (band_match.h). Nothing grows with the number of pairs.
 */
#include "lib/join/band_join.h"

#include <string.h>

#include "lib/base/log.h"
#include "lib/base/mem.h"
#include "lib/join/band_fill.h"
#include "lib/join/band_keys.h"
#include "lib/join/band_match.h"
#include "lib/join/join_first.h"
#include "lib/join/near_join.h"

enum {
    PORTIONS_MAX = 1 << 16,
    /* A thread makes some of the pairs of a portion and then waits until the portions
     * before are complete. So portions are short: all threads make pairs at the same
     * time, and these stay in a thread's cache until they are put into the stream. */
    PORTION_BYTES = 256 << 10, /* of pairs, as far as is known before, */
    PORTION_LINES_MAX = 1 << 10,
    PORTION_LINES_MIN = 1 << 4,
    /* Where right lines without a partner are asked for, each portion may go through all
     * of the right side, to set its bits. */
    SEEING_PORTIONS = 8, /* a thread */
    FILL_PORTIONS = 8,   /* a thread */
    RIGHT_SHARE = 3,     /* of the memory, for right lines; the rest are in a file */
    SIEVE_SHARE = 16,
    SIEVE_MIN = 64 << 10,
    SIEVE_OF_INPUT = 16, /* a byte for so many of input: a dozen bits a line */
    /* The left input is looked at before if it has no more than so many times the bytes
     * of the right one, */
    LOOK_TIMES = 4,
    LOOK_LEAST = 16 << 10, /* and this has so many at least. */
};

typedef struct band_join {
    gs_join_job *job;
    gs_band_key keys[GS_JOIN_SIDES];
    _Atomic uint64_t skipped;
    gs_memory_plan plan; /* of the sort that runs, */
    gs_join_side side;   /* of this side */
    gs_join_sorted *sorted;
    gs_band_sieve *of_left, *of_right; /* by their numbers; or NULL */
    gs_input_stamps seen_left;         /* the left input as it was then */
    gs_band_fill *fill;
    gs_band_right right;
    gs_band_match **matchers; /* one a worker, once it has something to do */
    gs_sink *sink;
    uint64_t first_ticket;
    atomic_size_t portions; /* begun */
} band_join;

/* Reads a side by its key, and sorts what stays. */
static gs_code read_side(band_join *b, gs_join_sorted **out,
                         const gs_sort_options *options, gs_status *st)
{
    const gs_band_key *const key = &b->keys[b->side];
    const bool sifts = key->asked != NULL || key->marked != NULL;
    gs_join_header_place place = {b->job, b->side};
    const gs_join_sorting sorting = {
        .options = options,
        .encoders = &key->encoder,
        .line_sieve = sifts ? &key->line_sieve : NULL,
        .see_header = gs_join_header_seen,
        .header_context = &place,
        .team = b->job->team,
        .plan = &b->plan,
    };
    return gs_join_sorted_new(out, &sorting, st);
}

static gs_code sort_side(band_join *b, gs_join_side side, gs_status *st)
{
    gs_join_job *const job = b->job;
    gs_band_key *const key = &b->keys[side];
    job->sort.inputs = &job->options->inputs[side];
    job->sort.input_count = 1;
    job->sort.order.record_size = job->options->tuples[side].record_size;
    b->side = side;
    GS_TRY(gs_band_key_init(key, job->options, side, &b->skipped, st));
    key->asked = side == GS_JOIN_LEFT ? b->of_right : b->of_left;
    key->marked = side == GS_JOIN_LEFT ? NULL : b->of_right;
    GS_TRY(read_side(b, &b->sorted, &job->sort, st));
    if (!job->options->header)
        return GS_OK;
    size_t bytes = 0;
    const uint8_t *const header = gs_join_sorted_header(b->sorted, 0, &bytes);
    return gs_join_job_take_header(job, side, header, bytes, st);
}

/* Reads the left side for its numbers alone. Nothing of it is kept, nor counted. */
static gs_code look_at_left(band_join *b, gs_status *st)
{
    gs_join_job *const job = b->job;
    gs_band_key *const key = &b->keys[GS_JOIN_LEFT];
    gs_join_sorted *nothing = NULL;
    gs_sort_options options = job->sort;
    options.inputs = &job->options->inputs[GS_JOIN_LEFT];
    options.input_count = 1;
    options.stats = NULL;
    options.order.record_size = job->options->tuples[GS_JOIN_LEFT].record_size;
    b->side = GS_JOIN_LEFT;
    GS_TRY(gs_input_stamps_take(&b->seen_left, options.inputs, 1, st));
    GS_TRY(gs_band_key_init(key, job->options, GS_JOIN_LEFT, NULL, st));
    key->marked = b->of_left;
    key->is_look = true;
    GS_NOTED(read_side(b, &nothing, &options, st));
    gs_join_sorted_free(nothing);
    gs_band_key_release(key);
    return st->code;
}

/* --- the right side ------------------------------------------------------------- */

static gs_code begin_right(void *context, unsigned worker, size_t portion, gs_status *st)
{
    const band_join *const b = context;
    gs_band_fill_begin(b->fill, worker, portion);
    return st->code;
}

static gs_code add_right(void *context, unsigned worker, const gs_run_cursor *record,
                         gs_status *st)
{
    const band_join *const b = context;
    return gs_band_fill_add(b->fill, worker, gs_join_number_decode(record->data),
                            record->data + record->key_bytes,
                            record->length - record->key_bytes, st);
}

static gs_code end_right(void *context, unsigned worker, gs_status *st)
{
    const band_join *const b = context;
    gs_band_fill_end(b->fill, worker);
    return st->code;
}

static void abandon_right(void *context, unsigned worker, const gs_status *why)
{
    (void)context, (void)worker, (void)why;
}

/* Any two records may lie in two portions. */
static size_t kept_together(const uint8_t *key, size_t bytes)
{
    (void)key;
    return bytes;
}

/* A sieve of the numbers of a side; adds what it takes. */
static gs_code open_sieve(const band_join *b, gs_join_side of, size_t memory_bytes,
                          size_t *taken, gs_band_sieve **sieve, gs_status *st)
{
    const gs_join_options *const o = b->job->options;
    const uint64_t input = gs_join_job_input_bytes(b->job, of);
    const size_t most = memory_bytes / SIEVE_SHARE;
    size_t bytes =
        input / SIEVE_OF_INPUT < most ? (size_t)(input / SIEVE_OF_INPUT) : most;
    if (bytes < SIEVE_MIN)
        bytes = SIEVE_MIN;
    *taken += bytes;
    return of == GS_JOIN_LEFT ? gs_band_sieve_new(sieve, o->low, o->high, bytes, st)
                              : gs_band_sieve_new(sieve, -o->high, -o->low, bytes, st);
}

/* Nothing is gained where an end of the band is open: nearly all lines have partners. */
static gs_code open_sieves(band_join *b, size_t memory_bytes, size_t *taken,
                           gs_status *st)
{
    const gs_join_job *const job = b->job;
    const gs_join_options *const o = job->options;
    const uint64_t left = gs_join_job_input_bytes(job, GS_JOIN_LEFT);
    const uint64_t right = gs_join_job_input_bytes(job, GS_JOIN_RIGHT);
    *taken = 0;
    if (gs_join_width(o) < 0 || o->low == -GS_JOIN_NUMBER_FAR ||
        o->high == GS_JOIN_NUMBER_FAR)
        return GS_OK;
    if (gs_join_job_may_leave_out(job, GS_JOIN_LEFT))
        GS_TRY(open_sieve(b, GS_JOIN_RIGHT, memory_bytes, taken, &b->of_right, st));
    const bool is_worth_it = right >= LOOK_LEAST && left < UINT64_MAX &&
                             left / LOOK_TIMES <= right &&
                             strcmp(o->inputs[GS_JOIN_LEFT], "-") != 0;
    return is_worth_it && gs_join_job_may_leave_out(job, GS_JOIN_RIGHT)
               ? open_sieve(b, GS_JOIN_LEFT, memory_bytes, taken, &b->of_left, st)
               : GS_OK;
}

/* What is in order goes to the shelf, all threads together. */
static gs_code fill_right(band_join *b, gs_status *st)
{
    gs_join_job *const job = b->job;
    const unsigned workers = gs_team_workers(job->team);
    const gs_range_consumer consumer = {
        .portion_max = FILL_PORTIONS * (size_t)workers,
        .kept_together = kept_together,
        .begin = begin_right,
        .add = add_right,
        .end = end_right,
        .abandon = abandon_right,
        .context = b,
    };
    GS_TRY(gs_band_fill_new(&b->fill, &job->format, &job->store, workers,
                            consumer.portion_max, st));
    GS_TRY(gs_join_sorted_consume(b->sorted, &consumer, true, st));
    gs_join_sorted_free(b->sorted);
    b->sorted = NULL;
    return gs_band_fill_join(b->fill, &b->right, st);
}

/* Sorts it, and keeps it; only that memory, and *taken for sieves, is taken when this
 * returns. */
static gs_code keep_right(band_join *b, size_t *taken, gs_status *st)
{
    gs_join_job *const job = b->job;
    const size_t all = gs_join_job_sort_bytes(job), share = all / RIGHT_SHARE;
    GS_TRY(open_sieves(b, all, taken, st));
    b->plan = gs_join_job_plan_less(job, share + *taken);
    job->store.memory_bytes = share;
    b->right = (gs_band_right){.format = &job->format, .shelf = {.store = &job->store}};
    if (b->of_left != NULL)
        GS_TRY(look_at_left(b, st));
    GS_TRY(sort_side(b, GS_JOIN_RIGHT, st));
    gs_band_sieve_free(b->of_left);
    b->of_left = NULL;
    if (!job->options->header && job->options->is_auto)
        GS_TRY(gs_join_first_find(b->sorted, GS_JOIN_RIGHT, job->options, job->first,
                                  job->has_first, st));
    GS_TRY(gs_join_job_make_format(job, st));
    GS_TRY(fill_right(b, st));
    return gs_band_right_end(&b->right, st);
}

/* --- the left side -------------------------------------------------------------- */

static gs_code begin_left(void *context, unsigned worker, size_t portion, gs_status *st)
{
    band_join *const b = context;
    if (b->matchers[worker] == NULL)
        GS_TRY(gs_band_match_new(&b->matchers[worker], &b->job->format, &b->right,
                                 b->sink, st));
    atomic_fetch_add(&b->portions, 1);
    gs_band_match_begin(b->matchers[worker], b->first_ticket + portion);
    return GS_OK;
}

static gs_code add_left(void *context, unsigned worker, const gs_run_cursor *record,
                        gs_status *st)
{
    const band_join *const b = context;
    return gs_band_match_add(b->matchers[worker], gs_join_number_decode(record->data),
                             record->data + record->key_bytes,
                             record->length - record->key_bytes, st);
}

static gs_code end_left(void *context, unsigned worker, gs_status *st)
{
    const band_join *const b = context;
    return gs_band_match_end(b->matchers[worker], st);
}

static void abandon_left(void *context, unsigned worker, const gs_status *why)
{
    const band_join *const b = context;
    (void)worker;
    if (why->code != GS_OK)
        gs_stream_abort(b->sink->stream, why);
}

/* Behind all portions. */
static gs_code show_unpaired(band_join *b, gs_status *st)
{
    GS_TRY(begin_left(b, 0, atomic_load(&b->portions), st));
    GS_NOTED(gs_band_match_unpaired(b->matchers[0], st));
    if (st->code == GS_OK)
        GS_NOTED(end_left(b, 0, st));
    if (st->code != GS_OK)
        abandon_left(b, 0, st);
    return st->code;
}

/* How many left lines have pairs of PORTION_BYTES, if right numbers were as far from each
 * other everywhere. */
static size_t choose_portion_lines(const band_join *b)
{
    const gs_join_options *const o = b->job->options;
    const gs_band_right *const right = &b->right;
    if (!o->shows_pairs || right->index_count < 2 || gs_join_width(o) < 0)
        return PORTION_LINES_MAX;
    const double span =
        (double)(right->index[right->index_count - 1].number - right->index[0].number);
    const double width = gs_join_width(o);
    /* A pair is some two right lines as they are kept. */
    const double kept =
        2.0 * (double)b->job->store.block_bytes * (double)right->index_count;
    const double bytes = width < span ? kept * (width / span) : kept;
    const double lines = PORTION_BYTES / bytes;
    return lines > PORTION_LINES_MAX   ? PORTION_LINES_MAX
           : lines < PORTION_LINES_MIN ? PORTION_LINES_MIN
                                       : (size_t)lines;
}

static gs_code match_all(void *context, gs_sink *sink, uint64_t ticket, gs_status *st)
{
    band_join *const b = context;
    const bool sees = b->right.seen != NULL;
    const unsigned workers = gs_team_workers(b->job->team);
    const gs_range_consumer consumer = {
        .portion_max = sees ? SEEING_PORTIONS * workers : PORTIONS_MAX,
        .portion_records = sees ? 0 : choose_portion_lines(b),
        .kept_together = kept_together,
        .begin = begin_left,
        .add = add_left,
        .end = end_left,
        .abandon = abandon_left,
        .context = b,
    };
    b->sink = sink;
    b->first_ticket = ticket;
    GS_NOTED(gs_join_sorted_consume(b->sorted, &consumer, true, st));
    if (st->code == GS_OK && sees)
        GS_NOTED(show_unpaired(b, st));
    for (unsigned w = 0; w < workers; w++) {
        gs_band_match_free(b->matchers[w]);
        b->matchers[w] = NULL;
    }
    return st->code;
}

/* --- all ------------------------------------------------------------------------ */

static gs_code sort_left(band_join *b, size_t sieve_bytes, gs_status *st)
{
    gs_join_job *const job = b->job;
    const size_t all = gs_join_job_sort_bytes(job),
                 taken = gs_band_right_bytes(&b->right) + sieve_bytes;
    b->plan = gs_join_job_plan_less(job, taken < all / 2 ? taken : all / 2);
    GS_TRY(sort_side(b, GS_JOIN_LEFT, st));
    if (!job->options->header && job->options->is_auto)
        GS_TRY(gs_join_first_find(b->sorted, GS_JOIN_LEFT, job->options, job->first,
                                  job->has_first, st));
    return gs_join_job_make_format(job, st);
}

static gs_code run(band_join *b, gs_status *st)
{
    bool is_done;
    uint64_t skipped;
    GS_TRY(gs_near_join_run(b->job, &is_done, &skipped, st));
    if (is_done) {
        atomic_store(&b->skipped, skipped);
        return GS_OK;
    }
    GS_TRY(gs_mem_new_array(&b->matchers, gs_team_workers(b->job->team),
                            sizeof *b->matchers, "matchers", st));
    size_t sieve_bytes;
    GS_TRY(keep_right(b, &sieve_bytes, st));
    GS_TRY(sort_left(b, sieve_bytes, st));
    if (b->seen_left.count > 0)
        GS_TRY(gs_input_stamps_check(&b->seen_left, st));
    return gs_join_job_write(b->job, &b->plan, gs_join_sorted_piece_bytes(b->sorted),
                             match_all, b, st);
}

gs_code gs_band_join_run(gs_join_job *job, gs_status *st)
{
    band_join b = {.job = job};
    GS_NOTED(run(&b, st));
    gs_join_sorted_free(b.sorted);
    gs_band_right_release(&b.right);
    gs_band_fill_free(b.fill);
    gs_band_sieve_free(b.of_left);
    gs_band_sieve_free(b.of_right);
    gs_input_stamps_release(&b.seen_left);
    gs_mem_free(b.matchers);
    for (unsigned s = 0; s < GS_JOIN_SIDES; s++)
        gs_band_key_release(&b.keys[s]);
    const unsigned long long skipped = atomic_load(&b.skipped);
    if (st->code == GS_OK && skipped > 0)
        gs_log_say(job->sort.log, GS_LOG_WARNING,
                   "lines left out, whose key is no number: %llu", skipped);
    return st->code;
}
