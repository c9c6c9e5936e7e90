/* SPDX-License-Identifier: MIT */
#include "lib/index/lookup/prefix_ranks.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "gpu/device/device.h"
#include "gpu/engine/engine.h"
#include "gpu/search/key_search.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/thread.h"

/* Measured (gpu/NOTES.md): driver and context, to their end; pageable memory to the
 * device; a query on one core, by how many keys there are; a query on a GPU in batches of
 * 65536, with what taking it there costs the one thread that does so. */
enum { START_MS = 400, UPLOAD_KEYS_PER_MS = 1250000, GPU_QUERY_PS = 4000 };

static uint64_t core_query_ps(size_t key_count)
{
    return key_count <= 4000000 ? 15000 : key_count <= 16000000 ? 25000 : 35000;
}

struct gs_prefix_ranks {
    gs_prefix_ranks_options options;
    bool is_forced;
    bool has_thread;
    pthread_t thread;
    gs_key_search *search; /* the main thread's, after the thread has been joined */

    pthread_mutex_t mutex; /* guards what follows */
    bool is_started;       /* or failed to */
    gs_key_search *started;
};

static bool is_worth_it(const gs_prefix_ranks_options *o)
{
    const uint64_t start_ms = START_MS + o->key_count / UPLOAD_KEYS_PER_MS;
    const uint64_t cpu_ps = core_query_ps(o->key_count) / o->threads;
    return cpu_ps > GPU_QUERY_PS &&
           o->expected_queries / 1000000 * (cpu_ps - GPU_QUERY_PS) / 1000 >
               2 * start_ms &&
           gs_device_is_likely();
}

/* Without a GPU it is the same, only slower: worth a word if a GPU was asked for. */
static void fall_back(const gs_prefix_ranks *r, const gs_status *st)
{
    gs_log_say(r->options.log, r->is_forced ? GS_LOG_WARNING : GS_LOG_INFO,
               "%s; the CPU searches instead", st->msg);
}

static void *start(void *arg)
{
    gs_prefix_ranks *const r = arg;
    gs_status st = {.code = GS_OK};
    gs_key_search *search = NULL;
    const gs_key_search_options options = {.device = r->options.device,
                                           .keys = r->options.keys,
                                           .key_count = r->options.key_count,
                                           .query_count_max = r->options.query_count_max};
    if (gs_key_search_new(&search, &options, &st) != GS_OK)
        fall_back(r, &st);
    pthread_mutex_lock(&r->mutex);
    r->started = search;
    r->is_started = true;
    pthread_mutex_unlock(&r->mutex);
    return NULL;
}

/* Signals go to the thread that main runs on. SIGBUS, of a page of the index that is
 * gone, comes to the thread that looked at the page. */
static void start_thread(gs_prefix_ranks *r)
{
    r->has_thread = gs_thread_start(&r->thread, start, r, SIGBUS) == 0;
    if (!r->has_thread && r->is_forced)
        (void)start(r);
}

static bool is_forced(const gs_prefix_ranks_options *o)
{
    return o->engine != NULL && strcmp(o->engine, "gpu") == 0;
}

bool gs_prefix_ranks_are_wanted(const gs_prefix_ranks_options *o)
{
    return is_forced(o) || (gs_engine_is_auto(o->engine) && is_worth_it(o));
}

gs_code gs_prefix_ranks_new(gs_prefix_ranks **out, const gs_prefix_ranks_options *options,
                            gs_status *st)
{
    *out = NULL;
    gs_assert(options->threads > 0);
    gs_prefix_ranks *r = NULL;
    GS_TRY(gs_mem_new(&r, sizeof *r, "prefix ranks", st));
    r->options = *options;
    pthread_mutex_init(&r->mutex, NULL);
    r->is_forced = is_forced(options);
    if (gs_prefix_ranks_are_wanted(options))
        start_thread(r);
    *out = r;
    return GS_OK;
}

static void join(gs_prefix_ranks *r)
{
    if (r->has_thread)
        (void)pthread_join(r->thread, NULL);
    r->has_thread = false;
    r->search = r->started;
    r->started = NULL;
}

void gs_prefix_ranks_free(gs_prefix_ranks *r)
{
    if (r == NULL)
        return;
    if (r->has_thread)
        join(r);
    gs_key_search_free(r->search);
    (void)pthread_mutex_destroy(&r->mutex);
    gs_mem_free(r);
}

bool gs_prefix_ranks_is_ready(gs_prefix_ranks *r)
{
    if (r->search != NULL)
        return true;
    pthread_mutex_lock(&r->mutex);
    const bool is_started = r->is_started;
    pthread_mutex_unlock(&r->mutex);
    if (is_started || (r->is_forced && r->has_thread)) {
        join(r);
        r->is_started = false; /* nobody else looks at it any more */
    }
    return r->search != NULL;
}

static gs_code find_on_gpu(gs_prefix_ranks *r, const uint64_t *queries,
                           size_t query_count, uint32_t *ranks, gs_status *st)
{
    gs_key_search *const s = r->search;
    memcpy(gs_key_search_queries(s), queries, query_count * sizeof *queries);
    GS_TRY(gs_key_search_submit(s, query_count, GS_KEY_DIRECT, 0, st));
    GS_TRY(gs_key_search_wait(s, st));
    memcpy(ranks, gs_key_search_ranks(s), query_count * sizeof *ranks);
    return GS_OK;
}

bool gs_prefix_ranks_find(gs_prefix_ranks *r, const uint64_t *queries, size_t query_count,
                          uint32_t *ranks)
{
    gs_assert(r->search != NULL && query_count <= r->options.query_count_max);
    gs_status st = {.code = GS_OK};
    if (find_on_gpu(r, queries, query_count, ranks, &st) == GS_OK)
        return true;
    fall_back(r, &st);
    gs_key_search_free(r->search);
    r->search = NULL;
    return false;
}
