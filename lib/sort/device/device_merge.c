/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/device_merge.h"

#include <pthread.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/base/thread.h"
#include "lib/sort/device/device_feed.h"
#include "lib/sort/device/device_records.h"
#include "lib/sort/device/device_text.h"
#include "lib/sort/device/run_ranges.h"

struct gs_device_merge {
    gs_device_merge_options options;
    gs_run_ranges ranges;
    gs_run_batches batches;
    gs_device_feed *feed;
    void *pinned;
    bool fits[GS_DEVICE_SLOTS_MAX]; /* what is in the slot: of the thread that fills it,
                                       then, as `filled` says, of who emits it */

    pthread_t thread; /* fills slots while another one is emitted */
    bool has_thread;
    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t changed;
    size_t filled, cleared; /* ranges; number n is in slot n % slots */
    bool is_stopped;        /* the thread is to end */
    gs_status status;       /* of the thread */
};

/* --- up ------------------------------------------------------------------------- */

static gs_code fill_range(gs_device_merge *m, size_t range, gs_status *st)
{
    const unsigned slot = (unsigned)(range % m->options.slot_count);
    const uint64_t bytes = gs_run_ranges_bytes(&m->ranges, range);
    return gs_device_feed_fill_bytes(m->feed, m->options.slots[slot], bytes,
                                     &m->fits[slot], st);
}

/* Waits until the slot of the next range is free; false if none is wanted any more. */
static bool await_slot(gs_device_merge *m, size_t *range)
{
    pthread_mutex_lock(&m->mutex);
    while (m->filled - m->cleared >= m->options.slot_count && !m->is_stopped)
        pthread_cond_wait(&m->changed, &m->mutex);
    *range = m->filled;
    const bool goes_on = !m->is_stopped && m->filled < m->ranges.count;
    pthread_mutex_unlock(&m->mutex);
    return goes_on;
}

static void note(gs_device_merge *m, size_t *count)
{
    pthread_mutex_lock(&m->mutex);
    (*count)++;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->mutex);
}

static void *fill_main(void *arg)
{
    gs_device_merge *const m = arg;
    gs_status st = {.code = GS_OK};
    size_t range;
    while (st.code == GS_OK && await_slot(m, &range))
        if (fill_range(m, range, &st) == GS_OK)
            note(m, &m->filled);
    pthread_mutex_lock(&m->mutex);
    m->status = st;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->mutex);
    return NULL;
}

static void stop(gs_device_merge *m)
{
    if (!m->has_thread)
        return;
    pthread_mutex_lock(&m->mutex);
    m->is_stopped = true;
    pthread_cond_broadcast(&m->changed);
    pthread_mutex_unlock(&m->mutex);
    pthread_join(m->thread, NULL);
    m->has_thread = false;
}

/* The range is in its slot. */
static gs_code await_range(gs_device_merge *m, size_t range, gs_status *st)
{
    if (!m->has_thread) {
        GS_TRY(fill_range(m, range, st));
        m->filled++;
        return GS_OK;
    }
    pthread_mutex_lock(&m->mutex);
    while (m->filled <= range && m->status.code == GS_OK)
        pthread_cond_wait(&m->changed, &m->mutex);
    if (m->filled <= range)
        gs_status_keep_first(st, &m->status);
    pthread_mutex_unlock(&m->mutex);
    return st->code;
}

/* --- and down ------------------------------------------------------------------- */

/* Equal records are all in one range, and one of them comes out. */
static gs_code sort_unique(gs_device_merge *m, gs_text_sort *sort, gs_sink *sink,
                           uint64_t *ticket, gs_status *st)
{
    const gs_forming *const f = m->options.forming;
    const gs_emit_options emit = {.is_unique = true};
    gs_text_result result;
    GS_TRY(gs_text_sort_run(sort, GS_TEXT_RECORDS, true, UINT64_MAX, &result, st));
    return gs_device_records_emit(f, sort, result.record_count, NULL, m->options.landing,
                                  sink, &emit, ticket, st);
}

static gs_code sort_all(gs_device_merge *m, gs_text_sort *sort, uint64_t bytes,
                        gs_sink *sink, uint64_t *ticket, gs_status *st)
{
    const gs_forming *const f = m->options.forming;
    gs_text_result result;
    GS_TRY(gs_text_sort_run(sort, GS_TEXT_OUTPUT, false, UINT64_MAX, &result, st));
    if (result.bytes != bytes)
        return GS_FAIL(st, GS_ERR_GPU, 0, "verify: of %llu bytes of runs came back %llu",
                       (unsigned long long)bytes, (unsigned long long)result.bytes);
    const gs_text_stretch all = {0, bytes};
    const gs_sorted_text text = {&sort, 1, &all, 1};
    GS_TRY(gs_device_text_emit(f, &text, m->options.landing, sink->stream, ticket, st));
    atomic_fetch_add(&sink->record_count, result.record_count);
    return GS_OK;
}

