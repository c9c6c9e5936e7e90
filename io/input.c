/* SPDX-License-Identifier: MIT */
/*
 * Each file of the list is opened when its turn comes and read in one of three ways:
 *
 *      cached   regular, its pages in the page cache: pread, which is a copy
 *      direct   regular, on the disk: several blocks in flight, O_DIRECT if possible
 *      pumped   pipes, terminals, compressed files: a thread fills a queue of blocks
 */
#include "io/input.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "io/aio.h"
#include "io/decode.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"

enum {
    IN_FLIGHT_MAX = 32,
    PUMP_QUEUE_MAX = 3,
    STORED_BYTES = 128 * 1024, /* compressed bytes read at once */
    CACHE_PROBES = 16,
    DIRECT_MIN_BYTES = 8 << 20, /* smaller files are not worth the set-up */
    PIPE_BYTES = 1 << 20,
    ALIGN = GS_BLOCK_ALIGN,
};

typedef enum gs_input_way {
    GS_INPUT_CLOSED,
    GS_INPUT_CACHED,
    GS_INPUT_DIRECT,
    GS_INPUT_PUMPED,
} gs_input_way;

/* A block in flight. */
typedef struct gs_input_read {
    gs_block *block;
    uint64_t offset;
    uint64_t begin_ns; /* for the trace */
    bool is_done;
    int64_t result;
} gs_input_read;

/* A file that a thread reads ahead. */
typedef struct gs_pump {
    gs_input *in;
    int fd;
    size_t index;
    gs_decoder *decoder;
    uint8_t *stored; /* compressed bytes not decoded yet */
    size_t stored_at, stored_end;
    bool has_thread;
    pthread_t thread;
    gs_block *filling; /* the thread's, while it runs */

    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t changed;
    gs_block *queue[PUMP_QUEUE_MAX];
    size_t queued;
    bool is_ended, is_cancelled;
    gs_status status;
} gs_pump;

struct gs_input {
    const char *const *names;
    size_t name_count;
    gs_input_options options;
    uint64_t size_hint;
    _Atomic uint64_t bytes_read;
    bool saw_compressed;

    size_t next_name; /* the file after the one that is open */
    size_t index;     /* the one that is open */
    gs_input_way way;
    int fd;
    uint64_t offset; /* of the next read */

    gs_aio *aio;
    gs_input_read reads[IN_FLIGHT_MAX];
    size_t reads_first, reads_count;
    bool at_end; /* a read met the end of the file */

    gs_pump *pump;
};

/* --- opening -------------------------------------------------------------------- */

gs_code gs_input_new(gs_input **out, const char *const *names, size_t name_count,
                     const gs_input_options *options, gs_status *st)
{
    gs_assert(options->blocks_in_flight > 0);
    *out = NULL;
    void *memory = NULL;
    GS_TRY(gs_mem_new(&memory, sizeof(gs_input), "input", st));
    gs_input *const in = memory;
    in->names = names;
    in->name_count = name_count;
    in->options = *options;
    if (in->options.blocks_in_flight > IN_FLIGHT_MAX)
        in->options.blocks_in_flight = IN_FLIGHT_MAX;
    in->fd = -1;
    for (size_t i = 0; i < name_count; i++) {
        struct stat info;
        const int error = strcmp(names[i], "-") == 0 ? fstat(STDIN_FILENO, &info)
                                                     : stat(names[i], &info);
        if (error == 0 && S_ISREG(info.st_mode))
            in->size_hint += (uint64_t)info.st_size;
    }
    *out = in;
    return GS_OK;
}

uint64_t gs_input_size_hint(const gs_input *in)
{
    return in->size_hint;
}

uint64_t gs_input_bytes_read(const gs_input *in)
{
    return atomic_load(&in->bytes_read);
}

bool gs_input_saw_compressed(const gs_input *in)
{
    return in->saw_compressed;
}

static gs_code fail_read(const gs_input *in, size_t index, int error, gs_status *st)
{
    gs_quoted name;
    return GS_FAIL(st, GS_ERR_IO, error, "read failed: %s",
                   gs_quote_name(&name, in->names[index]));
}

