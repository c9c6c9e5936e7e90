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
 * there (join_filter.h). What comes out of it in order is cut into portions between two
 * keys, one a thread at a time, and goes through a matcher (join_match.h) into the text.
 */
#include "lib/join/equi_join.h"

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
};

typedef struct equi_join {
    gs_join_job *job;
    /* Which of the inputs that are sorted as one is which. */
    gs_join_side side_of_input[GS_JOIN_SIDES];
    const char *inputs[GS_JOIN_SIDES];
    gs_join_filter *filter;               /* or NULL */
    gs_record_sieve sieve;                /* of that */
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

static gs_code open_filter(equi_join *e, size_t memory_bytes, size_t *taken,
                           gs_status *st)
{
    *taken = 0;
    if (!gs_join_job_may_leave_out(e->job, e->side_of_input[1]))
        return GS_OK;
    const uint64_t first = gs_join_job_input_bytes(e->job, e->side_of_input[0]);
    const size_t most = memory_bytes / FILTER_SHARE;
    *taken = first / FILTER_OF_INPUT < most ? (size_t)(first / FILTER_OF_INPUT) : most;
    if (*taken < FILTER_MIN)
        *taken = FILTER_MIN;
    GS_TRY(gs_join_filter_new(&e->filter, *taken, st));
    e->sieve = (gs_record_sieve){.sift = gs_join_filter_sift, .context = e->filter};
    return GS_OK;
}

static gs_code prepare(equi_join *e, gs_status *st)
{
    gs_join_job *const job = e->job;
    choose_inputs(e);
    job->sort.inputs = e->inputs;
    job->sort.input_count = GS_JOIN_SIDES;
    for (unsigned i = 0; i < GS_JOIN_SIDES; i++) {
        GS_TRY(gs_join_side_key_init(&e->keys[i], job->options, e->side_of_input[i], st));
        e->encoders[i] = e->keys[i].encoder;
    }
    /* What the sort takes, less what the lines of a key may; of that the other half is
     * for what is made of them. */
    const size_t all = gs_join_job_sort_bytes(job), share = all / SHELF_SHARE;
    size_t filter;
    GS_TRY(open_filter(e, all, &filter, st));
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
    const gs_join_side side = e->side_of_input[input];
    GS_TRY(gs_join_job_see_header(e->job, side, header, bytes, st));
    return gs_join_side_key_place(&e->keys[input], e->job->options, side, st);
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
    GS_TRY(gs_join_sorted_new(&e->sorted, &sorting, st));
    gs_join_filter_free(e->filter);
    e->filter = NULL;
    return GS_OK;
}

static gs_code make_format(const equi_join *e, gs_status *st)
{
    gs_join_job *const job = e->job;
    const gs_join_options *const o = job->options;
    for (unsigned i = 0; o->header && i < GS_JOIN_SIDES; i++)
        GS_TRY(gs_join_job_take_header(job, e->side_of_input[i], e->sorted, i, st));
    if (!o->header && o->is_auto)
        GS_TRY(gs_join_first_find(e->sorted, GS_JOIN_SIDES, &o->sort.order, job->first,
                                  job->has_first, st));
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
    return gs_join_job_write(e->job, e->sorted, &e->plan, match_all, e, st);
}

gs_code gs_equi_join_run(gs_join_job *job, gs_status *st)
{
    equi_join e = {.job = job};
    GS_NOTED(run(&e, st));
    gs_join_sorted_free(e.sorted);
    gs_join_filter_free(e.filter);
    gs_mem_free(e.matchers);
    for (unsigned i = 0; i < GS_JOIN_SIDES; i++)
        gs_join_side_key_release(&e.keys[i]);
    return st->code;
}
