/* SPDX-License-Identifier: MIT */
/*
 * file_space: the disk space of a file that is about to be written, taken by a thread of
 * its own while its content is still being made.
 *
 * A refusal is no error: the writes do without. On tmpfs, where every page is taken one
 * by one, it goes in steps, and what is being written meanwhile need not wait for all of
 * it. Whoever fills its pages stops that first: in a file that is being given space each
 * page that is touched waits for a lock.
 */
#ifndef GS_IO_FILE_SPACE_H
#define GS_IO_FILE_SPACE_H

#include <stdbool.h>
#include <stdint.h>

typedef struct gs_file_space gs_file_space;

/* How much is free where the file is, for this user; 0: it is not known. */
uint64_t gs_file_space_free(int fd);

/* Begins to take `bytes` from the file's beginning; the file has that length at once, or
 * when the thread has come to it. Borrows fd. *out may be NULL, if nothing is to be done
 * later on. */
void gs_file_space_begin(gs_file_space **out, int fd, uint64_t bytes);
/* Ends with the step at hand, and waits for it; end is still to come. Any thread, any
 * number of times; NULL is fine. */
void gs_file_space_stop(gs_file_space *s);
/* The same, and frees it. NULL is fine. */
void gs_file_space_end(gs_file_space *s);

#endif
