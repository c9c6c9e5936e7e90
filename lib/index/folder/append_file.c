/* SPDX-License-Identifier: MIT */
#include "lib/index/folder/append_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "io/file_sync.h"
#include "io/last_close.h"
#include "io/name_guard.h"
#include "io/write_all.h"
#include "lib/base/assertion.h"
#include "lib/base/checksum.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/index/folder/index_leftover.h"

int gs_append_file_nameless(const char *folder)
{
    const int fd = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    char path[4200];
    (void)snprintf(path, sizeof path, "%s/" GS_INDEX_PART_NAME "XXXXXX", folder);
    gs_name_guard guard;
    gs_name_guard_begin(&guard);
    const int named = mkostemp(path, O_CLOEXEC);
    if (named >= 0)
        (void)unlink(path);
    gs_name_guard_end(&guard);
    return named;
}

gs_code gs_append_file_open(gs_append_file *f, const char *folder, size_t buffer_bytes,
                            gs_status *st)
{
    *f = (gs_append_file){.fd = -1};
    GS_TRY(gs_mem_new(&f->buffer, buffer_bytes, "part of an index", st));
    f->capacity = buffer_bytes;
    f->fd = gs_append_file_nameless(folder);
    if (f->fd < 0)
        return GS_FAIL(st, GS_ERR_IO, errno, "cannot create temporary file in '%s'",
                       folder);
    return GS_OK;
}

/* --- files that are kept ------------------------------------------------------------ */

static gs_code fail_kept(const gs_append_file *f, const char *what, int error,
                         gs_status *st)
{
    gs_quoted q;
    return GS_FAIL(st, GS_ERR_IO, error, "%s: %s", what, gs_quote_name(&q, f->path));
}

static gs_code fail_damaged(const gs_append_file *f, const char *what, gs_status *st)
{
    gs_quoted q;
    (void)GS_FAIL(st, GS_ERR_FORMAT, 0, "%s: damaged: %s", gs_quote_name(&q, f->path),
                  what);
    return gs_status_hint(st, "remove the folder of --checkpoint to begin anew");
}

gs_code gs_append_file_open_kept(gs_append_file *f, const char *path, uint64_t bytes,
                                 uint64_t sum, size_t buffer_bytes, gs_status *st)
{
    *f = (gs_append_file){.fd = -1, .path = path, .bytes = bytes, .sum = sum};
    GS_TRY(gs_mem_new(&f->buffer, buffer_bytes, "part of an index", st));
    f->capacity = buffer_bytes;
    f->hash = XXH3_createState();
    if (f->hash == NULL)
        return GS_FAIL(st, GS_ERR_NOMEM, ENOMEM, "checksum");
    (void)XXH3_64bits_reset(f->hash);
    f->fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (f->fd < 0)
        return fail_kept(f, "open failed", errno, st);
    const off_t end = lseek(f->fd, 0, SEEK_END);
    if (end < 0)
        return fail_kept(f, "read failed", errno, st);
    if ((uint64_t)end < bytes)
        return fail_damaged(f, "it ends early", st);
    return bytes > 0 ? GS_OK : gs_append_file_go_on(f, st);
}

static void note(const gs_append_file *f, const void *data, size_t bytes)
{
    if (f->hash != NULL && bytes > 0)
        gs_checksum_add(f->hash, data, bytes);
}

uint64_t gs_append_file_sum_so_far(const gs_append_file *f)
{
    return XXH3_64bits_digest(f->hash);
}

gs_code gs_append_file_check(const gs_append_file *f, gs_status *st)
{
    if (f->path == NULL)
        return GS_OK;
    if (gs_append_file_left(f) > 0 || gs_append_file_sum_so_far(f) != f->sum)
        return fail_damaged(f, "checksum does not match", st);
    return GS_OK;
}

gs_code gs_append_file_go_on(gs_append_file *f, gs_status *st)
{
    gs_assert(gs_append_file_left(f) == 0);
    f->used = f->at = 0;
    f->read_bytes = 0;
    if (ftruncate(f->fd, (off_t)f->bytes) != 0 ||
        lseek(f->fd, (off_t)f->bytes, SEEK_SET) < 0)
        return fail_kept(f, "write failed", errno, st);
    return GS_OK;
}

