/* SPDX-License-Identifier: MIT */
#include "lib/index/lookup/term_heads.h"

#include <pthread.h>
#include <string.h>

#include "gpu/device/device.h"
#include "gpu/engine/engine.h"
#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/base/team.h"
#include "lib/index/lookup/head_device.h"
#include "lib/index/lookup/head_reader.h"
#include "lib/index/lookup/term_batch.h"

/* A share of many terms, and the least: what one thread finds while another one wakes. */
enum { SHARE_TERMS = GS_HEAD_READER_TERMS, SHARE_TERMS_MIN = 64, SHARES_EACH = 4 };

/* Of a GPU: less than what a lane may have, so that every lane has some; and fewer terms
 * than that the cores find sooner. */
enum { DEVICE_SHARE_MIN = 4096, DEVICE_SHARES_EACH = 2, DEVICE_TERMS_MIN = 128 };

/* What a term takes one core, what it takes with a GPU, what that takes to start, and how
 * fast an index goes there (gpu/NOTES.md). */
enum {
    CORE_TERM_NS = 700,
    DEVICE_TERM_NS = 10,
    START_MS = 400,
    UPLOAD_KIB_PER_MS = 4096
};

typedef struct head_worker {
    GS_MEM_APART struct gs_term_heads *all;
    gs_head_reader *reader;
    size_t share;  /* that it answers */
    unsigned lane; /* of the device, if it has so many */
} head_worker;

struct gs_term_heads {
    gs_term_heads_options options;
    gs_team *team;
    head_worker *workers;
    gs_head_lists *device;      /* NULL: the cores do all */
    unsigned lanes;             /* of it */
    bool has_lost_device;       /* atomic: it failed; what it did is right */
    bool is_by_device;          /* this call */
    const gs_head_terms *terms; /* of the call */
    const gs_head_arrays *to;
    const volatile int *cancel;
    size_t share_terms;

    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t turn_changed;
    size_t next, turn; /* the share to be taken, and the one whose lists come next */
    uint64_t begin;    /* where those begin */
    bool has_failed;
};

/* --- a GPU -------------------------------------------------------------------------- */

static bool is_forced(const gs_term_heads_options *o)
{
    return gs_engine_is_of_gpu(o->engine);
}

static bool is_worth_it(const gs_term_heads_options *o)
{
    const gs_index *const index = o->segments->items[0].index;
    const uint64_t bytes =
        gs_index_end(index, GS_INDEX_TERMS) + gs_index_end(index, GS_INDEX_POSTINGS);
    const uint64_t start_ms = START_MS + (bytes >> 10) / UPLOAD_KIB_PER_MS;
    const uint64_t core_ns = CORE_TERM_NS / o->workers;
    return core_ns > DEVICE_TERM_NS &&
           o->expected_terms / 1000000 * (core_ns - DEVICE_TERM_NS) > 2 * start_ms &&
           gs_device_is_likely();
}

static void fall_back(const gs_term_heads *h, const char *why)
{
    gs_log_say(h->options.log, is_forced(&h->options) ? GS_LOG_WARNING : GS_LOG_INFO,
               "%s; the CPU reads the lists instead", why);
}

static void open_device(gs_term_heads *h)
{
    const gs_term_heads_options *const o = &h->options;
    const bool is_auto = gs_engine_is_auto(o->engine);
    const char *const unfit = gs_head_device_unfit(o->segments, o->head);
    gs_status st = {.code = GS_OK};
    if (!is_forced(o) && !(is_auto && unfit == NULL && is_worth_it(o)))
        return;
    h->lanes = o->workers < GS_HEAD_LANES_MAX ? o->workers : (unsigned)GS_HEAD_LANES_MAX;
    const gs_head_device_options options = {.index = o->segments->items[0].index,
                                            .device = o->device,
                                            .memory_bytes = o->device_bytes,
                                            .head = o->head,
                                            .lanes = h->lanes,
                                            .team = h->team,
                                            .log = o->log};
    if (unfit != NULL)
        fall_back(h, unfit);
    else if (gs_head_device_new(&h->device, &options, &st) != GS_OK)
        fall_back(h, st.msg);
}

/* Once of all workers: the first says so. */
static void lose_device(gs_term_heads *h, const gs_status *why)
{
    if (!__atomic_exchange_n(&h->has_lost_device, true, __ATOMIC_RELAXED))
        fall_back(h, why->msg);
}

static void close_device(gs_term_heads *h)
{
    gs_head_lists_free(h->device);
    h->device = NULL;
}

static bool has_device(const gs_term_heads *h)
{
    return h->device != NULL && !__atomic_load_n(&h->has_lost_device, __ATOMIC_RELAXED);
}

/* --- new ---------------------------------------------------------------------------- */

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
    for (unsigned i = 0; i < options->workers; i++) {
        h->workers[i].all = h;
        h->workers[i].lane = i;
    }
    open_device(h);
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
    gs_head_lists_free(h->device);
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

