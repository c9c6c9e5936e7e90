/* SPDX-License-Identifier: MIT */
/*
 * aio: reads and writes in flight, on io_uring or on threads.
 *
 * Both back ends do the same: submit does not wait, and the caller sees to it that no
 * more than `depth` requests are in flight; wait gives one finished request. Short
 * transfers are continued inside, so a finished request moved all its bytes, or reached
 * the end of the file, or failed. The thread back end serves where the kernel or a
 * seccomp filter refuses io_uring, and where the program was built without liburing.
 *
 * One thread at a time, unless the caller locks.
 */
#ifndef GS_IO_AIO_H
#define GS_IO_AIO_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

typedef struct gs_aio gs_aio;

typedef struct gs_aio_done {
    void *tag;      /* as given to submit */
    int64_t result; /* bytes moved, or -errno */
} gs_aio_done;

/* `depth` is the number of requests that may be in flight. */
GS_MUST_CHECK gs_code gs_aio_new(gs_aio **out, unsigned depth, bool no_uring,
                                 gs_status *st);
/* The same on so many threads, also where io_uring works: what lies in the page cache is
 * copied, and a ring does that in the thread that asks. */
GS_MUST_CHECK gs_code gs_aio_new_threads(gs_aio **out, unsigned depth, unsigned threads,
                                         gs_status *st);
/* Waits for what is in flight and drops the results. NULL is fine. */
void gs_aio_free(gs_aio *aio);

/* Tells the kernel of one area that most requests fall into (registered buffers);
 * a refusal is not an error. */
void gs_aio_register(gs_aio *aio, void *area, size_t bytes);

GS_MUST_CHECK gs_code gs_aio_read(gs_aio *aio, int fd, void *buf, size_t bytes,
                                  uint64_t offset, void *tag, gs_status *st);
GS_MUST_CHECK gs_code gs_aio_write(gs_aio *aio, int fd, const void *buf, size_t bytes,
                                   uint64_t offset, void *tag, gs_status *st);

/* Waits for one; at least one must be in flight. */
GS_MUST_CHECK gs_code gs_aio_wait(gs_aio *aio, gs_aio_done *out, gs_status *st);
unsigned gs_aio_in_flight(const gs_aio *aio);

/* For `gpusort device`: NULL if io_uring works here, else why not ("built without
 * liburing", ...). */
const char *gs_aio_uring_refusal(void);

#endif
