/* SPDX-License-Identifier: MIT */
#include "lib/base/thread.h"

void gs_signals_block(sigset_t *before, int except)
{
    sigset_t blocked;
    (void)sigfillset(&blocked);
    if (except != 0)
        (void)sigdelset(&blocked, except);
    (void)pthread_sigmask(SIG_SETMASK, &blocked, before);
}

int gs_thread_start(pthread_t *thread, void *(*run)(void *), void *context, int heard)
{
    sigset_t before;
    gs_signals_block(&before, heard); /* a thread blocks what its maker does */
    const int error = pthread_create(thread, NULL, run, context);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    return error;
}
