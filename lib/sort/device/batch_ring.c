/* SPDX-License-Identifier: MIT */
#include "lib/sort/device/batch_ring.h"

#include <pthread.h>
#include <signal.h>
#include <string.h>

#include "io/write_all.h"
#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/base/thread.h"

enum {
    SLICE_BYTES = 256 << 10, /* read and counted at a time: still in a core's own cache */
    LEAVE_BYTES = 4 << 20,   /* of the map, at a time */
    CORES_A_SENDER = 8,      /* of so many one is left for who sends batches up */
};

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
    size_t left_to;    /* in the file that batches are of, pages were left up to here */
    gs_status failure; /* the first */
};

/* --- the input ---------------------------------------------------------------------- */

bool gs_batch_ring_map(const gs_forming *f, int output_fd, gs_file_map *map)
{
    const gs_sort_options *const o = f->options;
    /* Of a table with a header the beginning has been read. */
    const bool is_begun = o->has_columns && o->header_lines > 0;
    if (is_begun || o->order.form != GS_FORM_LINES || f->plan->is_space_limited ||
        f->has_runs || !gs_input_map(f->input, output_fd, 0, map))
        return false;
    gs_line_feed_map(f->feed, map, f->plan->feed_block_bytes);
    gs_log_say(o->log, GS_LOG_INFO,
               "the input is in the page cache and read by %u threads",
               gs_team_workers(f->team));
    return true;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* The end of the last whole record of what was read just now, data[at, end), from data
 * on; 0 if there is none. */
static size_t whole_records(const gs_record_form *form, const uint8_t *data, size_t at,
                            size_t end)
{
    if (form->record_size > 0)
        return end / form->record_size * form->record_size;
    const uint8_t *const last = memrchr(data + at, form->eol, end - at);
    return last != NULL ? (size_t)(last - data) + 1 : 0;
}

static gs_code read_batch(const gs_forming *f, const gs_line_batch *from, uint8_t *to,
                          gs_multiset *records, gs_status *st)
{
    const int fd = f->map->files[from->input_index].fd;
    const gs_record_form *const form = &f->watched->form;
    size_t counted = 0;
    for (size_t at = 0; at < from->bytes;) {
        const size_t n = least(from->bytes - at, SLICE_BYTES);
        size_t taken = 0;
        const int error = gs_pread_all(fd, to + at, n, from->offset + at, &taken);
        if (error != 0 || taken < n)
            return gs_map_name_fail(from->data, error, st);
        const size_t begin = at > counted ? at - counted : 0;
        at += n;
        const size_t whole = at < from->bytes
                                 ? whole_records(form, to + counted, begin, at - counted)
                                 : from->bytes - counted;
        gs_multiset_add_text(records, form, to + counted, whole);
        counted += whole;
    }
    /* It was cut here; a device puts batches one behind the other. */
    const bool has_eol = form->record_size > 0 || from->lacks_final_eol ||
                         to[from->bytes - 1] == form->eol;
    return has_eol ? GS_OK : gs_map_name_fail_changed(from->data, st);
}

/* --- threads ------------------------------------------------------------------------ */

static bool goes_on(const gs_batch_ring *r)
{
    return !r->is_stopped && !r->is_all_taken && r->failure.code == GS_OK;
}

/* The pages that the feed has looked at to find ends of batches count as ours no more: of
 * some batches at a time, as it is a call that all cores hear of. A look brings pages on
 * both sides, up to a large one. Nobody else looks at them. */
static void leave_pages(gs_batch_ring *r, const gs_line_batch *batch)
{
    const gs_mapped_file *const file = &r->forming->map->files[batch->input_index];
    const uint8_t *const text = r->forming->map->base + file->begin;
    const size_t end = (size_t)(batch->data - text) + batch->bytes;
    if (end < file->bytes && end - r->left_to < LEAVE_BYTES)
        return;
    const size_t from = r->left_to - least(r->left_to, GS_MEM_LARGE_PAGE),
                 to = least(file->bytes, end + GS_MEM_LARGE_PAGE);
    gs_file_map_leave_part(text + from, to - from);
    r->left_to = end < file->bytes ? end : 0;
}

static gs_code next_of_feed(gs_batch_ring *r, gs_line_batch *batch, bool *has_batch,
                            gs_status *st)
{
    const gs_forming *const f = r->forming;
    GS_TRY(gs_cancel_check(f->options->cancel_signal, st));
    GS_TRY(gs_line_feed_next(f->feed, batch, has_batch, st));
    if (*has_batch)
        leave_pages(r, batch);
    return GS_OK;
}

/* The next batch, and the block it goes to; false if there is nothing more to do. */
static bool take_batch(gs_batch_ring *r, gs_line_batch *batch, ring_block **block)
{
    bool has_batch = false;
    pthread_mutex_lock(&r->mutex);
    while (goes_on(r) && r->taken - r->released == r->block_count)
        pthread_cond_wait(&r->has_room, &r->mutex);
    if (goes_on(r)) {
        const gs_code code = next_of_feed(r, batch, &has_batch, &r->failure);
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
    return read_batch(r->forming, batch, to, &block->batch.records, st);
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

gs_code gs_batch_ring_new(gs_batch_ring **out, const gs_forming *forming, gs_status *st)
{
    gs_batch_ring *r = NULL;
    *out = NULL;
    gs_assert(forming->map != NULL);
    GS_TRY(gs_mem_new(&r, sizeof *r, "batch ring", st));
    r->forming = forming;
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
    return *is_ended ? gs_file_map_check(r->forming->map, st) : st->code;
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
