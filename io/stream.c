/* SPDX-License-Identifier: MIT */
#include "io/stream.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

#include "io/aio.h"
#include "io/file_pages.h"
#include "io/pipe_relay.h"
#include "io/pipe_room.h"
#include "io/write_all.h"
#include "lib/base/assertion.h"
#include "lib/base/checksum.h"
#include "lib/base/mem.h"
#include "lib/base/thread.h"

enum {
    DIRECT_ALIGN = 4096,
    WRITES_IN_FLIGHT_MAX = 8,
    /* New pages are zeros: who fills them soon finds them in the cache. */
    PAGES_AT_ONCE = 512 << 10,
};

typedef struct gs_stream_block {
    uint8_t *memory;
    uint64_t number; /* which block of the stream this slot holds */
    size_t filled_bytes;
    uint64_t write_begin_ns; /* for the trace */
} gs_stream_block;

struct gs_stream {
    gs_stream_target target;
    bool is_direct, has_set_direct;
    bool puts_write; /* there are no blocks */
    size_t block_bytes, block_count;
    gs_stream_block *blocks; /* block n lives in slot n % block_count */
    uint8_t *memory;         /* of the blocks; NULL where they are pages of the file, */
    gs_file_pages *pages;    /* and come from here; NULL: they are not */
    bool owns_memory;
    gs_aio *aio;
    gs_pipe_relay *relay; /* of a pipe; NULL: none */
    pthread_t writer;

    pthread_mutex_t mutex; /* guards what follows, and what blocks[] say of themselves */
    pthread_cond_t turn_changed, slot_freed, block_full;
    uint64_t next_ticket;
    uint64_t reserved_bytes;
    uint64_t next_write; /* first block that was not handed to the kernel */
    bool has_writer, is_finishing;
    bool is_alone;   /* no thread could be had: whoever fills a block writes */
    bool has_author; /* with is_alone: one does */
    gs_status failure;

    _Atomic uint64_t written_bytes;
};

static bool is_spread(const gs_stream *s)
{
    return s->target.spread.count > 1;
}

/* Pages of the file, or memory for what is written to it. */
static gs_code need_memory(gs_stream *s, gs_status *st)
{
    const gs_stream_target *const t = &s->target;
    gs_status refusal = {.code = GS_OK};
    if (t->fills_pages && t->sum == NULL && t->is_seekable && !is_spread(s) &&
        t->offset % DIRECT_ALIGN == 0 && gs_file_pages_fit(t->fd) &&
        gs_file_pages_new(&s->pages, t->fd, t->offset, s->block_bytes, t->space,
                          &refusal) == GS_OK)
        return GS_OK;
    gs_status_clear(&refusal);
    s->puts_write = t->puts_write && t->sum == NULL && t->is_seekable &&
                    t->take == NULL && !is_spread(s);
    if (s->puts_write)
        return GS_OK;
    s->memory = t->memory;
    s->owns_memory = t->memory == NULL;
    return !s->owns_memory ? GS_OK
                           : gs_mem_map(&s->memory, s->block_bytes * s->block_count,
                                        false, "output stream buffers", st);
}

gs_code gs_stream_new(gs_stream **out, const gs_stream_target *target, size_t block_bytes,
                      size_t block_count, gs_status *st)
{
    gs_assert(block_bytes % DIRECT_ALIGN == 0 && block_count >= 2);
    gs_assert(target->spread.count < 2 ||
              (target->spread.unit_bytes == block_bytes && target->is_seekable &&
               !target->try_direct && !target->is_direct && target->sum == NULL));
    *out = NULL;
    gs_stream *s = NULL;
    GS_TRY(gs_mem_new(&s, sizeof *s, "output stream", st));
    s->target = *target;
    s->block_bytes = block_bytes;
    s->block_count = block_count;
    s->is_direct = target->is_direct;
    pthread_mutex_init(&s->mutex, NULL);
    pthread_cond_init(&s->turn_changed, NULL);
    pthread_cond_init(&s->slot_freed, NULL);
    pthread_cond_init(&s->block_full, NULL);
    GS_TRY_OR_FAIL(gs_mem_new(&s->blocks, block_count * sizeof *s->blocks,
                              "output stream blocks", st));
    GS_TRY_OR_FAIL(need_memory(s, st));
    for (size_t i = 0; i < block_count; i++) {
        s->blocks[i].memory = s->memory != NULL ? s->memory + i * block_bytes : NULL;
        s->blocks[i].number = i;
    }
    *out = s;
    return GS_OK;
fail:
    gs_stream_free(s);
    return st->code;
}

