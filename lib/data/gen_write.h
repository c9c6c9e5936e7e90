/* SPDX-License-Identifier: MIT */
/*
 * gen_write: make slices on several threads and write them in order.
 *
 *      thread 1   | make 0 | write 0 | make 2     | write 2 | ...
 *      thread 2   | make 1 |   wait  | write 1    | make 3  | ...
 *
 * Each thread takes the next slice, makes it in its own buffer and waits for its turn.
 * On a seekable file only the place is decided in turn and the writes overlap.
 */
#ifndef GS_LIB_DATA_GEN_WRITE_H
#define GS_LIB_DATA_GEN_WRITE_H

#include "lib/data/gen_data.h"

typedef struct gs_gen_target {
    int fd;
    bool is_seekable; /* positioned writes from `offset` on; else write() */
    uint64_t offset;
    uint64_t bytes_limit; /* as in gs_gen_options.bytes */
    const char *failure;  /* message of a failed write: "write failed: NAME"; borrowed */
} gs_gen_target;

/* *total is the number of bytes written. */
GS_MUST_CHECK gs_code gs_gen_write(const gs_gen_data *data, const gs_gen_target *target,
                                   unsigned threads, uint64_t *total, gs_status *st);

#endif
