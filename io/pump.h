/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * pump: files that threads read ahead, a thread each: pipes, terminals, and compressed
 * files, which it decodes.
 *
 *      file 3, the head   | block | block |            --> next()
 *      file 4             | block |                    waits for its turn, or, with
 *      file 5             | block | block |            any_order, does not
 *
 * In order, the blocks of the head come first and the others decode as far ahead as a few
 * blocks allow. With any_order each file that has a block may give it, so that all
 * threads decode all the time; the blocks of one file still come in order.
 *
 * Where no thread can be had, the caller reads. One thread calls; open files in the order
 * of their turns.
 */
/* clang-format on */
#ifndef GS_IO_PUMP_H
#define GS_IO_PUMP_H

#include "io/decode.h"
#include "io/input.h"

typedef struct gs_pumps gs_pumps;

/* Blocks that may be in flight, for the file whose turn it is. */
enum { GS_PUMPS_HEAD_BLOCKS = 2 };

/* Borrows both until free(); options->bytes_read is there. */
GS_MUST_CHECK gs_code gs_pumps_new(gs_pumps **out, const char *const *names,
                                   const gs_input_options *options, gs_status *st);
void gs_pumps_free(gs_pumps *pumps); /* cancels what is read. NULL is fine */

typedef struct gs_pump_file {
    int fd;                    /* read from where it stands */
    bool may_wait;             /* for whoever writes: a pipe, a terminal */
    size_t index;              /* of its name */
    gs_compression kind;       /* NONE: the first bytes of what comes tell */
    size_t decode_bytes;       /* what decoding takes of memory */
    const gs_input_head *head; /* what was read of it before; NULL: nothing */
} gs_pump_file;

/* At most GS_INPUT_FILES_MAX at once. Takes the descriptor, also if it fails, and begins
 * to read: what is not known to be compressed, when its first block is asked for. */
GS_MUST_CHECK gs_code gs_pumps_open(gs_pumps *pumps, const gs_pump_file *file,
                                    gs_status *st);

/* Waits for a block, now the caller's. After one with ends_input the file is closed. */
GS_MUST_CHECK gs_code gs_pumps_next(gs_pumps *pumps, gs_block **out, gs_status *st);
/* How many files are open, and what decoding them takes. */
size_t gs_pumps_count(const gs_pumps *pumps);
size_t gs_pumps_decode_bytes(const gs_pumps *pumps);

#endif
