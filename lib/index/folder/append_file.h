/* SPDX-License-Identifier: MIT */
/*
 * append_file: bytes appended to a file and read back once, in order.
 *
 * What a part of an index makes before the parts are put together. The file has no name,
 * or it is kept: then it has one, and a checksum that reading it has to come to, and
 * another process may read it or go on with it. One thread at a time.
 */
#ifndef GS_LIB_INDEX_FOLDER_APPEND_FILE_H
#define GS_LIB_INDEX_FOLDER_APPEND_FILE_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

typedef struct gs_append_file {
    int fd; /* the file's; -1: none */
    uint64_t bytes;
    uint8_t *buffer;
    size_t used, capacity;
    size_t at; /* reading */
    uint64_t read_bytes;
    const char *path; /* of a file that is kept, else NULL */
    void *hash;       /* of what was written or read of it so far */
    uint64_t sum;     /* what reading has to come to */
} gs_append_file;

/* A file without a name in the folder; -1, and errno. */
int gs_append_file_nameless(const char *folder);

/* `folder` is where the file lives, without a name. */
GS_MUST_CHECK gs_code gs_append_file_open(gs_append_file *f, const char *folder,
                                          size_t buffer_bytes, gs_status *st);
/* A file that is kept: `bytes` bytes of it, with this checksum, are there and are read
 * first. `path` is borrowed. Close it also after a failure. */
GS_MUST_CHECK gs_code gs_append_file_open_kept(gs_append_file *f, const char *path,
                                               uint64_t bytes, uint64_t sum,
                                               size_t buffer_bytes, gs_status *st);
void gs_append_file_close(
    gs_append_file *f); /* one that was never opened (zeroed) is fine */

GS_MUST_CHECK gs_code gs_append_file_put(gs_append_file *f, const void *data,
                                         size_t bytes, gs_status *st);
/* What was appended to a kept file is on the disk. */
GS_MUST_CHECK gs_code gs_append_file_sync(gs_append_file *f, gs_status *st);
/* The checksum of what is in it then. */
uint64_t gs_append_file_sum_so_far(const gs_append_file *f);
/* All of it has been read: is it, if it is kept, what was written? GS_ERR_FORMAT. */
GS_MUST_CHECK gs_code gs_append_file_check(const gs_append_file *f, gs_status *st);
/* A kept file that nothing has been read of: reads it, checks it, and is at its beginning
 * again. */
GS_MUST_CHECK gs_code gs_append_file_look_through(gs_append_file *f, gs_status *st);
/* A kept file has been read: goes on behind that, and cuts off what else is there. */
GS_MUST_CHECK gs_code gs_append_file_go_on(gs_append_file *f, gs_status *st);
/* Everything is appended: turns to reading from the beginning. */
GS_MUST_CHECK gs_code gs_append_file_rewind(gs_append_file *f, gs_status *st);
/* The next bytes, at most the buffer's size of them, valid until the next call; fails if
 * so many are not left. */
GS_MUST_CHECK gs_code gs_append_file_take(gs_append_file *f, const uint8_t **data,
                                          size_t bytes, gs_status *st);
/* The next bytes, which must be there, to memory of the caller's. Nothing may be in the
 * buffer that was not taken. Another thread may have read from `fd` itself, from
 * read_bytes on: `got` is how many of them have come so, or why none have, -errno. */
GS_MUST_CHECK gs_code gs_append_file_fill(gs_append_file *f, void *to, size_t bytes,
                                          int64_t got, gs_status *st);
static inline uint64_t gs_append_file_left(const gs_append_file *f)
{
    return f->bytes - f->read_bytes + (f->used - f->at);
}

#endif