/* Are most pages of the file in the page cache? Asked by reads that do not wait. */
static bool is_cached(int fd, uint64_t size)
{
    unsigned hits = 0;
    for (unsigned i = 0; i < CACHE_PROBES; i++) {
        char byte;
        const struct iovec one = {&byte, 1};
        const off_t at = (off_t)(size / CACHE_PROBES * i);
        hits += preadv2(fd, &one, 1, at, RWF_NOWAIT) == 1;
    }
    return hits * 4 >= CACHE_PROBES * 3;
}

/* Our own description of the same file, on which O_DIRECT may be set. */
static int reopen_direct(int fd)
{
    char path[64];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    return open(path, O_RDONLY | O_CLOEXEC | O_DIRECT);
}

static size_t peek(int fd, uint64_t offset, uint8_t *magic)
{
    const ssize_t n = pread(fd, magic, GS_DECODE_MAGIC_BYTES, (off_t)offset);
    return n > 0 ? (size_t)n : 0;
}

static gs_code open_direct(gs_input *in, gs_status *st)
{
    if (in->aio == NULL) {
        GS_TRY(gs_aio_new(&in->aio, IN_FLIGHT_MAX, in->options.no_uring, st));
        void *area;
        size_t area_bytes;
        gs_block_pool_area(in->options.pool, &area, &area_bytes);
        gs_aio_register(in->aio, area, area_bytes);
    }
    const int direct = in->offset % ALIGN == 0 ? reopen_direct(in->fd) : -1;
    if (direct >= 0) {
        if (in->fd != STDIN_FILENO)
            (void)close(in->fd);
        in->fd = direct;
    }
    in->way = GS_INPUT_DIRECT;
    in->at_end = false;
    return GS_OK;
}

static gs_code pump_new(gs_input *in, gs_compression kind, gs_status *st);

/* Opens the next file and chooses the way to read it. */
static gs_code open_next(gs_input *in, gs_status *st)
{
    in->index = in->next_name++;
    const char *const name = in->names[in->index];
    const bool is_stdin = strcmp(name, "-") == 0;
    in->fd = is_stdin ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (in->fd < 0) {
        const int error = errno;
        gs_quoted quoted;
        return GS_FAIL(st, GS_ERR_IO, error, "cannot read: %s",
                       gs_quote_name(&quoted, name));
    }
    struct stat info;
    const off_t at = is_stdin ? lseek(in->fd, 0, SEEK_CUR) : 0;
    const bool is_regular = fstat(in->fd, &info) == 0 && S_ISREG(info.st_mode) && at >= 0;
    in->offset = is_regular ? (uint64_t)at : 0;
    /* Files of no size may still have content (/proc). */
    if (!is_regular || info.st_size == 0)
        return pump_new(in, GS_COMPRESSION_NONE, st);
    const uint64_t size = (uint64_t)info.st_size;
    uint8_t magic[GS_DECODE_MAGIC_BYTES];
    if (!in->options.keep_compressed) {
        const gs_compression kind =
            gs_decode_recognise(magic, peek(in->fd, in->offset, magic));
        if (kind != GS_COMPRESSION_NONE)
            return pump_new(in, kind, st);
    }
    if (size >= DIRECT_MIN_BYTES && in->options.blocks_in_flight > 1 &&
        !is_cached(in->fd, size))
        return open_direct(in, st);
    in->way = GS_INPUT_CACHED;
    return GS_OK;
}

static void close_file(gs_input *in)
{
    if (in->fd == STDIN_FILENO) {
        /* Leave standard input where a plain reader would. */
        if (in->way == GS_INPUT_CACHED || in->way == GS_INPUT_DIRECT)
            (void)lseek(STDIN_FILENO, (off_t)in->offset, SEEK_SET);
    } else if (in->fd >= 0) {
        (void)close(in->fd);
    }
    in->fd = -1;
    in->way = GS_INPUT_CLOSED;
}

/* --- cached ----------------------------------------------------------------------- */

