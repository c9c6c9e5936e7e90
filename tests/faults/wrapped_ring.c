/* SPDX-License-Identifier: MIT */
/*
 * wrapped_ring: requests to a ring that fail or come back short.
 *
 * A request that is to fail gets a descriptor that there is not, so that it moves
 * nothing, and when it completes, the error it is to fail with. One that is to be short
 * asks for less.
 */
#include "tests/faults/ring_completions.h"

#if GS_HAVE_LIBURING

#undef io_uring_wait_cqe
#undef io_uring_peek_cqe

#include <pthread.h>
#include <stdint.h>

#include "tests/faults/fault_plan.h"
#include "tests/faults/power_cut.h"

int __real_io_uring_queue_init(unsigned depth, struct io_uring *ring, unsigned flags);
int __wrap_io_uring_queue_init(unsigned depth, struct io_uring *ring, unsigned flags);
int __real_io_uring_register_buffers(struct io_uring *ring, const struct iovec *buffers,
                                     unsigned count);
int __wrap_io_uring_register_buffers(struct io_uring *ring, const struct iovec *buffers,
                                     unsigned count);
int __real_io_uring_register_files(struct io_uring *ring, const int *files,
                                   unsigned count);
int __wrap_io_uring_register_files(struct io_uring *ring, const int *files,
                                   unsigned count);
int __real_io_uring_submit(struct io_uring *ring);
int __wrap_io_uring_submit(struct io_uring *ring);

enum { NO_DESCRIPTOR = -1, FAILING_MAX = 256 };

/* Requests on their way that are to fail. */
static struct {
    pthread_mutex_t mutex;
    struct {
        const struct io_uring *ring; /* NULL: a free slot */
        uint64_t request;
        int error;
    } slots[FAILING_MAX];
} failing = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void expect_failure(const struct io_uring *ring, uint64_t request, int error)
{
    pthread_mutex_lock(&failing.mutex);
    unsigned i = 0;
    while (i < FAILING_MAX - 1 && failing.slots[i].ring != NULL)
        i++;
    failing.slots[i].ring = ring;
    failing.slots[i].request = request;
    failing.slots[i].error = error;
    pthread_mutex_unlock(&failing.mutex);
}

static void alter_completion(const struct io_uring *ring, struct io_uring_cqe *cqe)
{
    pthread_mutex_lock(&failing.mutex);
    for (unsigned i = 0; i < FAILING_MAX; i++) {
        if (failing.slots[i].ring == ring && failing.slots[i].request == cqe->user_data) {
            cqe->res = -failing.slots[i].error;
            failing.slots[i].ring = NULL;
            break;
        }
    }
    pthread_mutex_unlock(&failing.mutex);
}

static void alter_request(const struct io_uring *ring, struct io_uring_sqe *sqe)
{
    const bool is_write =
        sqe->opcode == IORING_OP_WRITE || sqe->opcode == IORING_OP_WRITE_FIXED;
    bool is_short;
    const int error = fault_of_call(is_write ? FAULT_WRITE : FAULT_READ, &is_short);
    if (is_short)
        sqe->len = (unsigned)fault_short_bytes(sqe->len);
    if (error == 0 && is_write)
        cut_before_write(sqe->fd, (off_t)sqe->off, sqe->len);
    if (error == 0)
        return;
    sqe->fd = NO_DESCRIPTOR;
    expect_failure(ring, sqe->user_data, error);
}

int __wrap_io_uring_submit(struct io_uring *ring)
{
    const int error = fault_of_call(FAULT_SUBMIT, NULL);
    if (error != 0)
        return -error; /* the requests stay where they are */
    const struct io_uring_sq *const sq = &ring->sq;
    for (unsigned at = sq->sqe_head; at != sq->sqe_tail; at++)
        alter_request(ring, &sq->sqes[at & sq->ring_mask]);
    return __real_io_uring_submit(ring);
}

int fault_ring_wait(struct io_uring *ring, struct io_uring_cqe **out)
{
    int error = -fault_of_call(FAULT_SUBMIT, NULL);
    if (error == 0)
        error = io_uring_wait_cqe(ring, out);
    if (error == 0)
        alter_completion(ring, *out);
    return error;
}

/* Looking costs no call to the system. */
int fault_ring_peek(struct io_uring *ring, struct io_uring_cqe **out)
{
    const int error = io_uring_peek_cqe(ring, out);
    if (error == 0)
        alter_completion(ring, *out);
    return error;
}

int __wrap_io_uring_queue_init(unsigned depth, struct io_uring *ring, unsigned flags)
{
    const int error = fault_of_call(FAULT_RING, NULL);
    return error != 0 ? -error : __real_io_uring_queue_init(depth, ring, flags);
}

int __wrap_io_uring_register_buffers(struct io_uring *ring, const struct iovec *buffers,
                                     unsigned count)
{
    const int error = fault_of_call(FAULT_RING, NULL);
    return error != 0 ? -error : __real_io_uring_register_buffers(ring, buffers, count);
}

int __wrap_io_uring_register_files(struct io_uring *ring, const int *files,
                                   unsigned count)
{
    const int error = fault_of_call(FAULT_RING, NULL);
    return error != 0 ? -error : __real_io_uring_register_files(ring, files, count);
}

#else

typedef int gs_no_ring; /* a source has something in it */

#endif
