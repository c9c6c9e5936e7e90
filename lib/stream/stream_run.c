/* SPDX-License-Identifier: MIT */
#include "lib/stream/stream_run.h"

#include "lib/stream/turns.h"

typedef struct stream_run {
    const gs_stream_work *work;
    gs_stream_input *input;
    gs_turns turns;

    pthread_mutex_t mutex; /* guards what follows, and the next batch of the input */
    uint64_t given;        /* batches */
    unsigned reader;       /* who waits for the next */
    bool is_ended;         /* none is given any more: the last one given fails */
    gs_status failure;     /* the first */
} stream_run;

/* While the input waits: the thread that waits has the mutex, so that no batch is given
 * meanwhile; all that were are taken first. */
static gs_code on_idle(void *context, gs_status *st)
{
    stream_run *const r = context;
    if (!gs_turns_wait(&r->turns, r->given))
        return GS_FAIL(st, GS_ERR_CANCELLED, 0, "another thread failed");
    return r->work->due != NULL ? r->work->due(r->work->context, r->reader, st) : GS_OK;
}

/* A batch that comes with a failure is one that could not begin. */
static gs_code next_batch(stream_run *r, unsigned worker, gs_line_batch *batch,
                          bool *has_batch, gs_status *st)
{
    pthread_mutex_lock(&r->mutex);
    r->reader = worker;
    *has_batch = false;
    if (r->failure.code == GS_OK && !r->is_ended)
        r->is_ended = gs_stream_input_next(r->input, batch, has_batch, st) != GS_OK;
    if (*has_batch && !r->is_ended) {
        r->given++;
        if (batch->offset == 0 && r->work->begin != NULL)
            r->is_ended = r->work->begin(r->work->context, batch, st) != GS_OK;
    }
    pthread_mutex_unlock(&r->mutex);
    return st->code;
}

/* What failed to come is told behind all that came, if of that nothing failed. */
static void fail_in_turn(stream_run *r, gs_status *st)
{
    if (st->code != GS_OK && !gs_turns_wait(&r->turns, r->given))
        *st = (gs_status){.code = GS_OK};
}

static gs_code do_batch(stream_run *r, unsigned worker, gs_line_batch *batch,
                        gs_status *st)
{
    const gs_stream_work *const w = r->work;
    const uint64_t ticket = batch->ticket;
    if (st->code == GS_OK)
        GS_NOTED(w->parse(w->context, worker, batch, st));
    const bool is_ours = gs_turns_wait(&r->turns, ticket);
    if (!is_ours) /* what is told failed before */
        *st = (gs_status){.code = GS_OK};
    if (is_ours && st->code == GS_OK && w->take(w->context, worker, batch, st) == GS_OK &&
        w->due != NULL)
        GS_NOTED(w->due(w->context, worker, st));
    gs_line_batch_release(batch);
    if (st->code != GS_OK || !is_ours)
        return st->code;
    gs_turns_pass(&r->turns);
    return w->settle != NULL ? w->settle(w->context, worker, st) : GS_OK;
}

static gs_code run_worker(void *context, unsigned worker, gs_status *st)
{
    stream_run *const r = context;
    bool has_batch = true;
    while (has_batch && st->code == GS_OK) {
        gs_line_batch batch = {0};
        GS_NOTED(next_batch(r, worker, &batch, &has_batch, st));
        if (has_batch) {
            GS_NOTED(do_batch(r, worker, &batch, st));
        } else {
            gs_line_batch_release(&batch);
            fail_in_turn(r, st);
        }
    }
    if (st->code != GS_OK) {
        gs_turns_end(&r->turns);
        pthread_mutex_lock(&r->mutex);
        if (st->code != GS_ERR_CANCELLED)
            gs_status_keep_first(&r->failure, st);
        pthread_mutex_unlock(&r->mutex);
    }
    return GS_OK; /* the first failure is kept, not that of the first worker */
}

gs_code gs_stream_run(const gs_stream_input_options *options, gs_team *team,
                      const gs_stream_work *work, gs_status *st)
{
    stream_run r = {.work = work};
    gs_stream_input_options o = *options;
    o.idle = on_idle;
    o.idle_context = &r;
    GS_TRY(gs_stream_input_open(&r.input, &o, st));
    gs_turns_init(&r.turns);
    pthread_mutex_init(&r.mutex, NULL);
    GS_NOTED(gs_team_run(team, run_worker, &r, st));
    gs_status_keep_first(st, &r.failure);
    if (st->code == GS_OK)
        GS_NOTED(gs_stream_input_check(r.input, st));
    pthread_mutex_destroy(&r.mutex);
    gs_turns_release(&r.turns);
    gs_stream_input_close(r.input);
    return st->code;
}
