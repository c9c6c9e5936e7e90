/* SPDX-License-Identifier: MIT */
#include "lib/index/part_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "io/last_close.h"
#include "io/write_all.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"

/* A file without a name in the folder. */
static int open_nameless(const char *folder)
{
    const int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    char path[4200];
    (void)snprintf(path, sizeof path, "%s/part-XXXXXX", folder);
    const int named = mkostemp(path, O_CLOEXEC);
    if (named >= 0)
        (void)unlink(path);
    return named;
}

gs_code gs_part_file_open(gs_part_file *f, const char *folder, size_t buffer_bytes,
                          gs_status *st)
{
    void *memory = NULL;
    *f = (gs_part_file){.fd = -1};
    GS_TRY(gs_mem_new(&memory, buffer_bytes, "part of an index", st));
    f->buffer = memory;
    f->capacity = buffer_bytes;
    f->fd = open_nameless(folder);
    if (f->fd < 0)
        return GS_FAIL(st, GS_ERR_IO, errno, "cannot create temporary file in '%s'",
                       folder);
    return GS_OK;
}

void gs_part_file_close(gs_part_file *f)
{
    if (f->buffer != NULL)
        gs_last_close(f->fd);
    gs_mem_free(f->buffer);
    *f = (gs_part_file){.fd = -1};
}

static gs_code write_all(gs_part_file *f, const uint8_t *data, size_t bytes,
                         gs_status *st)
{
    const int error = gs_write_all(f->fd, data, bytes);
    if (error != 0) {
        (void)GS_FAIL(st, GS_ERR_IO, error, "write failed: temporary file of the index");
        return gs_status_hint(st, "free some space where the index goes");
    }
    f->bytes += bytes;
    return GS_OK;
}

gs_code gs_part_file_append(gs_part_file *f, const void *data, size_t bytes,
                            gs_status *st)
{
    if (bytes == 0)
        return GS_OK;
    if (f->capacity - f->used < bytes) {
        GS_TRY(write_all(f, f->buffer, f->used, st));
        f->used = 0;
        if (bytes >= f->capacity)
            return write_all(f, data, bytes, st);
    }
    if (bytes > 0)
        memcpy(f->buffer + f->used, data, bytes);
    f->used += bytes;
    return GS_OK;
}

gs_code gs_part_file_rewind(gs_part_file *f, gs_status *st)
{
    GS_TRY(write_all(f, f->buffer, f->used, st));
    f->used = f->at = 0;
    f->read_bytes = 0;
    return GS_OK;
}

gs_code gs_part_file_take(gs_part_file *f, const uint8_t **data, size_t bytes,
                          gs_status *st)
{
    gs_assert(bytes <= f->capacity);
    if (f->used - f->at < bytes) {
        memmove(f->buffer, f->buffer + f->at, f->used - f->at);
        f->used -= f->at;
        f->at = 0;
        while (f->used < f->capacity && f->read_bytes < f->bytes) {
            const ssize_t n = pread(f->fd, f->buffer + f->used, f->capacity - f->used,
                                    (off_t)f->read_bytes);
            if (n < 0 && errno == EINTR)
                continue;
            if (n <= 0)
                return GS_FAIL(st, GS_ERR_IO, n < 0 ? errno : EIO,
                               "read failed: temporary file of the index");
            f->used += (size_t)n;
            f->read_bytes += (uint64_t)n;
        }
    }
    if (f->used - f->at < bytes)
        return GS_FAIL(st, GS_ERR_FORMAT, 0, "temporary file of the index ends early");
    *data = f->buffer + f->at;
    f->at += bytes;
    return GS_OK;
}
