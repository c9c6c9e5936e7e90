/* SPDX-License-Identifier: MIT */
/*
 * wait_read: reads that wait for whoever writes, of pipes, terminals and sockets, for as
 * long as nobody asks that the work stop.
 *
 * `cancel` becomes not 0, some time and by any thread, if the work is to stop: what waits
 * sees that within GS_WAIT_LOOK_MS. NULL: nothing can stop it, and it is just read().
 */
#ifndef GS_IO_WAIT_READ_H
#define GS_IO_WAIT_READ_H

#include <stddef.h>
#include <sys/types.h>

enum { GS_WAIT_LOOK_MS = 50 };

/* As open(name, O_RDONLY | O_CLOEXEC), but a FIFO that can be stopped does not wait for
 * its writer here: the first read does. */
int gs_wait_open(const char *name, const volatile int *cancel);
/* As read(), of a descriptor from gs_wait_open or any other. Fails with ECANCELED if the
 * work is to stop before a byte or the end has come. */
ssize_t gs_wait_read(int fd, void *to, size_t bytes, const volatile int *cancel);

#endif