static gs_code next_cached(gs_input *in, gs_block **out, gs_status *st)
{
    gs_block *const block = gs_block_get(in->options.pool);
    block->input_index = in->index;
    const uint64_t begin_ns = gs_trace_begin(in->options.trace);
    while (block->len < block->capacity) {
        const ssize_t n = pread(in->fd, block->data + block->len,
                                block->capacity - block->len, (off_t)in->offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            const int error = errno;
            gs_block_release(block);
            return fail_read(in, in->index, error, st);
        }
        if (n == 0) {
            block->ends_input = true;
            break;
        }
        block->len += (size_t)n;
        in->offset += (uint64_t)n;
    }
    gs_trace_end(in->options.trace, GS_LANE_READ, 0, "read from the page cache", begin_ns,
                 block->len);
    atomic_fetch_add(&in->bytes_read, block->len);
    *out = block;
    return GS_OK;
}

/* --- direct ----------------------------------------------------------------------- */

/* Puts as many reads in flight as there may be; waits for a block only if none is. */
static gs_code submit_reads(gs_input *in, gs_status *st)
{
    while (!in->at_end && in->reads_count < in->options.blocks_in_flight) {
        gs_block *const block = in->reads_count == 0 ? gs_block_get(in->options.pool)
                                                     : gs_block_try_get(in->options.pool);
        if (block == NULL)
            return GS_OK;
        gs_input_read *const r =
            &in->reads[(in->reads_first + in->reads_count) % IN_FLIGHT_MAX];
        *r = (gs_input_read){.block = block,
                             .offset = in->offset,
                             .begin_ns = gs_trace_begin(in->options.trace)};
        if (gs_aio_read(in->aio, in->fd, block->data, block->capacity, in->offset, r,
                        st) != GS_OK) {
            gs_block_release(block);
            return st->code;
        }
        in->offset += block->capacity;
        in->reads_count++;
    }
    return GS_OK;
}

static gs_code wait_first_read(gs_input *in, gs_status *st)
{
    const gs_input_read *const first = &in->reads[in->reads_first];
    while (!first->is_done) {
        gs_aio_done done;
        GS_TRY(gs_aio_wait(in->aio, &done, st));
        gs_input_read *const r = done.tag;
        r->is_done = true;
        r->result = done.result;
        gs_trace_end(in->options.trace, GS_LANE_READ, (unsigned)(r - in->reads), "read",
                     r->begin_ns, r->result > 0 ? (uint64_t)r->result : 0);
        if (r->result >= 0 && (size_t)r->result < r->block->capacity)
            in->at_end = true;
    }
    return GS_OK;
}

/* Drops the reads that were submitted beyond the end of the file. */
static void drop_reads(gs_input *in)
{
    gs_status ignored = {.code = GS_OK};
    while (in->reads_count > 0) {
        if (wait_first_read(in, &ignored) != GS_OK)
            break;
        gs_block_release(in->reads[in->reads_first].block);
        in->reads_first = (in->reads_first + 1) % IN_FLIGHT_MAX;
        in->reads_count--;
    }
}

static gs_code next_direct(gs_input *in, gs_block **out, gs_status *st)
{
    GS_TRY(submit_reads(in, st));
    GS_TRY(wait_first_read(in, st));
    gs_input_read *const r = &in->reads[in->reads_first];
    if (r->result < 0)
        return fail_read(in, in->index, (int)-r->result, st);
    gs_block *const block = r->block;
    block->len = (size_t)r->result;
    block->input_index = in->index;
    block->ends_input = block->len < block->capacity;
    in->reads_first = (in->reads_first + 1) % IN_FLIGHT_MAX;
    in->reads_count--;
    atomic_fetch_add(&in->bytes_read, block->len);
    if (block->ends_input) {
        drop_reads(in);
        in->offset = r->offset + block->len;
    } else if (submit_reads(in, st) != GS_OK) {
        gs_block_release(block);
        return st->code;
    }
    *out = block;
    return GS_OK;
}

/* --- pumped ----------------------------------------------------------------------- */

/* The only place where a pump's thread may be cancelled: it holds no lock there, and the
 * block that it fills is known to the pump. */
