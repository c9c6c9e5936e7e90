/* SPDX-License-Identifier: MIT */
/*
 * child: run a user's program as a filter between two descriptors.
 *
 * The program is found through PATH, as a file that can be run, and gets no other open
 * files of ours. It is not run by a shell. One thread.
 */
#ifndef GS_IO_CHILD_H
#define GS_IO_CHILD_H

#include <sys/types.h>

#include "lib/base/status.h"

typedef struct gs_child {
    pid_t pid; /* 0: none */
    const char *program;
} gs_child;

/* Starts `program` (with -d if `is_decoding`) reading from and writing to the given
 * descriptors, which stay open here. Where processes are short it is tried again for a
 * while, longer for what is indispensable: the decoder. "could not run compress program
 * 'PROG'[ -d]", with an errno, is the failure. */
GS_MUST_CHECK gs_code gs_child_start(gs_child *child, const char *program,
                                     bool is_decoding, int from_fd, int to_fd,
                                     gs_status *st);
/* Waits for it; anything but exit status 0 is a failure: "'PROG' [-d] terminated
 * abnormally". */
GS_MUST_CHECK gs_code gs_child_wait(gs_child *child, gs_status *st);
/* Waits without looking at the result. A child that was not started is fine. */
void gs_child_reap(gs_child *child);

#endif