gs_code gs_append_file_look_through(gs_append_file *f, gs_status *st)
{
    while (gs_append_file_left(f) > 0) {
        const uint64_t left = gs_append_file_left(f);
        const uint8_t *data;
        GS_TRY(gs_append_file_take(f, &data,
                                   left < f->capacity ? (size_t)left : f->capacity, st));
    }
    GS_TRY(gs_append_file_check(f, st));
    f->used = f->at = 0;
    f->read_bytes = 0;
    (void)XXH3_64bits_reset(f->hash);
    return GS_OK;
}

/* --- all --------------------------------------------------------------------------- */

void gs_append_file_close(gs_append_file *f)
{
    if (f->buffer != NULL)
        gs_last_close(f->fd);
    (void)XXH3_freeState(f->hash);
    gs_mem_free(f->buffer);
    *f = (gs_append_file){.fd = -1};
}

static gs_code write_all(gs_append_file *f, const uint8_t *data, size_t bytes,
                         gs_status *st)
{
    const int error = gs_write_all(f->fd, data, bytes);
    if (error != 0) {
        (void)GS_FAIL(st, GS_ERR_IO, error, "write failed: temporary file of the index");
        return gs_status_hint(st, "free some space where the index goes");
    }
    f->bytes += bytes;
    note(f, data, bytes);
    return GS_OK;
}

gs_code gs_append_file_sync(gs_append_file *f, gs_status *st)
{
    gs_assert(f->path != NULL);
    GS_TRY(write_all(f, f->buffer, f->used, st));
    f->used = 0;
    const int error = gs_data_sync(f->fd);
    return error == 0 ? GS_OK : fail_kept(f, "write failed", error, st);
}

gs_code gs_append_file_put(gs_append_file *f, const void *data, size_t bytes,
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

gs_code gs_append_file_rewind(gs_append_file *f, gs_status *st)
{
    GS_TRY(write_all(f, f->buffer, f->used, st));
    f->used = f->at = 0;
    f->read_bytes = 0;
    if (f->hash != NULL) {
        f->sum = gs_append_file_sum_so_far(f);
        (void)XXH3_64bits_reset(f->hash);
    }
    return GS_OK;
}

static gs_code fail_read(int error, gs_status *st)
{
    return GS_FAIL(st, GS_ERR_IO, error, "read failed: temporary file of the index");
}

gs_code gs_append_file_fill(gs_append_file *f, void *to, size_t bytes, int64_t got,
                            gs_status *st)
{
    gs_assert(bytes <= f->bytes - f->read_bytes);
    if (got < 0)
        return fail_read((int)-got, st);
    const size_t done = (size_t)got;
    size_t taken = 0;
    const int error = gs_pread_all(f->fd, (uint8_t *)to + done, bytes - done,
                                   f->read_bytes + done, &taken);
    if (error != 0 || taken < bytes - done)
        return fail_read(error != 0 ? error : EIO, st);
    note(f, to, bytes);
    f->read_bytes += bytes;
    return GS_OK;
}

gs_code gs_append_file_take(gs_append_file *f, const uint8_t **data, size_t bytes,
                            gs_status *st)
{
    gs_assert(bytes <= f->capacity);
    if (f->used - f->at < bytes) {
        memmove(f->buffer, f->buffer + f->at, f->used - f->at);
        f->used -= f->at;
        f->at = 0;
        const size_t room = f->capacity - f->used;
        const uint64_t left = f->bytes - f->read_bytes;
        const size_t n = left < room ? (size_t)left : room;
        GS_TRY(gs_append_file_fill(f, f->buffer + f->used, n, 0, st));
        f->used += n;
    }
    if (f->used - f->at < bytes)
        return GS_FAIL(st, GS_ERR_FORMAT, 0, "temporary file of the index ends early");
    *data = f->buffer + f->at;
    f->at += bytes;
    return GS_OK;
}
