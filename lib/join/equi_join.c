/* SPDX-License-Identifier: MIT */
/*
 * How a join of equal keys flows.
 *
 *      one input ----+-> keys -+                               +-> matcher --+
 *                    v         +-> sorted: in memory or runs --+-> matcher --+-> output
 *                  filter      |                               +-> matcher --+
 *                    v         |
 *      the other ----+-> keys -+
 *
 * Both inputs are sorted as one (join_keys.h), so that there is one plan of the memory
 * and one merge. Where only lines with a partner count, most of the others never get
 * there (join_filter.h); of inputs about as large as each other the keys of the second
 * one are looked at before, so that this is so of the first one too. What comes out of it
 * in order is cut into portions between two keys, one a thread at a time, and goes
 * through a matcher (join_match.h) into the text.
 */
#include "lib/join/equi_join.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/join/join_filter.h"
#include "lib/join/join_first.h"
#include "lib/join/join_keys.h"
#include "lib/join/join_match.h"

enum {
    PORTIONS_MAX = 1 << 16,
    SHELF_SHARE = 8, /* of the memory for the lines of one key, of all threads */
    FILTER_SHARE = 8,
    FILTER_MIN = 64 << 10,
    FILTER_OF_INPUT = 16, /* a byte of it for so many of input: a dozen bits a line */
    /* The second input is looked at before if it has no more than so many times the bytes
     * of the first one: a look costs a quarter of what sorting a line does. */
    LOOK_TIMES = 2,
    LOOK_LEAST = 32 << 10, /* and the first has so many at least */
};

typedef struct equi_join {
    gs_join_job *job;
    /* Which of the inputs that are sorted as one is which. */
    gs_join_side side_of_input[GS_JOIN_SIDES];
    const char *inputs[GS_JOIN_SIDES];
    size_t record_sizes[GS_JOIN_SIDES]; /* of tuples */
    gs_join_filter *filter;             /* of keys of the first input; or NULL */
    gs_join_filter *later;      /* of those of the second, looked at before; or NULL */
    gs_input_stamps seen_later; /* the second input as it was then */
    gs_record_sieve sieve;      /* of both */
    bool is_looking;            /* at the second input alone */
    gs_join_side_key keys[GS_JOIN_SIDES]; /* input by input, as are these */
    gs_key_encoder *encoders[GS_JOIN_SIDES];
    gs_memory_plan plan;
    gs_join_sorted *sorted;
    gs_join_match **matchers; /* one a worker, once it has something to do */
    gs_sink *sink;
    uint64_t first_ticket;
} equi_join;

/* The input that is read first tells which lines of the other are needed: that is the
 * larger one, if it may be either. */
static void choose_inputs(equi_join *e)
{
    const gs_join_options *const o = e->job->options;
    const bool left_may = gs_join_job_may_leave_out(e->job, GS_JOIN_LEFT);
    const bool right_may = gs_join_job_may_leave_out(e->job, GS_JOIN_RIGHT);
    const bool left_is_first =
        right_may && (!left_may || gs_join_job_input_bytes(e->job, GS_JOIN_LEFT) <
                                       gs_join_job_input_bytes(e->job, GS_JOIN_RIGHT));
    e->side_of_input[0] = left_is_first ? GS_JOIN_LEFT : GS_JOIN_RIGHT;
    e->side_of_input[1] = left_is_first ? GS_JOIN_RIGHT : GS_JOIN_LEFT;
    for (unsigned i = 0; i < GS_JOIN_SIDES; i++)
        e->inputs[i] = o->inputs[e->side_of_input[i]];
}

/* Adds the keys of what stays. */
static void add_staying(gs_join_filter *filter, const gs_sieve_string *strings,
                        size_t count, const bool *stays)
{
    gs_sieve_string kept[GS_SIEVE_STRINGS];
    bool all_stay[GS_SIEVE_STRINGS];
    size_t n = 0;
    for (size_t i = 0; i < count; i++) {
        kept[n] = strings[i];
        n += stays[i];
    }
    gs_join_filter_sift(filter, 0, kept, n, all_stay);
}

/* The sieve: of lines of each input those stay that may have a partner in the other. */
static void sift(void *context, size_t input, const gs_sieve_string *strings,
                 size_t count, bool *stays)
{
    const equi_join *const e = context;
    if (e->is_looking) {
        gs_join_filter_sift(e->later, 0, strings, count, stays);
        memset(stays, 0, count * sizeof *stays);
    } else if (input > 0 || e->later == NULL) {
        gs_join_filter_sift(e->filter, input, strings, count, stays);
    } else {
        gs_join_filter_sift(e->later, 1, strings, count, stays);
        add_staying(e->filter, strings, count, stays);
    }
}

