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

#include <stdatomic.h>

#include "lib/data/gen_data.h"

/* Gets the bytes in order, by one thread at a time, if not always the same. */
typedef gs_code gs_gen_take_fn(void *context, const uint8_t *data, size_t bytes,
                               gs_status *st);

typedef struct gs_gen_target {
    int fd;
    gs_gen_take_fn *take; /* in place of fd, of which nothing is then looked at; NULL */
    void *take_context;
    bool is_seekable; /* positioned writes from `offset` on; else write() */
    uint64_t offset;
    uint64_t bytes_limit; /* as in gs_gen_options.bytes */
    const char *failure;  /* message of a failed write: "write failed: NAME"; borrowed */
    const volatile int *cancel; /* becomes not 0: stop; may be NULL */
    _Atomic uint64_t *written;  /* bytes so far; may be NULL */
} gs_gen_target;

/* *total is the number of bytes written. */
GS_MUST_CHECK gs_code gs_gen_write(const gs_gen_data *data, const gs_gen_target *target,
                                   unsigned threads, uint64_t *total, gs_status *st);

#endif