/* Gives the reader a term; *is_added: it has room. */
static gs_code add_term(const head_worker *w, size_t i, bool *is_added, gs_status *st)
{
    const gs_head_terms *const terms = w->all->terms;
    const uint64_t at = terms->offsets[i], behind = terms->offsets[i + 1];
    *is_added = false;
    if (at > behind)
        return GS_FAIL(st, GS_ERR_ARG, 0, "term %zu ends before it begins", i);
    if (behind - at > GS_TERM_BATCH_BYTES)
        return GS_FAIL(st, GS_ERR_LIMIT, 0, "a term of %llu bytes: it has at most %d",
                       (unsigned long long)(behind - at), (int)GS_TERM_BATCH_BYTES);
    *is_added = gs_head_reader_add(w->reader, terms->bytes + at, (size_t)(behind - at));
    return GS_OK;
}

/* The terms from `first` on that the reader has room for. */
static gs_code add_terms(const head_worker *w, size_t first, size_t end, gs_status *st)
{
    bool is_added = true;
    gs_head_reader_clear(w->reader);
    for (size_t i = first; i < end && is_added; i++)
        GS_TRY(add_term(w, i, &is_added, st));
    return GS_OK;
}

/* How many postings of a term of so many documents are wanted. */
static uint64_t head_of(const gs_term_heads *h, uint64_t df)
{
    return df < h->options.head ? df : h->options.head;
}

static bool has_room(const gs_head_arrays *to, uint64_t begin, uint64_t count)
{
    return to->docs != NULL && count <= to->room && begin <= to->room - count;
}

/* Term k of the reader is term i of all; its list belongs at *begin and ends there. */
static gs_code read_list(const head_worker *w, size_t k, size_t i, uint64_t *begin,
                         gs_status *st)
{
    const gs_head_arrays *const to = w->all->to;
    const uint64_t df = gs_head_reader_df(w->reader, k), n = head_of(w->all, df);
    const uint64_t at = *begin;
    to->dfs[i] = df;
    to->offsets[i] = at;
    *begin += n;
    if (!has_room(to, at, n))
        return GS_OK;
    return gs_head_reader_read(w->reader, k, n, to->docs + at,
                               to->tfs != NULL ? to->tfs + at : NULL, st);
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
        for (size_t i = 0; i < count; i++)
            GS_TRY(read_list(w, i, first + i, &begin, st));
        first += count;
    }
    return GS_OK;
}

/* --- by a GPU ----------------------------------------------------------------------- */

/* The terms of a share to the worker's lane; false: they are for the cores, who also say
 * what is wrong with them. */
static bool fill_lane(const head_worker *w, const gs_head_lane *lane, size_t first,
                      size_t end)
{
    const uint64_t *const offsets = w->all->terms->offsets;
    const uint64_t base = offsets[first];
    for (size_t i = first; i < end; i++) {
        if (offsets[i] > offsets[i + 1] || offsets[i + 1] - base > GS_HEAD_TERM_BYTES)
            return false;
        lane->ends[i - first] = (uint32_t)(offsets[i + 1] - base);
    }
    if (offsets[end] > base)
        memcpy(lane->text, w->all->terms->bytes + base, (size_t)(offsets[end] - base));
    return true;
}

/* Terms that the device refuses go to the reader, who finds them; *are_all: it has room
 * for them. */
static gs_code find_refused(head_worker *w, const gs_head_lane *lane, size_t first,
                            size_t count, bool *are_all, gs_status *st)
{
    *are_all = true;
    for (size_t i = 0; i < count && *are_all; i++) {
        if (lane->dfs[i] != GS_LIST_REFUSED)
            continue;
        if (w->reader == NULL)
            GS_TRY(gs_head_reader_new(&w->reader, w->all->options.segments, st));
        GS_TRY(add_term(w, first + i, are_all, st));
    }
    return w->reader != NULL && *are_all ? gs_head_reader_find(w->reader, st) : GS_OK;
}

/* Postings of terms that lie side by side, here and there. */
static void take_postings(const gs_head_arrays *to, uint64_t at, const gs_head_lane *lane,
                          uint32_t from, uint32_t count)
{
    const uint32_t *const docs = lane->docs + from;
    for (uint32_t i = 0; i < count; i++)
        to->docs[at + i] = docs[i];
    if (to->tfs != NULL && count > 0)
        memcpy(to->tfs + at, lane->tfs + from, count * sizeof *to->tfs);
}

/* What the device has found, and the reader. */
static gs_code take_lists(const head_worker *w, const gs_head_lane *lane, size_t first,
                          size_t count, uint64_t begin, gs_status *st)
{
    const gs_head_arrays *const to = w->all->to;
    size_t refused = 0;
    for (size_t i = 0; i < count;) {
        const uint32_t from = lane->firsts[i];
        const uint64_t at = begin;
        if (lane->dfs[i] == GS_LIST_REFUSED) {
            GS_TRY(read_list(w, refused++, first + i, &begin, st));
            i++;
            continue;
        }
        for (; i < count && lane->dfs[i] != GS_LIST_REFUSED; i++) {
            const uint32_t n = lane->firsts[i + 1] - lane->firsts[i];
            to->dfs[first + i] = lane->dfs[i];
            to->offsets[first + i] = begin;
            if (to->docs != NULL && !has_room(to, begin, n))
                break;
            begin += n;
        }
        if (to->docs != NULL)
            take_postings(to, at, lane, from, (uint32_t)(begin - at));
        if (i < count && lane->dfs[i] != GS_LIST_REFUSED) { /* there is no room for it */
            begin += lane->firsts[i + 1] - lane->firsts[i];
            i++;
        }
    }
    return GS_OK;
}