/* Direct writes start with the first full block: what is smaller than one is better off
 * in the page cache. */
static void try_direct(gs_stream *s)
{
    if (s->is_direct || !s->target.try_direct || !s->target.is_seekable ||
        s->target.offset % DIRECT_ALIGN != 0)
        return;
    const int flags = fcntl(s->target.fd, F_GETFL);
    s->is_direct = flags >= 0 && fcntl(s->target.fd, F_SETFL, flags | O_DIRECT) == 0;
    s->has_set_direct = s->is_direct;
}

static void leave_direct(gs_stream *s)
{
    if (!s->has_set_direct)
        return;
    const int flags = fcntl(s->target.fd, F_GETFL);
    if (flags >= 0)
        (void)fcntl(s->target.fd, F_SETFL, flags & ~O_DIRECT);
    s->has_set_direct = false;
}

static void fail_locked(gs_stream *s, const gs_status *why)
{
    gs_status_keep_first(&s->failure, why);
    pthread_cond_broadcast(&s->turn_changed);
    pthread_cond_broadcast(&s->slot_freed);
    pthread_cond_broadcast(&s->block_full);
}

static gs_code write_failed(const gs_stream *s, int error, gs_status *st)
{
    (void)GS_FAIL(st, GS_ERR_IO, error, "%s", s->target.failure);
    return gs_status_hint_full_disk(st, "free some space, or choose another place for "
                                        "the output, or with -T for temporary files");
}

/* Into a pipe, or what else is written in order. */
static int write_on(const gs_stream *s, const uint8_t *data, size_t bytes)
{
    return s->relay != NULL ? gs_pipe_relay_write(s->relay, data, bytes)
                            : gs_write_all(s->target.fd, data, bytes);
}

/* To where the file has the byte, which is all in one unit if there are several. */
static int write_at(const gs_stream *s, const uint8_t *data, size_t bytes,
                    uint64_t offset)
{
    if (!is_spread(s))
        return gs_pwrite_all(s->target.fd, data, bytes, offset);
    const gs_spread_place place =
        gs_spread_find(&s->target.spread, offset - s->target.offset);
    gs_assert(bytes <= place.room);
    return gs_pwrite_all(place.file, data, bytes, s->target.offset + place.offset);
}

/* write() or pwrite() until all is gone; or whoever takes it does. */
static gs_code write_plain(const gs_stream *s, const uint8_t *data, size_t bytes,
                           uint64_t offset, gs_status *st)
{
    const uint64_t in_stream = offset - s->target.offset;
    if (!s->target.is_seekable && in_stream < s->target.skip_bytes) {
        const uint64_t left_out = s->target.skip_bytes - in_stream;
        const size_t n = left_out < bytes ? (size_t)left_out : bytes;
        data += n;
        bytes -= n;
    }
    if (s->target.take != NULL)
        return bytes > 0 ? s->target.take(s->target.take_context, data, bytes, st)
                         : GS_OK;
    const int error = s->target.is_seekable ? write_at(s, data, bytes, offset)
                                            : write_on(s, data, bytes);
    return error == 0 ? GS_OK : write_failed(s, error, st);
}

/* What was written is in the pipe. */
static gs_code flush(const gs_stream *s, gs_status *st)
{
    const int error = s->relay != NULL ? gs_pipe_relay_flush(s->relay) : 0;
    return error == 0 ? GS_OK : write_failed(s, error, st);
}

/* The block is written. */
static void free_slot(gs_stream *s, gs_stream_block *block)
{
    atomic_fetch_add(&s->written_bytes, s->block_bytes);
    pthread_mutex_lock(&s->mutex);
    gs_trace_end(s->target.trace, GS_LANE_WRITE, (unsigned)(block - s->blocks), "write",
                 block->write_begin_ns, s->block_bytes);
    block->filled_bytes = 0;
    block->number += s->block_count;
    pthread_cond_broadcast(&s->slot_freed);
    pthread_mutex_unlock(&s->mutex);
}

