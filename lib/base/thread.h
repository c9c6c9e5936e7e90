/* SPDX-License-Identifier: MIT */
/*
 * thread: threads that no signal is handled in.
 *
 * A handler of the command runs in its main thread only, where calls that it interrupts
 * are made again. The caller joins the thread, with pthread_join.
 */
#ifndef GS_LIB_BASE_THREAD_H
#define GS_LIB_BASE_THREAD_H

#include <pthread.h>
#include <signal.h>

#include "lib/base/status.h"

/* Blocks all signals for the thread that calls but `except` (0: none). What was blocked
 * is in *before, for pthread_sigmask(SIG_SETMASK, before, NULL) to put back. */
void gs_signals_block(sigset_t *before, int except);

/* Starts run(context) in a thread in which only the signal `heard` is not blocked (0: all
 * are). Returns 0, or the number of the error: the system has no thread to spare. */
GS_MUST_CHECK int gs_thread_start(pthread_t *thread, void *(*run)(void *), void *context,
                                  int heard);

#endif