static ssize_t read_some(int fd, void *to, size_t bytes)
{
    ssize_t n;
    int before;
    do {
        (void)pthread_setcancelstate(PTHREAD_CANCEL_ENABLE, &before);
        n = read(fd, to, bytes);
        const int error = errno;
        (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
        errno = error;
    } while (n < 0 && errno == EINTR);
    return n;
}

/* Fills a block as it comes; a short one only at the end. */
static gs_code fill_plain(gs_pump *p, gs_block *block, gs_status *st)
{
    while (block->len < block->capacity) {
        const ssize_t n =
            read_some(p->fd, block->data + block->len, block->capacity - block->len);
        if (n < 0)
            return fail_read(p->in, p->index, errno, st);
        if (n == 0) {
            block->ends_input = true;
            break;
        }
        block->len += (size_t)n;
        atomic_fetch_add(&p->in->bytes_read, (uint64_t)n);
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
        const ssize_t n = read_some(p->fd, p->stored, STORED_BYTES);
        if (n < 0)
            return fail_read(p->in, p->index, errno, st);
        p->stored_at = 0;
        p->stored_end = (size_t)n;
        atomic_fetch_add(&p->in->bytes_read, (uint64_t)n);
        if (n == 0) {
            block->ends_input = true;
            return gs_decoder_end(p->decoder, st);
        }
    }
    return GS_OK;
}

static gs_code start_decoder(gs_pump *p, gs_compression kind, gs_status *st)
{
    void *memory = NULL;
    GS_TRY(gs_decoder_new(&p->decoder, kind, p->in->names[p->index], st));
    GS_TRY(gs_mem_new(&memory, STORED_BYTES, "compressed input", st));
    p->stored = memory;
    return GS_OK;
}

/* The first bytes of a pipe say whether it is compressed. They are read here and go to
 * the decoder, or to the front of the first block. */
static gs_code look_at_pipe(gs_pump *p, gs_block *block, gs_status *st)
{
    if (p->decoder != NULL || p->in->options.keep_compressed)
        return GS_OK;
    while (block->len < GS_DECODE_MAGIC_BYTES) {
        const ssize_t n = read_some(p->fd, block->data + block->len,
                                    GS_DECODE_MAGIC_BYTES - block->len);
        if (n < 0)
            return fail_read(p->in, p->index, errno, st);
        if (n == 0)
            break;
        block->len += (size_t)n;
    }
    atomic_fetch_add(&p->in->bytes_read, block->len);
    const gs_compression kind = gs_decode_recognise(block->data, block->len);
    if (kind == GS_COMPRESSION_NONE)
        return GS_OK;
    GS_TRY(start_decoder(p, kind, st));
    memcpy(p->stored, block->data, block->len);
    p->stored_end = block->len;
    block->len = 0;
    return GS_OK;
}

static gs_code fill(gs_pump *p, gs_block *block, bool is_first, gs_status *st)
{
    gs_trace *const trace = p->in->options.trace;
    const uint64_t begin_ns = gs_trace_begin(trace);
    block->input_index = p->index;
    if (is_first)
        GS_TRY(look_at_pipe(p, block, st));
    GS_TRY(p->decoder ? fill_decoded(p, block, st) : fill_plain(p, block, st));
    gs_trace_end(trace, GS_LANE_READ, 0, p->decoder ? "read and decode" : "read",
                 begin_ns, block->len);
    return GS_OK;
}

/* Waits for room in the queue; false when the input goes away. */
static bool wait_for_room(gs_pump *p, size_t queue_max)
{
    pthread_mutex_lock(&p->mutex);
    while (p->queued >= queue_max && !p->is_cancelled)
        pthread_cond_wait(&p->changed, &p->mutex);
    const bool goes_on = !p->is_cancelled;
    pthread_mutex_unlock(&p->mutex);
    return goes_on;
}

static void *pump_main(void *arg)
{
    gs_pump *const p = arg;
    gs_status st = {.code = GS_OK};
    int before;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &before);
    const unsigned in_flight = p->in->options.blocks_in_flight;
    const size_t queue_max = in_flight < PUMP_QUEUE_MAX ? in_flight : PUMP_QUEUE_MAX;
    bool is_last = false;
    for (bool is_first = true; !is_last && wait_for_room(p, queue_max);
         is_first = false) {
        gs_block *const block = gs_block_get(p->in->options.pool);
        p->filling = block;
        const bool is_good = fill(p, block, is_first, &st) == GS_OK;
        p->filling = NULL;
        is_last = !is_good || block->ends_input;
        pthread_mutex_lock(&p->mutex);
        if (is_good)
            p->queue[p->queued++] = block;
        else
            gs_status_keep_first(&p->status, &st);
        p->is_ended = is_last;
        pthread_cond_broadcast(&p->changed);
        pthread_mutex_unlock(&p->mutex);
        if (!is_good)
            gs_block_release(block);
    }
    return NULL;
}

