/* SPDX-License-Identifier: MIT */
/*
 * Two back ends behind one face. A request is a slot in a table; the ring carries the
 * slot number, the threads are a crew whose tasks the slots are. Short transfers go round
 * again from where they stopped, so that callers only see whole ones.
 */
#include "io/aio.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#if GS_HAVE_LIBURING
#include <liburing.h>
#endif

#include "lib/base/assertion.h"
#include "lib/base/crew.h"
#include "lib/base/mem.h"

enum {
    THREADS = 4, /* for a disk */
    THREADS_MAX = 16,
    DIRECT_ALIGN = 512,
};

typedef struct gs_aio_slot {
    gs_crew_task task; /* first */
    bool is_used, is_write;
    bool is_over; /* done by who asked for it: nobody else could */
    int fd;
    char *buffer;
    size_t bytes, done_bytes;
    uint64_t offset;
    void *tag;
    int64_t result;
} gs_aio_slot;

struct gs_aio {
    unsigned depth, in_flight;
    gs_aio_slot *slots;
    bool is_uring;
#if GS_HAVE_LIBURING
    struct io_uring ring;
    bool has_buffers;
    char *registered;
    size_t registered_bytes;
#endif
    unsigned threads_wanted;
    gs_crew *crew; /* NULL: not needed yet, or there is no thread to be had */
};

/* Takes in what a system call gave. True when the request has to go on. */
static bool goes_on(gs_aio_slot *slot, int64_t got)
{
    if (got == -EINTR || got == -EAGAIN)
        return true;
    if (got < 0) {
        slot->result = got;
        return false;
    }
    slot->done_bytes += (size_t)got;
    slot->result = (int64_t)slot->done_bytes;
    if (got == 0 || slot->done_bytes == slot->bytes)
        return false;
    /* A read that stopped off the grid has met the end of a file read directly. */
    return slot->is_write || slot->done_bytes % DIRECT_ALIGN == 0;
}

static void transfer(gs_crew_task *task)
{
    gs_aio_slot *const slot = (gs_aio_slot *)(void *)task;
    int64_t got;
    do {
        char *const at = slot->buffer + slot->done_bytes;
        const size_t left = slot->bytes - slot->done_bytes;
        const off_t offset = (off_t)(slot->offset + slot->done_bytes);
        got = slot->is_write ? pwrite(slot->fd, at, left, offset)
                             : pread(slot->fd, at, left, offset);
        if (got < 0)
            got = -errno;
    } while (goes_on(slot, got));
}

/* --- threads ------------------------------------------------------------------- */

/* Where no thread can be had, a transfer is over before it is waited for. */
static void submit_to_threads(gs_aio *aio, gs_aio_slot *slot)
{
    gs_status refusal = {.code = GS_OK};
    slot->task.run = transfer;
    if (aio->crew == NULL &&
        gs_crew_new(&aio->crew, aio->threads_wanted, &refusal) != GS_OK) {
        transfer(&slot->task);
        slot->is_over = true;
        return;
    }
    gs_crew_give(aio->crew, &slot->task);
}

static gs_aio_slot *reap_threads(gs_aio *aio)
{
    for (unsigned i = 0; i < aio->depth; i++) {
        if (aio->slots[i].is_used && aio->slots[i].is_over)
            return &aio->slots[i];
    }
    return (gs_aio_slot *)(void *)gs_crew_wait(aio->crew);
}

/* --- io_uring ------------------------------------------------------------------- */

#if GS_HAVE_LIBURING

static gs_code submit_to_ring(gs_aio *aio, gs_aio_slot *slot, gs_status *st)
{
    struct io_uring_sqe *const sqe = io_uring_get_sqe(&aio->ring);
    gs_assert(sqe != NULL); /* never more in flight than the ring is deep */
    char *const at = slot->buffer + slot->done_bytes;
    const size_t left = slot->bytes - slot->done_bytes;
    const unsigned bytes = left < (1u << 30) ? (unsigned)left : 1u << 30;
    const uint64_t offset = slot->offset + slot->done_bytes;
    const bool is_registered = aio->has_buffers && at >= aio->registered &&
                               at + bytes <= aio->registered + aio->registered_bytes;
    if (slot->is_write && is_registered)
        io_uring_prep_write_fixed(sqe, slot->fd, at, bytes, offset, 0);
    else if (slot->is_write)
        io_uring_prep_write(sqe, slot->fd, at, bytes, offset);
    else if (is_registered)
        io_uring_prep_read_fixed(sqe, slot->fd, at, bytes, offset, 0);
    else
        io_uring_prep_read(sqe, slot->fd, at, bytes, offset);
    io_uring_sqe_set_data(sqe, slot);
    int n;
    do {
        n = io_uring_submit(&aio->ring);
    } while (n == -EINTR || n == -EAGAIN || n == -EBUSY);
    return n >= 0 ? GS_OK : GS_FAIL(st, GS_ERR_IO, -n, "io_uring submit");
}

/* The next finished request of the ring. */
static gs_code reap_ring(gs_aio *aio, gs_aio_slot **out, gs_status *st)
{
    for (;;) {
        struct io_uring_cqe *cqe = NULL;
        const int error = io_uring_wait_cqe(&aio->ring, &cqe);
        if (error == -EINTR || error == -EAGAIN || error == -EBUSY)
            continue;
        if (error != 0)
            return GS_FAIL(st, GS_ERR_IO, -error, "io_uring wait");
        gs_aio_slot *const slot = io_uring_cqe_get_data(cqe);
        const int64_t got = cqe->res;
        io_uring_cqe_seen(&aio->ring, cqe);
        if (goes_on(slot, got)) {
            GS_TRY(submit_to_ring(aio, slot, st));
            continue;
        }
        *out = slot;
        return GS_OK;
    }
}

