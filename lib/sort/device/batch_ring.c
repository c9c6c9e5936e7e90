/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/batch_ring.h"

#include <pthread.h>
#include <signal.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/base/thread.h"

enum { CORES_A_SENDER = 8 }; /* of so many one is left for who sends batches up */

typedef struct ring_block {
    uint8_t *memory;
    uint8_t *own; /* instead, for a record that is longer than a block */
    size_t own_bytes;
    gs_ring_batch batch;
    bool is_ready; /* guarded by the mutex */
} ring_block;

typedef struct ring_thread {
    gs_batch_ring *ring;
    unsigned number;
    pthread_t thread;
} ring_thread;

struct gs_batch_ring {
    const gs_forming *forming;
    gs_batch_source source;
    ring_block *blocks;
    size_t block_count;
    uint8_t *area;
    size_t area_bytes;
    ring_thread *threads;
    unsigned thread_count;

    pthread_mutex_t mutex;             /* guards what follows */
    pthread_cond_t has_room, is_ready; /* for threads; for who asks for the next */
    uint64_t taken, given, released;   /* batches; each is at most the one before */
    bool is_all_taken, is_stopped;
    gs_status failure; /* the first */
};

/* --- threads ------------------------------------------------------------------------ */

static bool goes_on(const gs_batch_ring *r)
{
    return !r->is_stopped && !r->is_all_taken && r->failure.code == GS_OK;
}

static gs_code next_of_source(gs_batch_ring *r, gs_line_batch *batch, bool *has_batch,
                              gs_status *st)
{
    GS_TRY(gs_cancel_check(r->forming->options->cancel_signal, st));
    return r->source.next(r->source.context, batch, has_batch, st);
}

/* The next batch, and the block it goes to; false if there is nothing more to do. */
static bool take_batch(gs_batch_ring *r, gs_line_batch *batch, ring_block **block)
{
    bool has_batch = false;
    pthread_mutex_lock(&r->mutex);
    while (goes_on(r) && r->taken - r->released == r->block_count)
        pthread_cond_wait(&r->has_room, &r->mutex);
    if (goes_on(r)) {
        const gs_code code = next_of_source(r, batch, &has_batch, &r->failure);
        r->is_all_taken = !has_batch;
        if (code != GS_OK || !has_batch) {
            pthread_cond_broadcast(&r->has_room);
            pthread_cond_signal(&r->is_ready);
        } else {
            *block = &r->blocks[r->taken++ % r->block_count];
        }
    }
    pthread_mutex_unlock(&r->mutex);
    return has_batch;
}

static gs_code fill_block(const gs_batch_ring *r, const gs_line_batch *batch,
                          ring_block *block, gs_status *st)
{
    uint8_t *to = block->memory;
    gs_assert(batch->bytes > 0 && block->own == NULL);
    if (batch->bytes > r->forming->plan->feed_block_bytes) {
        const size_t bytes = batch->bytes + GS_BLOCK_SLACK;
        GS_TRY(gs_mem_map(&block->own, bytes, false, "a long record", st));
        block->own_bytes = bytes;
        to = block->own;
    }
    block->batch = (gs_ring_batch){
        .data = to, .bytes = batch->bytes, .lacks_final_eol = batch->lacks_final_eol};
    return r->source.read(r->source.context, batch, to, &block->batch, st);
}

static void *read_main(void *arg)
{
    const ring_thread *const self = arg;
    gs_batch_ring *const r = self->ring;
    gs_trace *const trace = r->forming->options->trace;
    gs_line_batch batch;
    ring_block *block = NULL;
    while (take_batch(r, &batch, &block)) {
        gs_status st = {.code = GS_OK};
        const uint64_t begin_ns = gs_trace_begin(trace);
        GS_NOTED(fill_block(r, &batch, block, &st));
        gs_trace_end(trace, GS_LANE_READ, self->number, "read and count", begin_ns,
                     batch.bytes);
        gs_line_batch_release(&batch);
        pthread_mutex_lock(&r->mutex);
        gs_status_keep_first(&r->failure, &st);
        block->is_ready = true;
        if (st.code != GS_OK)
            pthread_cond_broadcast(&r->has_room);
        if (block == &r->blocks[r->given % r->block_count])
            pthread_cond_signal(&r->is_ready);
        pthread_mutex_unlock(&r->mutex);
    }
    return NULL;
}

/* Who asks for the batches, and the driver, need a core when a batch is ready, or all
 * wait for them. Fewer threads will do where the system has no more; the pages that they
 * look at may be gone, which is for who handles SIGBUS. */
static gs_code start_threads(gs_batch_ring *r, gs_status *st)
{
    const unsigned workers = gs_team_workers(r->forming->team),
                   wanted = workers - workers / CORES_A_SENDER;
    GS_TRY(gs_mem_new_array(&r->threads, wanted, sizeof *r->threads, "batch ring", st));
    while (r->thread_count < wanted) {
        ring_thread *const t = &r->threads[r->thread_count];
        *t = (ring_thread){.ring = r, .number = r->thread_count};
        const int error = gs_thread_start(&t->thread, read_main, t, SIGBUS);
        if (error != 0 && r->thread_count == 0)
            return GS_FAIL(st, GS_ERR_NOMEM, error, "cannot start a thread");
        if (error != 0)
            break;
        r->thread_count++;
    }
    return GS_OK;
}

