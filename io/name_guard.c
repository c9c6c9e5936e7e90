/* SPDX-License-Identifier: MIT */
#include "io/name_guard.h"

#include "lib/base/thread.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>

/* How many threads are between begin and end, and whether no more may come. */
enum { CLOSED = 1 << 30 };

static _Atomic int guarded;

void gs_name_guard_begin(gs_name_guard *guard)
{
    gs_signals_block(&guard->signals, 0);
    int now = atomic_load(&guarded);
    while ((now & CLOSED) == 0) {
        if (atomic_compare_exchange_weak(&guarded, &now, now + 1))
            return;
    }
    for (;;)
        (void)poll(NULL, 0, 1000); /* until a handler has ended the program */
}

void gs_name_guard_end(const gs_name_guard *guard)
{
    const int error = errno;
    (void)atomic_fetch_sub(&guarded, 1);
    (void)pthread_sigmask(SIG_SETMASK, &guard->signals, NULL);
    errno = error;
}

void gs_name_guard_close(void)
{
    (void)atomic_fetch_or(&guarded, CLOSED);
    while (atomic_load(&guarded) != CLOSED)
        (void)poll(NULL, 0, 1);
}