static int try_ring(gs_aio *aio)
{
    const char *const refused = getenv("GS_NO_URING");
    if (refused != NULL && refused[0] == '1')
        return -EPERM;
    const int error = io_uring_queue_init(aio->depth, &aio->ring, 0);
    aio->is_uring = error == 0;
    return error;
}

#endif

/* --- both ------------------------------------------------------------------------ */

gs_code gs_aio_new_threads(gs_aio **out, unsigned depth, unsigned threads, gs_status *st)
{
    gs_assert(depth > 0 && threads > 0);
    *out = NULL;
    gs_aio *aio = NULL;
    GS_TRY(gs_mem_new(&aio, sizeof *aio, "asynchronous I/O", st));
    aio->depth = depth;
    aio->threads_wanted = threads < THREADS_MAX ? threads : THREADS_MAX;
    if (aio->threads_wanted > depth)
        aio->threads_wanted = depth;
    GS_TRY_OR_FAIL(
        gs_mem_new(&aio->slots, depth * sizeof(gs_aio_slot), "I/O requests", st));
    *out = aio;
    return GS_OK;
fail:
    gs_aio_free(aio);
    return st->code;
}

gs_code gs_aio_new(gs_aio **out, unsigned depth, bool no_uring, gs_status *st)
{
    GS_TRY(gs_aio_new_threads(out, depth, THREADS, st));
#if GS_HAVE_LIBURING
    if (!no_uring)
        (void)try_ring(*out);
#else
    (void)no_uring;
#endif
    return GS_OK;
}

void gs_aio_free(gs_aio *aio)
{
    if (aio == NULL)
        return;
    gs_status ignored = {.code = GS_OK};
    while (aio->in_flight > 0) {
        gs_aio_done done;
        if (gs_aio_wait(aio, &done, &ignored) != GS_OK)
            break;
    }
#if GS_HAVE_LIBURING
    if (aio->is_uring)
        io_uring_queue_exit(&aio->ring);
#endif
    gs_crew_free(aio->crew);
    gs_mem_free(aio->slots);
    gs_mem_free(aio);
}

void gs_aio_register(gs_aio *aio, void *area, size_t bytes)
{
#if GS_HAVE_LIBURING
    const struct iovec area_vector = {area, bytes};
    if (aio->is_uring && !aio->has_buffers &&
        io_uring_register_buffers(&aio->ring, &area_vector, 1) == 0) {
        aio->has_buffers = true;
        aio->registered = area;
        aio->registered_bytes = bytes;
    }
#else
    (void)aio;
    (void)area;
    (void)bytes;
#endif
}

static gs_code submit(gs_aio *aio, gs_aio_slot request, gs_status *st)
{
    gs_assert(aio->in_flight < aio->depth);
    gs_aio_slot *slot = aio->slots;
    while (slot->is_used)
        slot++;
    *slot = request;
    slot->is_used = true;
    aio->in_flight++;
#if GS_HAVE_LIBURING
    if (aio->is_uring) {
        if (submit_to_ring(aio, slot, st) != GS_OK) {
            slot->is_used = false;
            aio->in_flight--;
        }
        return st->code;
    }
#endif
    (void)st;
    submit_to_threads(aio, slot);
    return GS_OK;
}

gs_code gs_aio_read(gs_aio *aio, int fd, void *buf, size_t bytes, uint64_t offset,
                    void *tag, gs_status *st)
{
    return submit(
        aio,
        (gs_aio_slot){
            .fd = fd, .buffer = buf, .bytes = bytes, .offset = offset, .tag = tag},
        st);
}

gs_code gs_aio_write(gs_aio *aio, int fd, const void *buf, size_t bytes, uint64_t offset,
                     void *tag, gs_status *st)
{
    return submit(aio,
                  (gs_aio_slot){.is_write = true,
                                .fd = fd,
                                .buffer = (char *)(uintptr_t)buf, /* only read from */
                                .bytes = bytes,
                                .offset = offset,
                                .tag = tag},
                  st);
}

gs_code gs_aio_wait(gs_aio *aio, gs_aio_done *out, gs_status *st)
{
    gs_assert(aio->in_flight > 0);
    gs_aio_slot *slot = NULL;
#if GS_HAVE_LIBURING
    if (aio->is_uring)
        GS_TRY(reap_ring(aio, &slot, st));
#endif
    if (slot == NULL)
        slot = reap_threads(aio);
    (void)st;
    *out = (gs_aio_done){slot->tag, slot->result};
    slot->is_used = false;
    aio->in_flight--;
    return GS_OK;
}

unsigned gs_aio_in_flight(const gs_aio *aio)
{
    return aio->in_flight;
}

const char *gs_aio_uring_refusal(void)
{
#if GS_HAVE_LIBURING
    gs_aio probe = {.depth = 2};
    const int error = try_ring(&probe);
    if (error != 0)
        return strerror(-error);
    io_uring_queue_exit(&probe.ring);
    return NULL;
#else
    return "built without liburing";
#endif
}