/* Waits for one write and frees its slot. Called without the lock. */
static gs_code reap(gs_stream *s, gs_status *st)
{
    gs_aio_done done;
    GS_TRY(gs_aio_wait(s->aio, &done, st));
    if (done.result < 0)
        return write_failed(s, (int)-done.result, st);
    if ((uint64_t)done.result < s->block_bytes)
        return write_failed(s, ENOSPC, st);
    free_slot(s, done.tag);
    return GS_OK;
}

static gs_code write_block(gs_stream *s, gs_stream_block *block, gs_status *st)
{
    const uint64_t offset = s->target.offset + block->number * s->block_bytes;
    block->write_begin_ns = gs_trace_begin(s->target.trace);
    if (s->target.sum != NULL)
        gs_checksum_add(s->target.sum, block->memory, s->block_bytes);
    if (s->aio != NULL)
        return gs_aio_write(s->aio, s->target.fd, block->memory, s->block_bytes, offset,
                            block, st);
    GS_TRY(write_plain(s, block->memory, s->block_bytes, offset, st));
    free_slot(s, block);
    return GS_OK;
}

/* The next block, to be written; NULL until it is full. */
static gs_stream_block *take_full_locked(gs_stream *s)
{
    gs_stream_block *const block = &s->blocks[s->next_write % s->block_count];
    if (s->failure.code != GS_OK || block->number != s->next_write ||
        block->filled_bytes < s->block_bytes)
        return NULL;
    s->next_write++;
    return block;
}

/* The writer thread: takes full blocks in order, keeps several in flight on a file; what
 * goes to a pipe is in it before it waits for the next. */
static gs_code write_full_blocks(gs_stream *s, gs_status *st)
{
    for (bool is_flushed = true;;) {
        pthread_mutex_lock(&s->mutex);
        gs_stream_block *block;
        const bool may_reap = s->aio != NULL && gs_aio_in_flight(s->aio) > 0;
        while ((block = take_full_locked(s)) == NULL && !may_reap && is_flushed &&
               s->failure.code == GS_OK && !s->is_finishing)
            pthread_cond_wait(&s->block_full, &s->mutex);
        const bool has_failed = s->failure.code != GS_OK;
        const bool is_finishing = s->is_finishing;
        pthread_mutex_unlock(&s->mutex);
        if (has_failed) /* the thread that failed has reported it, and what is written is
                         * told as written */
            return flush(s, st);
        if (block != NULL) {
            GS_TRY(write_block(s, block, st));
            is_flushed = s->relay == NULL;
            if (s->aio != NULL && gs_aio_in_flight(s->aio) >= WRITES_IN_FLIGHT_MAX)
                GS_TRY(reap(s, st));
        } else if (may_reap) {
            GS_TRY(reap(s, st));
        } else if (!is_flushed) {
            GS_TRY(flush(s, st));
            is_flushed = true;
        } else if (is_finishing) {
            return GS_OK;
        }
    }
}

static void *writer_main(void *arg)
{
    gs_stream *const s = arg;
    gs_status st = {.code = GS_OK};
    if (s->aio != NULL) /* which takes pages for all blocks: the others fill theirs */
        gs_aio_register(s->aio, s->memory, s->block_bytes * s->block_count);
    if (write_full_blocks(s, &st) != GS_OK)
        gs_stream_abort(s, &st);
    return NULL;
}

/* Writes what is full, in place of a writer. What others fill meanwhile is theirs. */
static void write_alone_locked(gs_stream *s)
{
    if (s->has_author)
        return;
    s->has_author = true;
    for (gs_stream_block *block; (block = take_full_locked(s)) != NULL;) {
        gs_status st = {.code = GS_OK};
        pthread_mutex_unlock(&s->mutex);
        const gs_code code = write_block(s, block, &st);
        pthread_mutex_lock(&s->mutex);
        if (code != GS_OK)
            fail_locked(s, &st);
    }
    s->has_author = false;
}

/* Blocks are copied into pipes of our own, and not given to them (vmsplice): who reads
 * may pass their pages on, so that they could not be used again, and new ones for each
 * block cost three times what the copy does. */
static void begin_pipe(gs_stream *s)
{
    const bool is_pipe = !s->target.is_seekable && s->target.take == NULL;
    if (is_pipe && gs_pipe_widen(s->target.fd) > 0 && s->target.pipe_lanes > 0)
        s->relay = gs_pipe_relay_new(s->target.fd, s->target.pipe_lanes);
}