/* How many postings they have found. */
static uint64_t count_postings(const head_worker *w, const gs_head_lane *lane,
                               size_t count)
{
    uint64_t postings = 0;
    size_t refused = 0;
    for (size_t i = 0; i < count; i++)
        postings += lane->dfs[i] != GS_LIST_REFUSED
                        ? lane->firsts[i + 1] - lane->firsts[i]
                        : head_of(w->all, gs_head_reader_df(w->reader, refused++));
    return postings;
}

/* *is_done is false where the cores have to do the share. */
static gs_code answer_by_device(head_worker *w, size_t first, size_t end, bool *is_done,
                                gs_status *st)
{
    gs_term_heads *const h = w->all;
    const gs_head_lane lane = gs_head_lists_lane(h->device, w->lane);
    const size_t count = end - first;
    gs_status lost = {.code = GS_OK};
    uint64_t begin = 0;
    bool are_all = false;
    *is_done = false;
    GS_TRY(gs_cancel_check(h->cancel, st));
    if (!fill_lane(w, &lane, first, end))
        return GS_OK;
    if (gs_head_lists_submit(h->device, w->lane, (uint32_t)count, &lost) != GS_OK ||
        gs_head_lists_wait(h->device, w->lane, &lost) != GS_OK) {
        lose_device(h, &lost);
        return GS_OK;
    }
    if (w->reader != NULL)
        gs_head_reader_clear(w->reader);
    GS_TRY(find_refused(w, &lane, first, count, &are_all, st));
    if (!are_all)
        return GS_OK;
    *is_done = true;
    GS_TRY(place(w, count_postings(w, &lane, count), true, &begin, st));
    return take_lists(w, &lane, first, count, begin, st);
}

/* --- all ---------------------------------------------------------------------------- */

static gs_code answer_share(head_worker *w, size_t first, size_t end, gs_status *st)
{
    bool is_done = false;
    if (w->all->is_by_device && has_device(w->all))
        GS_TRY(answer_by_device(w, first, end, &is_done, st));
    return is_done ? GS_OK : answer_by_cores(w, first, end, st);
}

/* Of several failures the first in the order of the terms counts: a worker that fails
 * waits for its turn before it says so. One that failed in reading had its turn. */
static gs_code answer_shares(void *context, unsigned worker, gs_status *st)
{
    gs_term_heads *const h = context;
    head_worker *const w = &h->workers[worker];
    size_t first, end;
    if (h->is_by_device && worker >= h->lanes)
        return GS_OK;
    while (take_share(w, &first, &end)) {
        gs_status own = {.code = GS_OK}, ignored = {.code = GS_OK};
        if (answer_share(w, first, end, &own) == GS_OK)
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

static size_t device_share_of(const gs_term_heads *h, size_t count)
{
    const size_t most = GS_HEAD_POSTINGS / h->options.head;
    const size_t fair = count / (h->lanes * (size_t)DEVICE_SHARES_EACH);
    const size_t wanted = fair > DEVICE_SHARE_MIN ? fair : DEVICE_SHARE_MIN;
    const size_t there = wanted < GS_HEAD_TERMS ? wanted : GS_HEAD_TERMS;
    return there < most ? there : most;
}

/* Few terms are cut so that every worker has some. */
static size_t share_of(const gs_term_heads *h, size_t count)
{
    if (h->is_by_device)
        return device_share_of(h, count);
    const size_t fair = count / (h->options.workers * (size_t)SHARES_EACH);
    if (fair >= SHARE_TERMS)
        return SHARE_TERMS;
    return fair > SHARE_TERMS_MIN ? fair : SHARE_TERMS_MIN;
}

gs_code gs_term_heads_find(gs_term_heads *h, const gs_head_terms *terms,
                           const gs_head_arrays *to, const volatile int *cancel,
                           gs_status *st)
{
    h->terms = terms;
    h->to = to;
    h->cancel = cancel;
    if (h->has_lost_device)
        close_device(h);
    h->is_by_device = h->device != NULL && terms->count >= DEVICE_TERMS_MIN;
    h->share_terms = share_of(h, terms->count);
    h->next = h->turn = 0;
    h->begin = 0;
    h->has_failed = false;
    GS_TRY(terms->count <= h->share_terms ? answer_shares(h, 0, st)
                                          : gs_team_run(h->team, answer_shares, h, st));
    to->offsets[terms->count] = h->begin;
    return GS_OK;
}
