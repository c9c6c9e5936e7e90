/* SPDX-License-Identifier: MIT */
/*
 * part_file: bytes appended to a nameless file and read back once, in order.
 *
 * What a part of an index makes before the parts are put together. One thread at a time.
 */
#ifndef GS_LIB_INDEX_PART_FILE_H
#define GS_LIB_INDEX_PART_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

typedef struct gs_part_file {
    int fd; /* the file's; -1: none */
    uint64_t bytes;
    uint8_t *buffer;
    size_t used, capacity;
    size_t at; /* reading */
    uint64_t read_bytes;
} gs_part_file;

/* `folder` is where the file lives, without a name. */
GS_MUST_CHECK gs_code gs_part_file_open(gs_part_file *f, const char *folder,
                                        size_t buffer_bytes, gs_status *st);
void gs_part_file_close(gs_part_file *f); /* one that was never opened (zeroed) is fine */

GS_MUST_CHECK gs_code gs_part_file_append(gs_part_file *f, const void *data, size_t bytes,
                                          gs_status *st);
/* Everything is appended: turns to reading from the beginning. */
GS_MUST_CHECK gs_code gs_part_file_rewind(gs_part_file *f, gs_status *st);
/* The next bytes, at most the buffer's size of them, valid until the next call; fails if
 * so many are not left. */
GS_MUST_CHECK gs_code gs_part_file_take(gs_part_file *f, const uint8_t **data,
                                        size_t bytes, gs_status *st);
static inline uint64_t gs_part_file_left(const gs_part_file *f)
{
    return f->bytes - f->read_bytes + (f->used - f->at);
}

#endif