/* A filter for the keys of an input of so many bytes; adds what it takes. */
static gs_code open_filter(gs_join_filter **filter, uint64_t input_bytes,
                           size_t memory_bytes, size_t *taken, gs_status *st)
{
    const size_t most = memory_bytes / FILTER_SHARE;
    size_t bytes = input_bytes / FILTER_OF_INPUT < most
                       ? (size_t)(input_bytes / FILTER_OF_INPUT)
                       : most;
    if (bytes < FILTER_MIN)
        bytes = FILTER_MIN;
    *taken += bytes;
    return gs_join_filter_new(filter, bytes, st);
}

static gs_code open_filters(equi_join *e, size_t memory_bytes, size_t *taken,
                            gs_status *st)
{
    gs_join_job *const job = e->job;
    *taken = 0;
    if (!gs_join_job_may_leave_out(job, e->side_of_input[1]))
        return GS_OK;
    const uint64_t first = gs_join_job_input_bytes(job, e->side_of_input[0]);
    const uint64_t second = gs_join_job_input_bytes(job, e->side_of_input[1]);
    GS_TRY(open_filter(&e->filter, first, memory_bytes, taken, st));
    e->sieve = (gs_record_sieve){.sift = sift, .context = e};
    const bool is_worth_it = first >= LOOK_LEAST && first < UINT64_MAX &&
                             second / LOOK_TIMES <= first &&
                             strcmp(e->inputs[1], "-") != 0;
    if (!is_worth_it || !gs_join_job_may_leave_out(job, e->side_of_input[0]))
        return GS_OK;
    GS_TRY(open_filter(&e->later, second, memory_bytes, taken, st));
    return gs_input_stamps_take(&e->seen_later, &e->inputs[1], 1, st);
}

static gs_code prepare(equi_join *e, gs_status *st)
{
    gs_join_job *const job = e->job;
    choose_inputs(e);
    job->sort.inputs = e->inputs;
    job->sort.input_count = GS_JOIN_SIDES;
    if (gs_join_reads_tuples(job->options)) {
        job->sort.order.record_size = job->options->tuples[GS_JOIN_LEFT].record_size;
        job->sort.input_record_sizes = e->record_sizes;
    }
    for (unsigned i = 0; i < GS_JOIN_SIDES; i++) {
        e->record_sizes[i] = job->options->tuples[e->side_of_input[i]].record_size;
        GS_TRY(gs_join_side_key_init(&e->keys[i], job->options, e->side_of_input[i], st));
        e->encoders[i] = e->keys[i].encoder;
    }
    /* What the sort takes, less what the lines of a key may; of that the other half is
     * for what is made of them. */
    const size_t all = gs_join_job_sort_bytes(job), share = all / SHELF_SHARE;
    size_t filter;
    GS_TRY(open_filters(e, all, &filter, st));
    e->plan = gs_join_job_plan_less(job, share + filter);
    job->store.memory_bytes = share / 2;
    return gs_mem_new_array(&e->matchers, gs_team_workers(job->team), sizeof *e->matchers,
                            "matchers", st);
}

/* Of an input: from now on its lines get keys. */
static gs_code see_header(void *context, size_t input, const uint8_t *header,
                          size_t bytes, gs_status *st)
{
    equi_join *const e = context;
    input += e->is_looking;
    const gs_join_side side = e->side_of_input[input];
    GS_TRY(gs_join_job_see_header(e->job, side, header, bytes, st));
    return gs_join_side_key_place(&e->keys[input], e->job->options, side, st);
}

/* Reads the second input for its keys alone. Nothing of it is kept, nor counted. */
static gs_code look_at_second(equi_join *e, gs_status *st)
{
    gs_join_job *const job = e->job;
    gs_sort_options options = job->sort;
    options.inputs = &e->inputs[1];
    options.input_count = 1;
    options.stats = NULL;
    if (options.input_record_sizes != NULL)
        options.input_record_sizes = &e->record_sizes[1];
    const gs_join_sorting sorting = {
        .options = &options,
        .encoders = &e->encoders[1],
        .sieve = &e->sieve,
        .see_header = see_header,
        .header_context = e,
        .team = job->team,
        .plan = &e->plan,
    };
    gs_join_sorted *nothing = NULL;
    e->is_looking = true;
    GS_NOTED(gs_join_sorted_new(&nothing, &sorting, st));
    gs_join_sorted_free(nothing);
    e->is_looking = false;
    return st->code;
}

