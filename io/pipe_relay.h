/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * pipe_relay: much data into a pipe, faster than write() puts it there.
 *
 * The kernel copies into a pipe while it holds a lock that who reads needs too, so that the
 * two take turns. Here threads copy parts into pipes of our own, all at once, and what is
 * full there is passed on with splice(), which moves pages and copies nothing:
 *
 *      write:   | part 0 | part 1 | part 2 | part 3 | ...
 *                  |        |        |        |            threads copy
 *                lane 0   lane 1   lane 2   lane 0         pipes of our own
 *                   \________|________/
 *                            v                             the caller moves, in order
 *                        the pipe  -->  who reads
 *
 * One thread calls. Where splice is refused, parts are copied on as they always were.
 */
/* clang-format on */
#ifndef GS_IO_PIPE_RELAY_H
#define GS_IO_PIPE_RELAY_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

typedef struct gs_pipe_relay gs_pipe_relay;

/* NULL where there is nothing to gain: `fd`, which is borrowed, is no pipe, or threads or
 * pipes cannot be had. At least one lane, at most so many. */
gs_pipe_relay *gs_pipe_relay_new(int fd, unsigned lanes);
/* What was not flushed is lost. NULL is fine. */
void gs_pipe_relay_free(gs_pipe_relay *r);

/* The data may go when these return; some of it is not in the pipe before it is flushed.
 * 0, or errno. */
int gs_pipe_relay_write(gs_pipe_relay *r, const uint8_t *data, size_t bytes);
int gs_pipe_relay_flush(gs_pipe_relay *r);

#endif
