/* SPDX-License-Identifier: MIT */
#include "io/pump.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "io/pipe_room.h"
#include "io/wait_read.h"
#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/base/thread.h"

enum {
    STORED_BYTES = 128 * 1024, /* compressed bytes read at once */
    QUEUE_MAX = 3,             /* blocks that wait for the caller, of one file */
};

typedef struct gs_pump {
    gs_pumps *all;
    gs_pump_file file;
    unsigned lane; /* of the trace */
    gs_decoder *decoder;
    uint8_t *stored; /* compressed bytes not decoded yet */
    size_t stored_at, stored_end;
    size_t head_at;   /* what comes before is taken from the head */
    uint64_t copy_at; /* the same of the copy */
    pthread_t thread;
    bool has_thread; /* else who asks for a block reads it */
    bool has_begun;  /* the first bytes of a pipe were looked at */
    bool is_alone;   /* no thread could be had */

    /* Guarded by the mutex of all. */
    gs_block *filling; /* the thread's, while it runs */
    gs_block *queue[QUEUE_MAX];
    size_t queued;
    bool is_ended;
    gs_status status;
} gs_pump;

struct gs_pumps {
    const char *const *names;
    const gs_input_options *options;
    size_t queue_max;      /* blocks that wait for the caller, of one file */
    size_t ahead_max;      /* blocks of files whose turn has not come, all together */
    pthread_mutex_t mutex; /* guards what follows, and what the pumps say */
    pthread_cond_t changed;
    gs_pump *open[GS_INPUT_FILES_MAX]; /* in the order of their turns */
    size_t count;
    bool is_cancelled;
};

gs_code gs_pumps_new(gs_pumps **out, const char *const *names,
                     const gs_input_options *options, gs_status *st)
{
    const size_t blocks = options->blocks_in_flight, head = GS_PUMPS_HEAD_BLOCKS;
    *out = NULL;
    gs_pumps *pumps = NULL;
    GS_TRY(gs_mem_new(&pumps, sizeof *pumps, "input pumps", st));
    pumps->names = names;
    pumps->options = options;
    pumps->queue_max = blocks < QUEUE_MAX ? blocks : QUEUE_MAX;
    pumps->ahead_max = blocks > head ? blocks - head : 0;
    pthread_mutex_init(&pumps->mutex, NULL);
    pthread_cond_init(&pumps->changed, NULL);
    *out = pumps;
    return GS_OK;
}

size_t gs_pumps_count(const gs_pumps *pumps)
{
    return pumps->count;
}

size_t gs_pumps_decode_bytes(const gs_pumps *pumps)
{
    size_t sum = 0;
    for (size_t i = 0; i < pumps->count; i++)
        sum += pumps->open[i]->file.decode_bytes;
    return sum;
}

/* --- a pump's thread -------------------------------------------------------------- */

static gs_code fail_read(const gs_pump *p, int error, gs_status *st)
{
    gs_quoted name;
    if (error == ECANCELED)
        GS_TRY(gs_cancel_check(p->all->options->cancel, st));
    return GS_FAIL(st, GS_ERR_IO, error, "read failed: %s",
                   gs_quote_name(&name, p->all->names[p->file.index]));
}

/* The only place where a pump's thread may be cancelled: it holds no lock there, and the
 * block that it fills is known to the pump. */
static ssize_t read_file(const gs_pump *p, void *to, size_t bytes)
{
    int before;
    const volatile int *const cancel = p->file.may_wait ? p->all->options->cancel : NULL;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
    const ssize_t n = gs_wait_read(p->file.fd, to, bytes, cancel);
    const int error = errno;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    errno = error;
    return n;
}

/* Is what is read of it kept? Then one thread does, the caller's. */
static gs_input_copy *copy_of(const gs_pump *p)
{
    return p->file.may_wait ? p->all->options->copy : NULL;
}

/* What is kept of it comes first, and what comes behind is kept. */
static ssize_t read_kept(gs_pump *p, gs_input_copy *copy, void *to, size_t bytes)
{
    size_t kept;
    errno = gs_input_copy_read(copy, p->file.index, p->copy_at, to, bytes, &kept);
    if (errno != 0)
        return -1;
    const ssize_t n = kept > 0 ? (ssize_t)kept : read_file(p, to, bytes);
    if (kept == 0 && n > 0)
        gs_input_copy_add(copy, p->file.index, to, (size_t)n);
    else if (n == 0)
        gs_input_copy_end(copy, p->file.index);
    if (n > 0)
        p->copy_at += (uint64_t)n;
    return n;
}