/* Reads and sorts both. */
static gs_code sort(equi_join *e, gs_status *st)
{
    gs_join_job *const job = e->job;
    const gs_join_sorting sorting = {
        .options = &job->sort,
        .encoders = e->encoders,
        .sieve = e->filter != NULL ? &e->sieve : NULL,
        .see_header = see_header,
        .header_context = e,
        .team = job->team,
        .plan = &e->plan,
    };
    if (e->later != NULL)
        GS_TRY(look_at_second(e, st));
    GS_TRY(gs_join_sorted_new(&e->sorted, &sorting, st));
    const bool was_seen = e->later != NULL;
    gs_join_filter_free(e->filter);
    gs_join_filter_free(e->later);
    e->filter = e->later = NULL;
    return was_seen ? gs_input_stamps_check(&e->seen_later, st) : GS_OK;
}

static gs_code make_format(const equi_join *e, gs_status *st)
{
    gs_join_job *const job = e->job;
    const gs_join_options *const o = job->options;
    for (unsigned i = 0; o->header && i < GS_JOIN_SIDES; i++) {
        size_t bytes = 0;
        const uint8_t *const header = gs_join_sorted_header(e->sorted, i, &bytes);
        GS_TRY(gs_join_job_take_header(job, e->side_of_input[i], header, bytes, st));
    }
    if (!o->header && o->is_auto)
        GS_TRY(gs_join_first_find(e->sorted, GS_JOIN_SIDES, o, job->first, job->has_first,
                                  st));
    return gs_join_job_make_format(job, st);
}

/* --- matching ------------------------------------------------------------------- */

static gs_code begin_portion(void *context, unsigned worker, size_t portion,
                             gs_status *st)
{
    equi_join *const e = context;
    if (e->matchers[worker] == NULL)
        GS_TRY(gs_join_match_new(&e->matchers[worker], &e->job->format, &e->job->store,
                                 e->sink, st));
    gs_join_match_begin(e->matchers[worker], e->first_ticket + portion);
    return GS_OK;
}

static gs_code add_record(void *context, unsigned worker, const gs_run_cursor *record,
                          gs_status *st)
{
    const equi_join *const e = context;
    return gs_join_match_add(e->matchers[worker], record->data, record->key_bytes,
                             record->data + record->key_bytes,
                             record->length - record->key_bytes, st);
}

static gs_code end_portion(void *context, unsigned worker, gs_status *st)
{
    const equi_join *const e = context;
    return gs_join_match_end(e->matchers[worker], st);
}

static void abandon_portion(void *context, unsigned worker, const gs_status *why)
{
    const equi_join *const e = context;
    (void)worker;
    if (why->code != GS_OK)
        gs_stream_abort(e->sink->stream, why);
}

static gs_code match_all(void *context, gs_sink *sink, uint64_t ticket, gs_status *st)
{
    equi_join *const e = context;
    const gs_range_consumer consumer = {
        .portion_max = PORTIONS_MAX,
        .kept_together = gs_join_key_bytes,
        .begin = begin_portion,
        .add = add_record,
        .end = end_portion,
        .abandon = abandon_portion,
        .context = e,
    };
    e->sink = sink;
    e->first_ticket = ticket;
    GS_NOTED(gs_join_sorted_consume(e->sorted, &consumer, true, st));
    for (unsigned w = 0; w < gs_team_workers(e->job->team); w++) {
        gs_join_match_free(e->matchers[w]);
        e->matchers[w] = NULL;
    }
    return st->code;
}

/* --- all ------------------------------------------------------------------------ */

static gs_code run(equi_join *e, gs_status *st)
{
    GS_TRY(prepare(e, st));
    GS_TRY(sort(e, st));
    GS_TRY(make_format(e, st));
    return gs_join_job_write(e->job, &e->plan, gs_join_sorted_piece_bytes(e->sorted),
                             match_all, e, st);
}

gs_code gs_equi_join_run(gs_join_job *job, gs_status *st)
{
    equi_join e = {.job = job};
    GS_NOTED(run(&e, st));
    gs_join_sorted_free(e.sorted);
    gs_join_filter_free(e.filter);
    gs_join_filter_free(e.later);
    gs_input_stamps_release(&e.seen_later);
    gs_mem_free(e.matchers);
    for (unsigned i = 0; i < GS_JOIN_SIDES; i++)
        gs_join_side_key_release(&e.keys[i]);
    return st->code;
}
