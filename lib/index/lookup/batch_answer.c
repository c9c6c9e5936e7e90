/* SPDX-License-Identifier: MIT */
#include "lib/index/lookup/batch_answer.h"

#include <pthread.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/team.h"
#include "lib/index/lookup/prefix_ranks.h"
#include "lib/index/lookup/prefix_search.h"

/* Long enough for a full group of the search, eight times over, and short enough that
 * its answers mostly fit into the buffer. */
enum { SLICE_TERMS = 512 };

typedef struct answer_worker {
    GS_MEM_APART struct gs_batch_answer *all;
    gs_term_cursor *cursor;
    gs_segment_terms *terms; /* of several segments: instead of the cursor */
    gs_text_out out;
    size_t slice; /* that it answers */
} answer_worker;

typedef struct gs_batch_answer {
    gs_batch_answer_options options;
    gs_prefix_ranks *finder; /* NULL: none is wanted */
    gs_team *team;
    answer_worker *workers;
    gs_term_batch *batch;    /* being answered */
    gs_term_batch *next_one; /* being filled, by worker 0 */
    gs_status fill_status;

    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t turn_changed;
    size_t next, turn; /* the slice to be taken, and the one that may be written */
    bool has_failed;
} gs_batch_answer;

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

static gs_code answer_terms(answer_worker *w, gs_term_slice slice, gs_status *st)
{
    gs_batch_answer *const a = w->all;
    const gs_batch_answer_options *const o = &a->options;
    GS_TRY(gs_term_batch_find_slice(a->batch, slice, st));
    for (size_t i = slice.first; i < slice.end; i++) {
        size_t bytes;
        const char *const term = gs_term_batch_term(a->batch, i, &bytes);
        GS_TRY(gs_term_batch_seek(a->batch, slice, i, w->cursor, st));
        GS_TRY(o->answer(o->answer_context, w->cursor, term, bytes, &w->out, st));
    }
    return GS_OK;
}

static gs_code answer_terms_over(answer_worker *w, gs_term_slice slice, gs_status *st)
{
    gs_batch_answer *const a = w->all;
    const gs_batch_answer_options *const o = &a->options;
    for (size_t i = slice.first; i < slice.end; i++) {
        size_t bytes;
        const char *const term = gs_term_batch_term(a->batch, i, &bytes);
        GS_TRY(gs_segment_terms_seek(w->terms, term, bytes, st));
        GS_TRY(o->answer_over(o->answer_context, w->terms, term, bytes, &w->out, st));
    }
    return GS_OK;
}

static gs_code answer_slice(answer_worker *w, gs_term_slice slice, gs_status *st)
{
    gs_batch_answer *const a = w->all;
    GS_TRY(w->terms != NULL ? answer_terms_over(w, slice, st)
                            : answer_terms(w, slice, st));
    GS_TRY(gs_text_out_flush(&w->out, st));
    GS_TRY(wait_for_turn(w, st)); /* it may have had nothing to write */
    pthread_mutex_lock(&a->mutex);
    a->turn++;
    pthread_cond_broadcast(&a->turn_changed);
    pthread_mutex_unlock(&a->mutex);
    return GS_OK;
}

/* Of several failures the first in the order of the batch counts, and all before it is
 * written: a worker that fails waits for its turn before it says so. */
static gs_code answer_slices(void *context, unsigned worker, gs_status *st)
{
    gs_batch_answer *const a = context;
    answer_worker *const w = &a->workers[worker];
    gs_term_slice slice;
    if (worker == 0)
        GS_NOTED(a->options.fill(a->options.fill_context, a->next_one, false,
                                 &a->fill_status));
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

static gs_code answer_batch(gs_batch_answer *a, gs_status *st)
{
    a->next = a->turn = 0;
    if (a->finder != NULL)
        gs_term_batch_find(a->batch, a->finder);
    if (gs_term_batch_count(a->batch) <= SLICE_TERMS)
        GS_TRY(answer_slices(a, 0, st));
    else
        GS_TRY(gs_team_run(a->team, answer_slices, a, st));
    gs_status_keep_first(st, &a->fill_status);
    gs_term_batch_clear(a->batch);
    gs_term_batch *const answered = a->batch;
    a->batch = a->next_one;
    a->next_one = answered;
    return st->code;
}

static gs_code answer_all(gs_batch_answer *a, gs_status *st)
{
    const gs_batch_answer_options *const o = &a->options;
    for (;;) {
        if (gs_term_batch_count(a->batch) == 0)
            GS_TRY(o->fill(o->fill_context, a->batch, true, st));
        if (gs_term_batch_count(a->batch) == 0)
            return GS_OK;
        GS_TRY(answer_batch(a, st));
    }
}

static void close_all(gs_batch_answer *a)
{
    gs_team_free(a->team);
    for (unsigned i = 0; a->workers != NULL && i < a->options.workers; i++) {
        gs_term_cursor_free(a->workers[i].cursor);
        gs_segment_terms_free(a->workers[i].terms);
        gs_text_out_release(&a->workers[i].out);
    }
    gs_mem_free(a->workers);
    gs_prefix_ranks_free(a->finder);
    gs_term_batch_free(a->batch);
    gs_term_batch_free(a->next_one);
    (void)pthread_cond_destroy(&a->turn_changed);
    (void)pthread_mutex_destroy(&a->mutex);
    gs_mem_free(a);
}

static gs_code open_all(gs_batch_answer *a, gs_status *st)
{
    const gs_batch_answer_options *const o = &a->options;
    const gs_prefix_ranks_options finder = {.engine = o->engine,
                                            .keys = gs_index_term_prefixes(o->index),
                                            .key_count =
                                                gs_index_dictionary_blocks(o->index),
                                            .query_count_max = GS_TERM_BATCH_TERMS,
                                            .expected_queries = o->expected_queries,
                                            .threads = o->workers,
                                            .log = o->log};
    size_t bytes = 0;
    if (o->segments == NULL && finder.key_count <= GS_PREFIX_KEYS_MAX &&
        gs_prefix_ranks_are_wanted(&finder)) {
        GS_TRY(gs_index_check_prefixes(o->index, 0, finder.key_count, st));
        GS_TRY(gs_prefix_ranks_new(&a->finder, &finder, st));
    }
    GS_TRY(gs_term_batch_new(&a->batch, o->index, st));
    GS_TRY(gs_term_batch_new(&a->next_one, o->index, st));
    GS_TRY(gs_team_new(&a->team, o->workers, st));
    GS_TRY(gs_mem_size_mul(&bytes, o->workers, sizeof *a->workers, st));
    GS_TRY(gs_mem_new_apart(&a->workers, bytes, "answering threads", st));
    for (unsigned i = 0; i < o->workers; i++) {
        answer_worker *const w = &a->workers[i];
        w->all = a;
        GS_TRY(o->segments != NULL ? gs_segment_terms_new(&w->terms, o->segments, st)
                                   : gs_term_cursor_new(&w->cursor, o->index, st));
        GS_TRY(gs_text_out_open(&w->out, write_in_turn, w, st));
    }
    return GS_OK;
}

gs_code gs_batch_answer_all(const gs_batch_answer_options *options, gs_status *st)
{
    gs_assert(options->workers > 0);
    gs_batch_answer *a = NULL;
    GS_TRY(gs_mem_new(&a, sizeof *a, "answers", st));
    a->options = *options;
    pthread_mutex_init(&a->mutex, NULL);
    pthread_cond_init(&a->turn_changed, NULL);
    if (open_all(a, st) == GS_OK)
        GS_NOTED(answer_all(a, st));
    close_all(a);
    return st->code;
}