/* What was read of it before comes first. */
static ssize_t read_some(gs_pump *p, void *to, size_t bytes)
{
    const gs_input_head *const head = p->file.head;
    const size_t left = head != NULL ? head->bytes - p->head_at : 0;
    const size_t n = left < bytes ? left : bytes;
    if (n == 0 && copy_of(p) != NULL)
        return read_kept(p, copy_of(p), to, bytes);
    if (n == 0)
        return head != NULL && head->is_all ? 0 : read_file(p, to, bytes);
    memcpy(to, head->data + p->head_at, n);
    p->head_at += n;
    return (ssize_t)n;
}

/* Fills a block as it comes; a short one only at the end. */
static gs_code fill_plain(gs_pump *p, gs_block *block, gs_status *st)
{
    while (block->len < block->capacity) {
        const ssize_t n =
            read_some(p, block->data + block->len, block->capacity - block->len);
        if (n < 0)
            return fail_read(p, errno, st);
        if (n == 0) {
            block->ends_input = true;
            break;
        }
        block->len += (size_t)n;
        atomic_fetch_add(p->all->options->bytes_read, (uint64_t)n);
    }
    return GS_OK;
}

static gs_code fill_decoded(gs_pump *p, gs_block *block, gs_status *st)
{
    while (block->len < block->capacity) {
        size_t taken, made;
        GS_TRY(gs_decoder_run(
            p->decoder, p->stored + p->stored_at, p->stored_end - p->stored_at, &taken,
            block->data + block->len, block->capacity - block->len, &made, st));
        p->stored_at += taken;
        block->len += made;
        if (taken > 0 || made > 0)
            continue;
        const ssize_t n = read_some(p, p->stored, STORED_BYTES);
        if (n < 0)
            return fail_read(p, errno, st);
        p->stored_at = 0;
        p->stored_end = (size_t)n;
        atomic_fetch_add(p->all->options->bytes_read, (uint64_t)n);
        if (n == 0) {
            block->ends_input = true;
            return gs_decoder_end(p->decoder, st);
        }
    }
    return GS_OK;
}

static gs_code start_decoder(gs_pump *p, gs_compression kind, gs_status *st)
{
    GS_TRY(gs_decoder_new(&p->decoder, kind, p->all->names[p->file.index], st));
    GS_TRY(gs_mem_new(&p->stored, STORED_BYTES, "compressed input", st));
    return GS_OK;
}

/* The first bytes of a pipe say whether it is compressed. They are read here and go to
 * the decoder, or to the front of the first block. */
static gs_code look_at_pipe(gs_pump *p, gs_block *block, gs_status *st)
{
    if (p->all->options->keep_compressed)
        return GS_OK;
    while (block->len < GS_DECODE_MAGIC_BYTES) {
        const ssize_t n =
            read_some(p, block->data + block->len, GS_DECODE_MAGIC_BYTES - block->len);
        if (n < 0)
            return fail_read(p, errno, st);
        if (n == 0)
            break;
        block->len += (size_t)n;
    }
    atomic_fetch_add(p->all->options->bytes_read, block->len);
    const gs_compression kind = gs_decode_recognise(block->data, block->len);
    if (kind == GS_COMPRESSION_NONE)
        return GS_OK;
    GS_TRY(start_decoder(p, kind, st));
    memcpy(p->stored, block->data, block->len);
    p->stored_end = block->len;
    block->len = 0;
    return GS_OK;
}

static gs_code fill(gs_pump *p, gs_block *block, gs_status *st)
{
    gs_trace *const trace = p->all->options->trace;
    const uint64_t begin_ns = gs_trace_begin(trace);
    block->input_index = p->file.index;
    GS_TRY(p->decoder ? fill_decoded(p, block, st) : fill_plain(p, block, st));
    gs_trace_end(trace, GS_LANE_READ, p->lane, p->decoder ? "read and decode" : "read",
                 begin_ns, block->len);
    return GS_OK;
}

/* May it hold one more block? Files whose turn has not come share a few, so that the head
 * always finds one in the pool. Locked. */
static bool has_room(const gs_pump *p)
{
    const gs_pumps *const all = p->all;
    if (p->queued >= all->queue_max)
        return false;
    if (all->options->any_order || p == all->open[0])
        return true;
    size_t ahead = 0;
    for (size_t i = 1; i < all->count; i++)
        ahead += all->open[i]->queued + (all->open[i]->filling != NULL);
    return ahead < all->ahead_max;
}

