/* SPDX-License-Identifier: MIT */
/*
 * late_read: a file in the page cache whose blocks are read by whoever takes them, side
 * by side, after it was decided which bytes each has.
 *
 *     thread 1   | takes block 7 | reads it ........... |
 *     thread 2                   | takes block 8 | reads it ........... |
 *
 * The input looks for the last end of a record in so many bytes, which is a look at a
 * page or two, and gives a block of that length without its content. Any thread reads it
 * with gs_block_read_late. Of a record longer than a block it looks for the end too: the
 * block stands for all of it, and gs_block_read_whole reads it to where there is room.
 * A file is open until its last block has been read or released.
 */
#ifndef GS_IO_LATE_READ_H
#define GS_IO_LATE_READ_H

#include "io/block.h"

typedef struct gs_late_file gs_late_file;

/* Takes the descriptor over, if it does not fail; borrows the name. */
GS_MUST_CHECK gs_code gs_late_file_new(gs_late_file **out, int fd, const char *name,
                                       gs_status *st);
void gs_late_file_release(gs_late_file *file); /* who has made it; NULL is fine */

/* How many of the `bytes` at `offset` come up to the last `eol` among them, that
 * included; 0: there is none, or they cannot be read. */
size_t gs_late_file_cut(const gs_late_file *file, uint64_t offset, size_t bytes,
                        uint8_t eol);

/* How many of the `bytes` at `offset` come up to the first `eol` among them, that
 * included; 0 likewise. */
size_t gs_late_file_first(const gs_late_file *file, uint64_t offset, size_t bytes,
                          uint8_t eol);

/* The block will be these bytes, and is of that length already. `rest` bytes more belong
 * to it. */
void gs_block_set_late(gs_block *block, gs_late_file *file, uint64_t offset, size_t bytes,
                       size_t rest);
/* Reads its content, if that has not come yet. It has no rest. */
GS_MUST_CHECK gs_code gs_block_read_late(gs_block *block, gs_status *st);
/* Reads its content, which has not come yet, and its rest to `to`, instead of into it. */
GS_MUST_CHECK gs_code gs_block_read_whole(gs_block *block, uint8_t *to, gs_status *st);

#endif