static gs_code start_writer_locked(gs_stream *s, gs_status *st)
{
    try_direct(s);
    begin_pipe(s);
    /* Without O_DIRECT the kernel copies at once; one thread does that best itself. */
    if (s->target.is_seekable && s->is_direct) {
        const unsigned depth = s->block_count < WRITES_IN_FLIGHT_MAX + 1
                                   ? (unsigned)s->block_count
                                   : WRITES_IN_FLIGHT_MAX + 1;
        GS_TRY(gs_aio_new(&s->aio, depth, s->target.no_uring, st));
    }
    /* SIGPIPE is sent to the thread that writes. */
    const int error =
        gs_thread_start(&s->writer, writer_main, s, s->target.ends_by_pipe ? SIGPIPE : 0);
    s->has_writer = error == 0;
    s->is_alone = error != 0;
    if (s->is_alone) {
        gs_aio_free(s->aio);
        s->aio = NULL;
        gs_pipe_relay_free(s->relay);
        s->relay = NULL;
    }
    return GS_OK;
}

gs_code gs_stream_reserve(gs_stream *s, uint64_t ticket, uint64_t bytes, bool is_last,
                          uint64_t *offset, gs_status *st)
{
    pthread_mutex_lock(&s->mutex);
    while (s->next_ticket != ticket && s->failure.code == GS_OK)
        pthread_cond_wait(&s->turn_changed, &s->mutex);
    if (s->failure.code == GS_OK) {
        *offset = s->reserved_bytes;
        s->reserved_bytes += bytes;
        if (is_last) {
            s->next_ticket++;
            pthread_cond_broadcast(&s->turn_changed);
        }
    }
    gs_status_keep_first(st, &s->failure);
    pthread_mutex_unlock(&s->mutex);
    return st->code;
}

bool gs_stream_is_turn(gs_stream *s, uint64_t ticket)
{
    pthread_mutex_lock(&s->mutex);
    const bool is_turn = s->next_ticket == ticket || s->failure.code != GS_OK;
    pthread_mutex_unlock(&s->mutex);
    return is_turn;
}

gs_code gs_stream_map(gs_stream *s, uint64_t offset, size_t bytes, uint8_t **memory,
                      size_t *room, gs_status *st)
{
    const uint64_t number = offset / s->block_bytes;
    gs_stream_block *const block = &s->blocks[number % s->block_count];
    const size_t inside = (size_t)(offset % s->block_bytes);
    gs_assert(!s->puts_write);
    pthread_mutex_lock(&s->mutex);
    while (block->number != number && s->failure.code == GS_OK)
        pthread_cond_wait(&s->slot_freed, &s->mutex);
    gs_status_keep_first(st, &s->failure);
    const uint64_t file_bytes = s->reserved_bytes;
    pthread_mutex_unlock(&s->mutex);
    *memory = block->memory != NULL ? block->memory + inside : NULL; /* pages: below */
    *room = s->block_bytes - inside < bytes ? s->block_bytes - inside : bytes;
    if (s->pages == NULL || st->code != GS_OK)
        return st->code;
    if (*room > PAGES_AT_ONCE)
        *room = PAGES_AT_ONCE;
    const int error = gs_file_pages_get(s->pages, offset, *room, file_bytes, memory);
    if (error == 0)
        return GS_OK;
    (void)write_failed(s, error, st);
    gs_stream_abort(s, st);
    return st->code;
}

/* A block is full, and somebody is to write it. */
static void see_full_locked(gs_stream *s)
{
    gs_status st = {.code = GS_OK};
    if (!s->has_writer && !s->is_alone && s->failure.code == GS_OK &&
        start_writer_locked(s, &st) != GS_OK)
        fail_locked(s, &st);
    if (s->is_alone)
        write_alone_locked(s);
    pthread_cond_signal(&s->block_full);
}

/* By whoever filled it: others write to other files meanwhile. */
static void write_own(gs_stream *s, gs_stream_block *block)
{
    gs_status st = {.code = GS_OK};
    if (write_block(s, block, &st) != GS_OK)
        gs_stream_abort(s, &st);
}

void gs_stream_filled(gs_stream *s, uint64_t offset, size_t bytes)
{
    gs_stream_block *const block = &s->blocks[(offset / s->block_bytes) % s->block_count];
    pthread_mutex_lock(&s->mutex);
    block->filled_bytes += bytes;
    gs_assert(block->filled_bytes <= s->block_bytes);
    const bool is_full = block->filled_bytes == s->block_bytes;
    if (is_full && s->pages == NULL && !is_spread(s))
        see_full_locked(s);
    pthread_mutex_unlock(&s->mutex);
    if (is_full && is_spread(s))
        write_own(s, block);
    if (is_full && s->pages != NULL) {
        block->write_begin_ns = gs_trace_begin(s->target.trace);
        gs_file_pages_drop(s->pages, block->number * s->block_bytes);
        free_slot(s, block);
    }
}

