/* SPDX-License-Identifier: MIT */
#include "lib/index/lookup/term_heads.h"

#include <pthread.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/base/team.h"
#include "lib/index/lookup/head_reader.h"
#include "lib/index/lookup/term_batch.h"

/* A share of many terms, and the least: what one thread finds while another one wakes. */
enum { SHARE_TERMS = GS_HEAD_READER_TERMS, SHARE_TERMS_MIN = 64, SHARES_EACH = 4 };

typedef struct head_worker {
    GS_MEM_APART struct gs_term_heads *all;
    gs_head_reader *reader;
    size_t share; /* that it answers */
} head_worker;

struct gs_term_heads {
    gs_term_heads_options options;
    gs_team *team;
    head_worker *workers;
    const gs_head_terms *terms; /* of the call */
    const gs_head_lists *lists;
    const volatile int *cancel;
    size_t share_terms;

    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t turn_changed;
    size_t next, turn; /* the share to be taken, and the one whose lists come next */
    uint64_t begin;    /* where those begin */
    bool has_failed;
};

gs_code gs_term_heads_new(gs_term_heads **out, const gs_term_heads_options *options,
                          gs_status *st)
{
    gs_term_heads *h = NULL;
    size_t bytes = 0;
    *out = NULL;
    gs_assert(options->workers > 0 && options->head > 0);
    GS_TRY(gs_mem_new(&h, sizeof *h, "heads of posting lists", st));
    h->options = *options;
    pthread_mutex_init(&h->mutex, NULL);
    pthread_cond_init(&h->turn_changed, NULL);
    GS_TRY_OR_FAIL(gs_team_new(&h->team, options->workers, st));
    GS_TRY_OR_FAIL(gs_mem_size_mul(&bytes, options->workers, sizeof *h->workers, st));
    GS_TRY_OR_FAIL(gs_mem_new_apart(&h->workers, bytes, "looking threads", st));
    for (unsigned i = 0; i < options->workers; i++)
        h->workers[i].all = h;
    *out = h;
    return GS_OK;
fail:
    gs_term_heads_free(h);
    return st->code;
}

void gs_term_heads_free(gs_term_heads *h)
{
    if (h == NULL)
        return;
    gs_team_free(h->team);
    for (unsigned i = 0; h->workers != NULL && i < h->options.workers; i++)
        gs_head_reader_free(h->workers[i].reader);
    gs_mem_free(h->workers);
    (void)pthread_cond_destroy(&h->turn_changed);
    (void)pthread_mutex_destroy(&h->mutex);
    gs_mem_free(h);
}

/* --- shares, in order --------------------------------------------------------------- */

/* The terms of the next share are [*first, *end); false: there is none. */
static bool take_share(head_worker *w, size_t *first, size_t *end)
{
    gs_term_heads *const h = w->all;
    const size_t count = h->terms->count;
    pthread_mutex_lock(&h->mutex);
    const bool is_there = h->next * h->share_terms < count && !h->has_failed;
    w->share = h->next;
    h->next += is_there;
    pthread_mutex_unlock(&h->mutex);
    *first = w->share * h->share_terms;
    *end = count - *first < h->share_terms ? count : *first + h->share_terms;
    return is_there;
}

/* Waits until all is known of the shares before the worker's. */
static gs_code wait_for_turn(const head_worker *w, gs_status *st)
{
    gs_term_heads *const h = w->all;
    pthread_mutex_lock(&h->mutex);
    while (h->turn != w->share && !h->has_failed)
        pthread_cond_wait(&h->turn_changed, &h->mutex);
    const bool has_failed = h->has_failed;
    pthread_mutex_unlock(&h->mutex);
    return has_failed ? GS_FAIL(st, GS_ERR_CANCELLED, 0, "another thread failed") : GS_OK;
}

/* Where the next `postings` of the worker's share belong; if they are the last of the
 * share, it is the turn of the next one. */
static gs_code place(const head_worker *w, uint64_t postings, bool are_last,
                     uint64_t *begin, gs_status *st)
{
    gs_term_heads *const h = w->all;
    GS_TRY(wait_for_turn(w, st));
    pthread_mutex_lock(&h->mutex);
    *begin = h->begin;
    h->begin += postings;
    h->turn += are_last;
    if (are_last)
        pthread_cond_broadcast(&h->turn_changed);
    pthread_mutex_unlock(&h->mutex);
    return GS_OK;
}

/* --- by cores ----------------------------------------------------------------------- */

