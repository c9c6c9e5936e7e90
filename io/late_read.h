/* SPDX-License-Identifier: MIT */
/*
 * late_read: a file in the page cache whose blocks are read by whoever takes them, side
 * by side, after it was decided which bytes each has.
 *
 *     thread 1   | takes block 7 | reads it ........... |
 *     thread 2                   | takes block 8 | reads it ........... |
 *
 * The input has to know for each block where a record ends, which is a look at a page or
 * two, and at more where records are long. So that threads do not wait for each other's
 * looks, the file is marked where blocks should end about, and whoever has taken a block
 * looks around marks that are still to come:
 *
 *     file       | ...... | ...... | ...... | ...... |      marks
 *                         back ^     ^ end                  of the mark between them
 *
 * A block without its content is as long as such a look says. Any thread reads it with
 * gs_block_read_late. Of a record longer than a block, that stands for all of it, and
 * gs_block_read_whole reads it to where there is room. A file is open until its last
 * block has been read or released.
 */
#ifndef GS_IO_LATE_READ_H
#define GS_IO_LATE_READ_H

#include "io/block.h"

typedef struct gs_late_file gs_late_file;

/* What is read of a file: its records end with `eol`. */
typedef struct gs_late_range {
    uint64_t begin, end;
    size_t block_bytes;      /* of the largest blocks */
    size_t record_bytes_max; /* it is not looked further for the end of one */
    uint8_t eol;
} gs_late_range;

/* Takes the descriptor over, if it does not fail; borrows the name. */
GS_MUST_CHECK gs_code gs_late_file_new(gs_late_file **out, int fd, const char *name,
                                       const gs_late_range *range, gs_status *st);
void gs_late_file_release(gs_late_file *file); /* who has made it; NULL is fine */

/* Around the next mark behind some place. */
typedef struct gs_late_ends {
    uint64_t back; /* the last end of a record before it; 0: there is none, or `end` is in
                      reach of a block from the mark before */
    uint64_t end;  /* the first that is not before it; 0: there is none, or it is too far,
                      or cannot be read */
} gs_late_ends;

/* Of the marks behind `offset`, which ascends from call to call and is more than a block
 * before the end; one thread at a time. */
gs_late_ends gs_late_file_ends(gs_late_file *file, uint64_t offset);
/* Looks around marks that are to be asked for, if those before are not enough already.
 * Any thread that has a block of the file. */
void gs_late_file_look_ahead(gs_late_file *file);

/* The block will be these bytes, and is of that length already. `rest` bytes more belong
 * to it. */
void gs_block_set_late(gs_block *block, gs_late_file *file, uint64_t offset, size_t bytes,
                       size_t rest);
/* Reads its content, if that has not come yet. It has no rest. */
GS_MUST_CHECK gs_code gs_block_read_late(gs_block *block, gs_status *st);
/* Reads its content, which has not come yet, and its rest to `to`, instead of into it. */
GS_MUST_CHECK gs_code gs_block_read_whole(gs_block *block, uint8_t *to, gs_status *st);

#endif