/* By as many threads as there are: the kernel copies for one at a time. */
static gs_code write_put(gs_stream *s, uint64_t offset, const void *data, size_t bytes,
                         gs_status *st)
{
    if (write_plain(s, data, bytes, s->target.offset + offset, st) == GS_OK)
        atomic_fetch_add(&s->written_bytes, bytes);
    else
        gs_stream_abort(s, st);
    return st->code;
}

bool gs_stream_puts_write(const gs_stream *s)
{
    return s->puts_write;
}

gs_code gs_stream_put(gs_stream *s, uint64_t offset, const void *data, size_t bytes,
                      gs_status *st)
{
    if (s->puts_write)
        return write_put(s, offset, data, bytes, st);
    const uint8_t *from = data;
    while (bytes > 0) {
        uint8_t *to;
        size_t room;
        GS_TRY(gs_stream_map(s, offset, bytes, &to, &room, st));
        memcpy(to, from, room);
        gs_stream_filled(s, offset, room);
        from += room;
        offset += room;
        bytes -= room;
    }
    return GS_OK;
}

static void join_writer(gs_stream *s)
{
    if (!s->has_writer)
        return;
    pthread_mutex_lock(&s->mutex);
    s->is_finishing = true;
    pthread_cond_signal(&s->block_full);
    pthread_mutex_unlock(&s->mutex);
    pthread_join(s->writer, NULL);
    s->has_writer = false;
}

gs_code gs_stream_finish(gs_stream *s, uint64_t *total, gs_status *st)
{
    join_writer(s);
    *total = s->reserved_bytes;
    gs_status_keep_first(st, &s->failure);
    if (st->code != GS_OK || s->puts_write)
        return st->code;
    const uint64_t number = s->reserved_bytes / s->block_bytes;
    const size_t tail_bytes = (size_t)(s->reserved_bytes % s->block_bytes);
    if (tail_bytes == 0)
        return GS_OK; /* the writer has flushed */
    const gs_stream_block *const block = &s->blocks[number % s->block_count];
    gs_assert(block->number == number && block->filled_bytes == tail_bytes);
    size_t bytes = tail_bytes;
    if (s->target.sum != NULL)
        gs_checksum_add(s->target.sum, block->memory, tail_bytes);
    if (s->pages != NULL) {
        atomic_fetch_add(&s->written_bytes, tail_bytes);
        return GS_OK;
    }
    if (s->is_direct) {
        bytes = (tail_bytes + DIRECT_ALIGN - 1) / DIRECT_ALIGN * DIRECT_ALIGN;
        memset(block->memory + tail_bytes, 0, bytes - tail_bytes);
    }
    GS_TRY(write_plain(s, block->memory, bytes,
                       s->target.offset + number * s->block_bytes, st));
    atomic_fetch_add(&s->written_bytes, tail_bytes);
    return flush(s, st);
}

void gs_stream_abort(gs_stream *s, const gs_status *why)
{
    pthread_mutex_lock(&s->mutex);
    fail_locked(s, why);
    pthread_mutex_unlock(&s->mutex);
}

uint64_t gs_stream_bytes_written(const gs_stream *s)
{
    return atomic_load(&s->written_bytes);
}

void gs_stream_free(gs_stream *s)
{
    if (s == NULL)
        return;
    join_writer(s);
    gs_pipe_relay_free(s->relay);
    gs_aio_free(s->aio);
    leave_direct(s);
    pthread_cond_destroy(&s->block_full);
    pthread_cond_destroy(&s->slot_freed);
    pthread_cond_destroy(&s->turn_changed);
    pthread_mutex_destroy(&s->mutex);
    if (s->owns_memory && s->memory != NULL)
        gs_mem_unmap(s->memory, s->block_bytes * s->block_count);
    gs_file_pages_free(s->pages);
    gs_mem_free(s->blocks);
    gs_mem_free(s);
}

bool gs_stream_fills_pages(const gs_stream *s)
{
    return s->pages != NULL;
}
