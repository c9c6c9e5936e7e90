/* SPDX-License-Identifier: MIT */
/*
 * How a join of equal keys flows.
 *
 *      right input --+                                     +-> matcher --+
 *                    +-> keys -> sorted: in memory or runs +-> matcher --+-> output
 *      left input ---+                                     +-> matcher --+
 *
 * Both inputs are sorted as one (join_keys.h), so that there is one plan of the memory
 * and one merge. What comes out of it in order is cut into portions between two keys, one
 * a thread at a time, and goes through a matcher (join_match.h) into the text.
 */
#include "lib/join/equi_join.h"

#include "lib/base/mem.h"
#include "lib/join/join_first.h"
#include "lib/join/join_keys.h"
#include "lib/join/join_match.h"

enum {
    PORTIONS_MAX = 1 << 16,
    SHELF_SHARE = 8, /* of the memory for the lines of one key, of all threads */
};

/* Which of the inputs that are sorted as one is which: the right one is read first. */
static const gs_join_side side_of_input[GS_JOIN_SIDES] = {GS_JOIN_RIGHT, GS_JOIN_LEFT};

typedef struct equi_join {
    gs_join_job *job;
    const char *inputs[GS_JOIN_SIDES];
    gs_join_side_key keys[GS_JOIN_SIDES]; /* input by input, as are these */
    gs_key_encoder *encoders[GS_JOIN_SIDES];
    gs_memory_plan plan;
    gs_join_sorted *sorted;
    gs_join_match **matchers; /* one a worker, once it has something to do */
    gs_sink *sink;
    uint64_t first_ticket;
} equi_join;

static gs_code prepare(equi_join *e, gs_status *st)
{
    gs_join_job *const job = e->job;
    for (unsigned i = 0; i < GS_JOIN_SIDES; i++)
        e->inputs[i] = job->options->inputs[side_of_input[i]];
    job->sort.inputs = e->inputs;
    job->sort.input_count = GS_JOIN_SIDES;
    /* What the sort takes, less what the lines of a key may; of that the other half is
     * for what is made of them. */
    const size_t share = gs_join_job_sort_bytes(job) / SHELF_SHARE;
    e->plan = gs_join_job_plan_less(job, share);
    job->store.memory_bytes = share / 2;
    for (unsigned i = 0; i < GS_JOIN_SIDES; i++) {
        GS_TRY(gs_join_side_key_init(&e->keys[i], job->options, side_of_input[i], st));
        e->encoders[i] = e->keys[i].encoder;
    }
    return gs_mem_new_array(&e->matchers, gs_team_workers(job->team), sizeof *e->matchers,
                            "matchers", st);
}

static gs_code make_format(const equi_join *e, gs_status *st)
{
    gs_join_job *const job = e->job;
    const gs_join_options *const o = job->options;
    for (unsigned i = 0; o->header && i < GS_JOIN_SIDES; i++)
        GS_TRY(gs_join_job_take_header(job, side_of_input[i], e->sorted, i, st));
    if (!o->header && o->is_auto)
        GS_TRY(gs_join_first_find(e->sorted, GS_JOIN_SIDES, o->delimiter, job->first,
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
    gs_join_job *const job = e->job;
    GS_TRY(prepare(e, st));
    GS_TRY(
        gs_join_sorted_new(&e->sorted, &job->sort, e->encoders, job->team, &e->plan, st));
    GS_TRY(make_format(e, st));
    return gs_join_job_write(job, e->sorted, &e->plan, match_all, e, st);
}

gs_code gs_equi_join_run(gs_join_job *job, gs_status *st)
{
    equi_join e = {.job = job};
    GS_NOTED(run(&e, st));
    gs_join_sorted_free(e.sorted);
    gs_mem_free(e.matchers);
    for (unsigned i = 0; i < GS_JOIN_SIDES; i++)
        gs_join_side_key_release(&e.keys[i]);
    return st->code;
}