static void stop_threads(gs_batch_ring *r)
{
    pthread_mutex_lock(&r->mutex);
    r->is_stopped = true;
    pthread_cond_broadcast(&r->has_room);
    pthread_mutex_unlock(&r->mutex);
    while (r->thread_count > 0)
        pthread_join(r->threads[--r->thread_count].thread, NULL);
}

/* --- the ring ----------------------------------------------------------------------- */

static gs_code new_blocks(gs_batch_ring *r, gs_status *st)
{
    const gs_memory_plan *const plan = r->forming->plan;
    const size_t stride = plan->feed_block_bytes + GS_BLOCK_SLACK;
    GS_TRY(gs_mem_new_array(&r->blocks, plan->feed_blocks, sizeof *r->blocks,
                            "batch ring", st));
    GS_TRY(gs_mem_size_mul(&r->area_bytes, stride, plan->feed_blocks, st));
    GS_TRY(gs_mem_map(&r->area, r->area_bytes, true, "blocks for the GPU", st));
    r->block_count = plan->feed_blocks;
    for (size_t i = 0; i < r->block_count; i++)
        r->blocks[i].memory = r->area + i * stride;
    return GS_OK;
}

gs_code gs_batch_ring_new(gs_batch_ring **out, const gs_forming *forming,
                          const gs_batch_source *source, gs_status *st)
{
    gs_batch_ring *r = NULL;
    *out = NULL;
    GS_TRY(gs_mem_new(&r, sizeof *r, "batch ring", st));
    r->forming = forming;
    r->source = *source;
    pthread_mutex_init(&r->mutex, NULL);
    pthread_cond_init(&r->has_room, NULL);
    pthread_cond_init(&r->is_ready, NULL);
    GS_TRY_OR_FAIL(new_blocks(r, st));
    GS_TRY_OR_FAIL(start_threads(r, st));
    *out = r;
    return GS_OK;
fail:
    gs_batch_ring_free(r);
    return st->code;
}

static void drop_own(ring_block *block)
{
    gs_mem_unmap(block->own, block->own_bytes);
    block->own = NULL;
}

void gs_batch_ring_free(gs_batch_ring *r)
{
    if (r == NULL)
        return;
    stop_threads(r);
    for (size_t i = 0; i < r->block_count; i++)
        drop_own(&r->blocks[i]);
    gs_mem_unmap(r->area, r->area_bytes);
    gs_mem_free(r->blocks);
    gs_mem_free(r->threads);
    pthread_cond_destroy(&r->is_ready);
    pthread_cond_destroy(&r->has_room);
    pthread_mutex_destroy(&r->mutex);
    gs_mem_free(r);
}

void gs_batch_ring_area(const gs_batch_ring *r, void **area, size_t *bytes)
{
    *area = r->area;
    *bytes = r->area_bytes;
}

size_t gs_batch_ring_blocks(const gs_batch_ring *r)
{
    return r->block_count;
}

gs_code gs_batch_ring_next(gs_batch_ring *r, bool may_wait, const gs_ring_batch **out,
                           bool *is_ended, gs_status *st)
{
    *out = NULL;
    *is_ended = false;
    pthread_mutex_lock(&r->mutex);
    for (;;) {
        const ring_block *const block = &r->blocks[r->given % r->block_count];
        const bool is_taken = r->given < r->taken;
        gs_status_keep_first(st, &r->failure);
        *is_ended = !is_taken && r->is_all_taken && st->code == GS_OK;
        if (st->code == GS_OK && is_taken && block->is_ready)
            *out = &block->batch;
        if (st->code != GS_OK || *is_ended || *out != NULL || !may_wait)
            break;
        pthread_cond_wait(&r->is_ready, &r->mutex);
    }
    pthread_mutex_unlock(&r->mutex);
    return *is_ended && r->source.end != NULL ? r->source.end(r->source.context, st)
                                              : st->code;
}

void gs_batch_ring_give(gs_batch_ring *r)
{
    pthread_mutex_lock(&r->mutex);
    gs_assert(r->given < r->taken && r->blocks[r->given % r->block_count].is_ready);
    r->given++;
    pthread_mutex_unlock(&r->mutex);
}

void gs_batch_ring_release(gs_batch_ring *r)
{
    pthread_mutex_lock(&r->mutex);
    gs_assert(r->released < r->given);
    ring_block *const block = &r->blocks[r->released % r->block_count];
    drop_own(block);
    block->is_ready = false;
    r->released++;
    pthread_cond_signal(&r->has_room);
    pthread_mutex_unlock(&r->mutex);
}