/* A block to fill, or NULL when the input goes away. */
static gs_block *take_block(gs_pump *p)
{
    gs_pumps *const all = p->all;
    gs_block *block = NULL;
    pthread_mutex_lock(&all->mutex);
    while (block == NULL && !all->is_cancelled) {
        if (!has_room(p)) {
            pthread_cond_wait(&all->changed, &all->mutex);
            continue;
        }
        block = gs_block_try_get(all->options->pool);
        if (block != NULL)
            break;
        /* Its holder releases it without our help, and we are not told. */
        pthread_mutex_unlock(&all->mutex);
        gs_block *const awaited = gs_block_get(all->options->pool);
        pthread_mutex_lock(&all->mutex);
        if (has_room(p) && !all->is_cancelled)
            block = awaited;
        else
            gs_block_release(awaited);
    }
    p->filling = block;
    pthread_mutex_unlock(&all->mutex);
    return block;
}

static void *pump_main(void *arg)
{
    gs_pump *const p = arg;
    gs_pumps *const all = p->all;
    gs_status st = {.code = GS_OK};
    int before;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    for (bool is_last = false; !is_last;) {
        gs_block *const block = take_block(p);
        if (block == NULL)
            break;
        const bool is_good = fill(p, block, &st) == GS_OK;
        is_last = !is_good || block->ends_input;
        pthread_mutex_lock(&all->mutex);
        p->filling = NULL;
        const bool is_wanted = is_good && !all->is_cancelled;
        if (is_wanted)
            p->queue[p->queued++] = block;
        else
            gs_status_keep_first(&p->status, &st);
        p->is_ended = is_last;
        pthread_cond_broadcast(&all->changed);
        pthread_mutex_unlock(&all->mutex);
        if (!is_wanted)
            gs_block_release(block);
    }
    return NULL;
}

/* --- the caller -------------------------------------------------------------------- */

static void close_fd(int fd)
{
    if (fd != STDIN_FILENO)
        (void)close(fd);
}

static void release_queue(gs_pump *p)
{
    for (size_t i = 0; i < p->queued; i++)
        gs_block_release(p->queue[i]);
    p->queued = 0;
}

/* Its thread has ended, or never began. */
static void pump_free(gs_pump *p)
{
    gs_block_release(p->filling);
    release_queue(p);
    gs_decoder_free(p->decoder);
    gs_mem_free(p->stored);
    close_fd(p->file.fd);
    gs_mem_free(p);
}

static void stop_pump(gs_pump *p)
{
    /* A read that waits for a terminal or a pipe must not hold up the end. */
    if (p->has_thread && p->file.may_wait)
        (void)pthread_cancel(p->thread);
    if (p->has_thread)
        pthread_join(p->thread, NULL);
    pump_free(p);
}

void gs_pumps_free(gs_pumps *pumps)
{
    if (pumps == NULL)
        return;
    bool is_filling[GS_INPUT_FILES_MAX];
    pthread_mutex_lock(&pumps->mutex);
    pumps->is_cancelled = true; /* nobody begins to fill a block from now on */
    for (size_t i = 0; i < pumps->count; i++) {
        is_filling[i] = pumps->open[i]->filling != NULL;
        release_queue(pumps->open[i]);
    }
    pthread_cond_broadcast(&pumps->changed);
    pthread_mutex_unlock(&pumps->mutex);
    /* Pumps that fill a block come first: others may wait for that very block. */
    for (int round = 0; round < 2; round++) {
        for (size_t i = 0; i < pumps->count; i++) {
            if (is_filling[i] == (round == 0))
                stop_pump(pumps->open[i]);
        }
    }
    pthread_cond_destroy(&pumps->changed);
    pthread_mutex_destroy(&pumps->mutex);
    gs_mem_free(pumps);
}

/* Where the system has no thread to spare, the caller reads. */
static void start_thread(gs_pump *p)
{
    p->has_thread = gs_thread_start(&p->thread, pump_main, p, 0) == 0;
    p->is_alone = !p->has_thread;
}

/* Spans of one lane of the trace must not overlap. */
static unsigned free_lane(const gs_pumps *pumps)
{
    uint32_t used = 0;
    for (size_t i = 0; i < pumps->count; i++)
        used |= 1U << pumps->open[i]->lane;
    return (unsigned)__builtin_ctz(~used);
}