static void pump_free(gs_pump *p)
{
    if (p == NULL)
        return;
    if (p->has_thread) {
        pthread_mutex_lock(&p->mutex);
        p->is_cancelled = true;
        pthread_cond_broadcast(&p->changed);
        pthread_mutex_unlock(&p->mutex);
        /* A read that waits for a terminal or a pipe must not hold up the end. */
        if (!p->is_ended)
            (void)pthread_cancel(p->thread);
        pthread_join(p->thread, NULL);
    }
    gs_block_release(p->filling);
    for (size_t i = 0; i < p->queued; i++)
        gs_block_release(p->queue[i]);
    gs_decoder_free(p->decoder);
    gs_mem_free(p->stored);
    pthread_cond_destroy(&p->changed);
    pthread_mutex_destroy(&p->mutex);
    gs_mem_free(p);
}

static gs_code pump_new(gs_input *in, gs_compression kind, gs_status *st)
{
    void *memory = NULL;
    GS_TRY(gs_mem_new(&memory, sizeof(gs_pump), "input pump", st));
    gs_pump *const p = memory;
    p->in = in;
    p->fd = in->fd;
    p->index = in->index;
    pthread_mutex_init(&p->mutex, NULL);
    pthread_cond_init(&p->changed, NULL);
    in->pump = p;
    in->way = GS_INPUT_PUMPED;
    (void)fcntl(p->fd, F_SETPIPE_SZ, PIPE_BYTES); /* fewer switches; may be refused */
    if (kind != GS_COMPRESSION_NONE) {
        in->saw_compressed = true;
        GS_TRY(start_decoder(p, kind, st));
    }
    return GS_OK;
}

static gs_code start_pump_thread(gs_pump *p, gs_status *st)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const int error = pthread_create(&p->thread, NULL, pump_main, p);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (error != 0)
        return GS_FAIL(st, GS_ERR_NOMEM, error, "cannot start a thread");
    p->has_thread = true;
    return GS_OK;
}

static gs_code next_pumped(gs_input *in, gs_block **out, gs_status *st)
{
    gs_pump *const p = in->pump;
    if (!p->has_thread)
        GS_TRY(start_pump_thread(p, st));
    pthread_mutex_lock(&p->mutex);
    while (p->queued == 0 && !p->is_ended)
        pthread_cond_wait(&p->changed, &p->mutex);
    if (p->queued > 0) {
        *out = p->queue[0];
        p->queued--;
        memmove(p->queue, p->queue + 1, p->queued * sizeof p->queue[0]);
        pthread_cond_broadcast(&p->changed);
    } else {
        gs_status_keep_first(st, &p->status);
    }
    pthread_mutex_unlock(&p->mutex);
    return st->code;
}

/* --- all ---------------------------------------------------------------------------- */

gs_code gs_input_next(gs_input *in, gs_block **out, gs_status *st)
{
    *out = NULL;
    if (in->way == GS_INPUT_CLOSED) {
        if (in->next_name == in->name_count)
            return GS_OK;
        GS_TRY(open_next(in, st));
    }
    switch (in->way) {
    case GS_INPUT_CACHED: GS_TRY(next_cached(in, out, st)); break;
    case GS_INPUT_DIRECT: GS_TRY(next_direct(in, out, st)); break;
    case GS_INPUT_PUMPED: GS_TRY(next_pumped(in, out, st)); break;
    case GS_INPUT_CLOSED: gs_assert(false);
    }
    if (*out != NULL && (*out)->ends_input) {
        pump_free(in->pump);
        in->pump = NULL;
        close_file(in);
    }
    return GS_OK;
}

void gs_input_free(gs_input *in)
{
    if (in == NULL)
        return;
    drop_reads(in);
    pump_free(in->pump);
    close_file(in);
    gs_aio_free(in->aio);
    gs_mem_free(in);
}