static gs_code sort_range(gs_device_merge *m, gs_text_sort *sort, uint64_t bytes,
                          gs_sink *sink, uint64_t *ticket, gs_status *st)
{
    gs_sort_stats *const stats = m->options.forming->options->stats;
    if (gs_mapped_store_drops_equals(m->options.runs))
        GS_TRY(sort_unique(m, sort, sink, ticket, st));
    else
        GS_TRY(sort_all(m, sort, bytes, sink, ticket, st));
    if (stats != NULL)
        atomic_fetch_add(&stats->merge_bytes, bytes);
    return GS_OK;
}

static gs_code emit_range(gs_device_merge *m, size_t range, gs_sink *sink,
                          uint64_t *ticket, gs_status *st)
{
    const unsigned slot = (unsigned)(range % m->options.slot_count);
    gs_text_sort *const sort = m->options.slots[slot];
    const uint64_t bytes = gs_run_ranges_bytes(&m->ranges, range);
    if (m->fits[slot]) {
        GS_TRY(sort_range(m, sort, bytes, sink, ticket, st));
    } else {
        gs_log_say(m->options.forming->options->log, GS_LOG_INFO,
                   "the cores merge a range of %llu bytes, which is too much for a GPU",
                   (unsigned long long)bytes);
        GS_TRY(gs_mapped_store_merge_part(
            m->options.runs, gs_run_ranges_begin(&m->ranges, range),
            gs_run_ranges_begin(&m->ranges, range + 1), sink, ticket, st));
    }
    gs_text_sort_reset(sort);
    return GS_OK;
}

static gs_code emit_all(gs_device_merge *m, gs_sink *sink, uint64_t ticket, gs_status *st)
{
    const gs_forming *const f = m->options.forming;
    for (size_t range = 0; range < m->ranges.count; range++) {
        GS_TRY(gs_cancel_check(f->options->cancel_signal, st));
        GS_TRY(await_range(m, range, st));
        GS_TRY(emit_range(m, range, sink, &ticket, st));
        note(m, &m->cleared);
    }
    return GS_OK;
}

/* --- all ------------------------------------------------------------------------ */

static gs_code begin(gs_device_merge *m, gs_status *st)
{
    const gs_device_merge_options *const o = &m->options;
    const gs_forming *const f = o->forming;
    const gs_text_form form = {f->layout, f->encoder, f->options->order.record_size};
    GS_TRY(gs_run_ranges_make(&m->ranges, o->runs, &form, o->range_bytes, st));
    gs_log_say(f->options->log, GS_LOG_INFO,
               "%zu runs are sorted again on the GPU, in %zu ranges", m->ranges.run_count,
               m->ranges.count);
    m->batches =
        (gs_run_batches){.ranges = &m->ranges, .block_bytes = f->plan->feed_block_bytes};
    const gs_batch_source source = gs_run_batches_source(&m->batches);
    GS_TRY(gs_device_feed_new_of(&m->feed, f, &source, st));
    size_t bytes = 0;
    gs_device_feed_area(m->feed, &m->pinned, &bytes);
    gs_text_pin(m->pinned, bytes);
    return GS_OK;
}

gs_code gs_device_merge_new(gs_device_merge **out, const gs_device_merge_options *options,
                            gs_status *st)
{
    gs_device_merge *m = NULL;
    *out = NULL;
    gs_assert(options->slot_count > 0 && options->slot_count <= GS_DEVICE_SLOTS_MAX);
    GS_TRY(gs_mem_new(&m, sizeof *m, "GPU merge", st));
    m->options = *options;
    pthread_mutex_init(&m->mutex, NULL);
    pthread_cond_init(&m->changed, NULL);
    if (begin(m, st) == GS_OK)
        *out = m;
    else
        gs_device_merge_free(m);
    return st->code;
}

gs_code gs_device_merge_run(gs_device_merge *m, gs_sink *sink, uint64_t ticket,
                            gs_status *st)
{
    gs_mapped_store_begin_pass(m->options.runs);
    if (m->options.slot_count > 1)
        m->has_thread = gs_thread_start(&m->thread, fill_main, m, 0) == 0;
    GS_NOTED(emit_all(m, sink, ticket, st));
    stop(m);
    return st->code;
}

void gs_device_merge_free(gs_device_merge *m)
{
    if (m == NULL)
        return;
    if (m->pinned != NULL)
        gs_text_unpin(m->pinned);
    gs_device_feed_free(m->feed);
    gs_run_ranges_release(&m->ranges);
    pthread_cond_destroy(&m->changed);
    pthread_mutex_destroy(&m->mutex);
    gs_mem_free(m);
}