gs_code gs_pumps_open(gs_pumps *pumps, const gs_pump_file *file, gs_status *st)
{
    gs_assert(pumps->count < GS_INPUT_FILES_MAX);
    gs_pump *p = NULL;
    if (gs_mem_new(&p, sizeof *p, "input pump", st) != GS_OK) {
        close_fd(file->fd);
        return st->code;
    }
    p->all = pumps;
    p->file = *file;
    p->lane = free_lane(pumps);
    if (file->head == NULL || !file->head->is_all)
        (void)gs_pipe_widen(file->fd);
    if (file->kind != GS_COMPRESSION_NONE)
        GS_TRY_OR_FAIL(start_decoder(p, file->kind, st));
    pthread_mutex_lock(&pumps->mutex);
    pumps->open[pumps->count++] = p;
    if (file->kind != GS_COMPRESSION_NONE)
        start_thread(p);
    pthread_mutex_unlock(&pumps->mutex);
    return GS_OK;
fail:
    pump_free(p);
    return st->code;
}

/* A pump with a block or a failure, if its turn has come. Locked. */
static gs_pump *ready_pump(const gs_pumps *pumps)
{
    const size_t count = pumps->options->any_order ? pumps->count : 1;
    for (size_t i = 0; i < count; i++) {
        if (pumps->open[i]->queued > 0 || pumps->open[i]->is_ended)
            return pumps->open[i];
    }
    return NULL;
}

/* The last block of it is taken. */
static void close_pump(gs_pumps *pumps, gs_pump *p)
{
    if (p->has_thread)
        pthread_join(p->thread, NULL);
    pthread_mutex_lock(&pumps->mutex);
    size_t i = 0;
    while (pumps->open[i] != p)
        i++;
    pumps->count--;
    memmove(pumps->open + i, pumps->open + i + 1, (pumps->count - i) * sizeof(gs_pump *));
    pthread_cond_broadcast(&pumps->changed); /* there is a new head */
    pthread_mutex_unlock(&pumps->mutex);
    pump_free(p);
}

/* The caller reads the first block of a pipe itself: most pipes have no more, and to
 * start a thread would take longer; and all of one that is kept, since a thread that is
 * cancelled may have read what nobody then has. Where no thread can be had, the caller
 * reads the other blocks too, and tries each time to start one. */
static gs_code read_here(gs_pumps *pumps, gs_pump *p, gs_block **out, gs_status *st)
{
    gs_block *const block = gs_block_get(pumps->options->pool);
    const bool is_new = p->file.kind == GS_COMPRESSION_NONE && !p->has_begun;
    p->has_begun = true;
    if ((is_new && look_at_pipe(p, block, st) != GS_OK) || fill(p, block, st) != GS_OK) {
        gs_block_release(block);
        return st->code;
    }
    if (block->ends_input)
        close_pump(pumps, p);
    else if (copy_of(p) == NULL)
        start_thread(p);
    *out = block;
    return GS_OK;
}

/* In any order, a file without a thread comes when none is left that has one: those hold
 * blocks until they are asked. */
static bool is_read_here(const gs_pumps *pumps)
{
    const gs_pump *const head = pumps->open[0];
    bool has_threads = false;
    for (size_t i = 0; i < pumps->count; i++)
        has_threads |= pumps->open[i]->has_thread;
    return !head->has_thread &&
           !(pumps->options->any_order && head->is_alone && has_threads);
}

gs_code gs_pumps_next(gs_pumps *pumps, gs_block **out, gs_status *st)
{
    gs_assert(pumps->count > 0);
    gs_pump *p = pumps->open[0];
    *out = NULL;
    if (is_read_here(pumps))
        return read_here(pumps, p, out, st);
    pthread_mutex_lock(&pumps->mutex);
    while ((p = ready_pump(pumps)) == NULL)
        pthread_cond_wait(&pumps->changed, &pumps->mutex);
    if (p->queued > 0) {
        *out = p->queue[0];
        p->queued--;
        memmove(p->queue, p->queue + 1, p->queued * sizeof p->queue[0]);
        pthread_cond_broadcast(&pumps->changed);
    } else {
        gs_status_keep_first(st, &p->status);
    }
    pthread_mutex_unlock(&pumps->mutex);
    if (*out != NULL && (*out)->ends_input)
        close_pump(pumps, p);
    return st->code;
}
