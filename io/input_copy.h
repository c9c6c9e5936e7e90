/* SPDX-License-Identifier: MIT */
/*
 * input_copy: what has come through pipes, kept in a temporary file, so that who has to
 * begin again can read it once more.
 *
 *      pipe        | was read      | is still to come ...
 *      copy        | kept          |
 *      next time     kept first, then what the pipe has
 *
 * A stream writes it (io/stream.h), so that who reads the pipe waits for the disk only
 * where that is slower than the pipe for long; until all is in the file, what was written
 * last is in the stream's memory, GS_INPUT_COPY_BYTES.
 *
 * It keeps the pipes open too: no writer sees its reader go away, and a FIFO could not be
 * opened a second time. What it cannot keep, for want of room or of descriptors, it does
 * not fail for: then the copy is not whole, and there is no next time.
 *
 * An input that is given it (io/input.h) does the calls from `reopen` to `end`. One
 * thread at a time.
 */
#ifndef GS_IO_INPUT_COPY_H
#define GS_IO_INPUT_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

enum { GS_INPUT_COPY_BYTES = 2 << 20 };

typedef struct gs_input_copy gs_input_copy;

/* In the first of these folders; none: $TMPDIR, else /tmp. Borrowed until free(). */
GS_MUST_CHECK gs_code gs_input_copy_new(gs_input_copy **out, const char *const *folders,
                                        size_t folder_count, gs_status *st);
void gs_input_copy_free(gs_input_copy *c); /* NULL is fine */

/* A descriptor, the caller's, of a file that was read before; -1: it was not. */
int gs_input_copy_reopen(const gs_input_copy *c, size_t index);
/* The file is read for the first time, from this descriptor. */
void gs_input_copy_open(gs_input_copy *c, size_t index, int fd);
/* What is kept of the file from its byte `at` on; *taken is 0 behind it. 0, or errno. */
int gs_input_copy_read(gs_input_copy *c, size_t index, uint64_t at, void *to,
                       size_t bytes, size_t *taken);
/* What follows what is kept of the file. */
void gs_input_copy_add(gs_input_copy *c, size_t index, const void *data, size_t bytes);
/* It has no more. */
void gs_input_copy_end(gs_input_copy *c, size_t index);

/* Is all kept that was read? Waits until it is in the file. */
bool gs_input_copy_is_whole(gs_input_copy *c);
/* This is the last time: nothing more is kept. */
void gs_input_copy_stop(gs_input_copy *c);

#endif