/* The terms from `first` on that the reader has room for. */
static gs_code add_terms(const head_worker *w, size_t first, size_t end, gs_status *st)
{
    const gs_head_terms *const terms = w->all->terms;
    gs_head_reader_clear(w->reader);
    for (size_t i = first; i < end; i++) {
        const uint64_t at = terms->offsets[i], behind = terms->offsets[i + 1];
        if (at > behind)
            return GS_FAIL(st, GS_ERR_ARG, 0, "term %zu ends before it begins", i);
        if (behind - at > GS_TERM_BATCH_BYTES)
            return GS_FAIL(st, GS_ERR_LIMIT, 0, "a term of %llu bytes: it has at most %d",
                           (unsigned long long)(behind - at), (int)GS_TERM_BATCH_BYTES);
        if (!gs_head_reader_add(w->reader, terms->bytes + at, (size_t)(behind - at)))
            break;
    }
    return GS_OK;
}

/* How many postings of a term of so many documents are wanted. */
static uint64_t head_of(const gs_term_heads *h, uint64_t df)
{
    return df < h->options.head ? df : h->options.head;
}

/* What the reader has found, of terms from `first` on, whose lists belong at `begin`. */
static gs_code read_lists(const head_worker *w, size_t first, uint64_t begin,
                          gs_status *st)
{
    const gs_head_lists *const lists = w->all->lists;
    const size_t count = gs_head_reader_count(w->reader);
    for (size_t i = 0; i < count; i++) {
        const uint64_t df = gs_head_reader_df(w->reader, i), n = head_of(w->all, df);
        lists->dfs[first + i] = df;
        lists->offsets[first + i] = begin;
        if (lists->docs != NULL && n <= lists->room && begin <= lists->room - n)
            GS_TRY(gs_head_reader_read(w->reader, i, n, lists->docs + begin,
                                       lists->tfs != NULL ? lists->tfs + begin : NULL,
                                       st));
        begin += n;
    }
    return GS_OK;
}

static gs_code answer_by_cores(head_worker *w, size_t first, size_t end, gs_status *st)
{
    if (w->reader == NULL)
        GS_TRY(gs_head_reader_new(&w->reader, w->all->options.segments, st));
    while (first < end) {
        uint64_t postings = 0, begin = 0;
        GS_TRY(gs_cancel_check(w->all->cancel, st));
        GS_TRY(add_terms(w, first, end, st));
        GS_TRY(gs_head_reader_find(w->reader, st));
        const size_t count = gs_head_reader_count(w->reader);
        for (size_t i = 0; i < count; i++)
            postings += head_of(w->all, gs_head_reader_df(w->reader, i));
        GS_TRY(place(w, postings, first + count == end, &begin, st));
        GS_TRY(read_lists(w, first, begin, st));
        first += count;
    }
    return GS_OK;
}

/* --- all ---------------------------------------------------------------------------- */

/* Of several failures the first in the order of the terms counts: a worker that fails
 * waits for its turn before it says so. One that failed in reading had its turn. */
static gs_code answer_shares(void *context, unsigned worker, gs_status *st)
{
    gs_term_heads *const h = context;
    head_worker *const w = &h->workers[worker];
    size_t first, end;
    while (take_share(w, &first, &end)) {
        gs_status own = {.code = GS_OK}, ignored = {.code = GS_OK};
        if (answer_by_cores(w, first, end, &own) == GS_OK)
            continue;
        pthread_mutex_lock(&h->mutex);
        const bool had_turn = h->turn > w->share;
        pthread_mutex_unlock(&h->mutex);
        if (!had_turn && wait_for_turn(w, &ignored) != GS_OK)
            break;
        pthread_mutex_lock(&h->mutex);
        h->has_failed = true;
        pthread_cond_broadcast(&h->turn_changed);
        pthread_mutex_unlock(&h->mutex);
        gs_status_keep_first(st, &own);
    }
    return st->code;
}

/* Few terms are cut so that every worker has some. */
static size_t share_of(const gs_term_heads *h, size_t count)
{
    const size_t fair = count / (h->options.workers * (size_t)SHARES_EACH);
    if (fair >= SHARE_TERMS)
        return SHARE_TERMS;
    return fair > SHARE_TERMS_MIN ? fair : SHARE_TERMS_MIN;
}

gs_code gs_term_heads_find(gs_term_heads *h, const gs_head_terms *terms,
                           const gs_head_lists *lists, const volatile int *cancel,
                           gs_status *st)
{
    h->terms = terms;
    h->lists = lists;
    h->cancel = cancel;
    h->share_terms = share_of(h, terms->count);
    h->next = h->turn = 0;
    h->begin = 0;
    h->has_failed = false;
    GS_TRY(terms->count <= h->share_terms ? answer_shares(h, 0, st)
                                          : gs_team_run(h->team, answer_shares, h, st));
    lists->offsets[terms->count] = h->begin;
    return GS_OK;
}
