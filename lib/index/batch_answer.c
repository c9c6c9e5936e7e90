/* SPDX-License-Identifier: MIT */
#include "lib/index/batch_answer.h"

#include <pthread.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/team.h"

/* Long enough for a full group of the search, eight times over, and short enough that
 * its answers mostly fit into the buffer. */
enum { SLICE_TERMS = 512 };

typedef struct answer_worker {
    gs_batch_answer *all;
    gs_term_cursor *cursor;
    gs_text_out out;
    size_t slice; /* that it answers */
} answer_worker;

struct gs_batch_answer {
    gs_batch_answer_options options;
    gs_team *team;
    answer_worker *workers;
    gs_term_batch *batch;

    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t turn_changed;
    size_t next, turn; /* the slice to be taken, and the one that may be written */
    bool has_failed;
};

/* Waits until every slice before the worker's is written. */
static gs_code wait_for_turn(const answer_worker *w, gs_status *st)
{
    gs_batch_answer *const a = w->all;
    pthread_mutex_lock(&a->mutex);
    while (a->turn != w->slice && !a->has_failed)
        pthread_cond_wait(&a->turn_changed, &a->mutex);
    const bool has_failed = a->has_failed;
    pthread_mutex_unlock(&a->mutex);
    if (has_failed)
        return GS_FAIL(st, GS_ERR_CANCELLED, 0, "another thread failed");
    return GS_OK;
}

static gs_code write_in_turn(void *context, const void *data, size_t bytes, gs_status *st)
{
    const answer_worker *const w = context;
    GS_TRY(wait_for_turn(w, st));
    return w->all->options.write(w->all->options.write_context, data, bytes, st);
}

static bool take_slice(answer_worker *w, gs_term_slice *slice)
{
    gs_batch_answer *const a = w->all;
    const size_t count = gs_term_batch_count(a->batch);
    pthread_mutex_lock(&a->mutex);
    const bool is_there = a->next * SLICE_TERMS < count && !a->has_failed;
    w->slice = a->next;
    a->next += is_there;
    pthread_mutex_unlock(&a->mutex);
    slice->first = w->slice * SLICE_TERMS;
    slice->end = count - slice->first < SLICE_TERMS ? count : slice->first + SLICE_TERMS;
    return is_there;
}

static gs_code answer_slice(answer_worker *w, gs_term_slice slice, gs_status *st)
{
    gs_batch_answer *const a = w->all;
    const gs_batch_answer_options *const o = &a->options;
    gs_term_batch_find_slice(a->batch, slice);
    for (size_t i = slice.first; i < slice.end; i++) {
        size_t bytes;
        const char *const term = gs_term_batch_term(a->batch, i, &bytes);
        GS_TRY(gs_term_batch_seek(a->batch, slice, i, w->cursor, st));
        GS_TRY(o->answer(o->answer_context, w->cursor, term, bytes, &w->out, st));
    }
    GS_TRY(gs_text_out_flush(&w->out, st));
    GS_TRY(wait_for_turn(w, st)); /* it may have had nothing to write */
    pthread_mutex_lock(&a->mutex);
    a->turn++;
    pthread_cond_broadcast(&a->turn_changed);
    pthread_mutex_unlock(&a->mutex);
    return GS_OK;
}

/* Of several failures the first in the order of the batch counts, and all before it is
 * written: whoever fails waits for its turn to say so. */
static gs_code answer_slices(void *context, unsigned worker, gs_status *st)
{
    gs_batch_answer *const a = context;
    answer_worker *const w = &a->workers[worker];
    gs_term_slice slice;
    while (take_slice(w, &slice)) {
        gs_status own = {.code = GS_OK}, ignored = {.code = GS_OK};
        if (answer_slice(w, slice, &own) == GS_OK)
            continue;
        if (wait_for_turn(w, &ignored) != GS_OK)
            break;
        pthread_mutex_lock(&a->mutex);
        a->has_failed = true;
        pthread_cond_broadcast(&a->turn_changed);
        pthread_mutex_unlock(&a->mutex);
        gs_status_keep_first(st, &own);
    }
    return st->code;
}

gs_code gs_batch_answer_run(gs_batch_answer *a, gs_term_batch *batch, gs_status *st)
{
    gs_assert(!a->has_failed);
    const size_t count = gs_term_batch_count(batch);
    a->batch = batch;
    a->next = a->turn = 0;
    gs_term_batch_find(batch);
    if (count <= SLICE_TERMS)
        GS_TRY(answer_slices(a, 0, st));
    else
        GS_TRY(gs_team_run(a->team, answer_slices, a, st));
    gs_term_batch_clear(batch);
    return GS_OK;
}

gs_code gs_batch_answer_new(gs_batch_answer **out, const gs_batch_answer_options *options,
                            gs_status *st)
{
    void *memory = NULL;
    *out = NULL;
    gs_assert(options->workers > 0);
    GS_TRY(gs_mem_new(&memory, sizeof(gs_batch_answer), "answers", st));
    gs_batch_answer *const a = memory;
    a->options = *options;
    pthread_mutex_init(&a->mutex, NULL);
    pthread_cond_init(&a->turn_changed, NULL);
    GS_TRY_OR_FAIL(gs_team_new(&a->team, options->workers, st));
    GS_TRY_OR_FAIL(gs_mem_new(&memory, options->workers * sizeof *a->workers,
                              "answering threads", st));
    a->workers = memory;
    for (unsigned i = 0; i < options->workers; i++) {
        answer_worker *const w = &a->workers[i];
        w->all = a;
        GS_TRY_OR_FAIL(gs_term_cursor_new(&w->cursor, options->index, st));
        GS_TRY_OR_FAIL(gs_text_out_open(&w->out, write_in_turn, w, st));
    }
    *out = a;
    return GS_OK;
fail:
    gs_batch_answer_free(a);
    return st->code;
}

void gs_batch_answer_free(gs_batch_answer *a)
{
    if (a == NULL)
        return;
    gs_team_free(a->team);
    for (unsigned i = 0; a->workers != NULL && i < a->options.workers; i++) {
        gs_term_cursor_free(a->workers[i].cursor);
        gs_text_out_release(&a->workers[i].out);
    }
    gs_mem_free(a->workers);
    (void)pthread_cond_destroy(&a->turn_changed);
    (void)pthread_mutex_destroy(&a->mutex);
    gs_mem_free(a);
}
