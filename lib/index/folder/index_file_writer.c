/* SPDX-License-Identifier: MIT */
#include "lib/index/folder/index_file_writer.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <xxhash.h>

#include "io/aio.h"
#include "io/file_sync.h"
#include "io/write_all.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/index/format/formats.h"

enum {
    BUFFER_BYTES = 1 << 20,
    COPY_BYTES = 32 << 10,
    STRETCH_BYTES = 4 << 20,
    PATH_BYTES = 4400,
    /* Of a file that is larger other threads write what has been summed up: to copy to
     * new pages takes as long as all else. */
    ALONE_BYTES = 8 << 20,
    BUFFERS = 4,
    WRITERS = 2,
};

_Static_assert(BUFFER_BYTES % GS_SUM_PAGE_BYTES == 0, "sums are made of whole pages");
_Static_assert((int)GS_FILE_HEAD_BYTES <= (int)BUFFER_BYTES, "a head is flushed at once");

struct gs_file_writer {
    int fd;
    char path[PATH_BYTES];
    uint64_t bytes; /* put so far */
    uint8_t head[GS_FILE_HEAD_BYTES];
    uint8_t first_page[GS_SUM_PAGE_BYTES]; /* whose head may be set at the end */
    gs_page_sums *pages;
    XXH3_state_t *hash;
    uint8_t *buffer; /* that is being filled: this one of these */
    unsigned filling;
    size_t used;
    uint8_t *buffers[BUFFERS]; /* NULL: not needed yet */
    bool is_written[BUFFERS];  /* just now, by these: */
    gs_aio *writers;           /* NULL: none */
    bool is_alone;             /* there can be none */
};

gs_code gs_file_writer_new(gs_file_writer **out, const char *folder, const char *name,
                           gs_page_sums *pages, gs_status *st)
{
    *out = NULL;
    gs_file_writer *w = NULL;
    GS_TRY(gs_mem_new(&w, sizeof *w, "index file", st));
    w->fd = -1;
    w->pages = pages;
    GS_TRY_OR_FAIL(gs_mem_new(&w->buffers[0], BUFFER_BYTES, "index file", st));
    w->buffer = w->buffers[0];
    w->hash = XXH3_createState();
    if (w->hash == NULL) {
        (void)GS_FAIL(st, GS_ERR_NOMEM, ENOMEM, "checksum");
        goto fail;
    }
    (void)XXH3_64bits_reset(w->hash);
    if (snprintf(w->path, sizeof w->path, "%s/%s", folder, name) >= PATH_BYTES) {
        (void)GS_FAIL(st, GS_ERR_ARG, ENAMETOOLONG, "open failed: %s", folder);
        goto fail;
    }
    w->fd = open(w->path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (w->fd < 0) {
        (void)GS_FAIL(st, GS_ERR_IO, errno, "open failed: %s", w->path);
        goto fail;
    }
    *out = w;
    return GS_OK;
fail:
    gs_file_writer_free(w);
    return st->code;
}

void gs_file_writer_free(gs_file_writer *w)
{
    if (w == NULL)
        return;
    gs_aio_free(w->writers);
    if (w->fd >= 0)
        (void)close(w->fd);
    (void)XXH3_freeState(w->hash);
    for (int i = 0; i < BUFFERS; i++)
        gs_mem_free(w->buffers[i]);
    gs_mem_free(w);
}

static gs_code fail_write(const gs_file_writer *w, int error, gs_status *st)
{
    (void)GS_FAIL(st, GS_ERR_IO, error, "write failed: %s", w->path);
    return gs_status_hint(st, "free some space where the index goes");
}

static gs_code write_at(gs_file_writer *w, const void *data, size_t bytes,
                        uint64_t offset, gs_status *st)
{
    const int error = gs_pwrite_all(w->fd, data, bytes, offset);
    return error == 0 ? GS_OK : fail_write(w, error, st);
}

/* --- by other threads --------------------------------------------------------------- */

static gs_code wait_for_one(gs_file_writer *w, gs_status *st)
{
    gs_aio_done done;
    GS_TRY(gs_aio_wait(w->writers, &done, st));
    *(bool *)done.tag = false;
    return done.result < 0 ? fail_write(w, (int)-done.result, st) : GS_OK;
}

static gs_code wait_for_all(gs_file_writer *w, gs_status *st)
{
    while (w->writers != NULL && gs_aio_in_flight(w->writers) > 0)
        GS_TRY(wait_for_one(w, st));
    return GS_OK;
}

static bool has_writers(gs_file_writer *w)
{
    gs_status ignored = {.code = GS_OK};
    if (w->writers == NULL && !w->is_alone && w->bytes > ALONE_BYTES)
        w->is_alone =
            gs_aio_new_threads(&w->writers, BUFFERS, WRITERS, &ignored) != GS_OK;
    return w->writers != NULL;
}

/* A buffer that nobody writes becomes the one that is filled. */
static gs_code take_buffer(gs_file_writer *w, gs_status *st)
{
    for (;;) {
        for (unsigned i = 0; i < BUFFERS; i++) {
            if (w->is_written[i])
                continue;
            if (w->buffers[i] == NULL)
                GS_TRY(gs_mem_new(&w->buffers[i], BUFFER_BYTES, "index file", st));
            w->filling = i;
            w->buffer = w->buffers[i];
            return GS_OK;
        }
        GS_TRY(wait_for_one(w, st));
    }
}

static gs_code write_buffer(gs_file_writer *w, uint64_t offset, gs_status *st)
{
    if (!has_writers(w))
        return write_at(w, w->buffer, w->used, offset, st);
    bool *const is_written = &w->is_written[w->filling];
    *is_written = true;
    GS_TRY(gs_aio_write(w->writers, w->fd, w->buffer, w->used, offset, is_written, st));
    return take_buffer(w, st);
}

/* --- in order ----------------------------------------------------------------------- */

/* What is in the buffer begins at a whole page: it is flushed when it is full, and at the
 * end. */
static gs_code flush(gs_file_writer *w, gs_status *st)
{
    const uint64_t at = w->bytes - w->used;
    size_t head = 0;
    if (at == 0) {
        head = w->used < GS_FILE_HEAD_BYTES ? w->used : GS_FILE_HEAD_BYTES;
        memcpy(w->head, w->buffer, head);
        memcpy(w->first_page, w->buffer,
               w->used < GS_SUM_PAGE_BYTES ? w->used : GS_SUM_PAGE_BYTES);
    }
    /* What is of the head is hashed last. */
    (void)XXH3_64bits_update(w->hash, w->buffer + head, w->used - head);
    if (w->pages != NULL)
        GS_TRY(gs_page_sums_add(w->pages, w->buffer, w->used, st));
    GS_TRY(write_buffer(w, at, st));
    w->used = 0;
    return GS_OK;
}

gs_code gs_file_writer_put(gs_file_writer *w, const void *data, size_t bytes,
                           gs_status *st)
{
    const uint8_t *from = data;
    while (bytes > 0) {
        if (w->used == BUFFER_BYTES)
            GS_TRY(flush(w, st));
        size_t n = BUFFER_BYTES - w->used;
        if (n > bytes)
            n = bytes;
        memcpy(w->buffer + w->used, from, n);
        w->used += n;
        w->bytes += n;
        from += n;
        bytes -= n;
    }
    return GS_OK;
}

gs_code gs_file_writer_put_all(gs_file_writer *w, gs_append_file *from, gs_status *st)
{
    for (uint64_t left = from->bytes; left > 0;) {
        const size_t n = left < COPY_BYTES ? (size_t)left : COPY_BYTES;
        const uint8_t *data;
        GS_TRY(gs_append_file_take(from, &data, n, st));
        GS_TRY(gs_file_writer_put(w, data, n, st));
        left -= n;
    }
    return GS_OK;
}

gs_code gs_file_writer_align(gs_file_writer *w, size_t multiple, gs_status *st)
{
    const uint8_t zeros[64] = {0};
    gs_assert(multiple <= sizeof zeros);
    return gs_file_writer_put(w, zeros, (size_t)(-w->bytes % multiple), st);
}

gs_code gs_file_writer_set_head(gs_file_writer *w, const void *head, size_t bytes,
                                gs_status *st)
{
    gs_assert(bytes <= GS_FILE_HEAD_BYTES && w->bytes >= bytes);
    if (w->bytes == w->used) { /* nothing is written yet */
        memcpy(w->buffer, head, bytes);
        return GS_OK;
    }
    memcpy(w->head, head, bytes);
    memcpy(w->first_page, head, bytes);
    if (w->pages != NULL)
        w->pages->sums[0] = gs_page_sum(w->first_page, GS_SUM_PAGE_BYTES);
    GS_TRY(wait_for_all(w, st));
    return write_at(w, head, bytes, 0, st);
}

uint64_t gs_file_writer_bytes(const gs_file_writer *w)
{
    return w->bytes;
}

gs_code gs_file_writer_finish(gs_file_writer *w, uint64_t *bytes, uint64_t *checksum,
                              gs_status *st)
{
    const uint8_t slack[GS_INDEX_SLACK] = {0};
    GS_TRY(gs_file_writer_put(w, slack, sizeof slack, st));
    GS_TRY(flush(w, st));
    GS_TRY(wait_for_all(w, st));
    const int error = gs_file_sync(w->fd);
    if (error != 0)
        return GS_FAIL(st, GS_ERR_IO, error, "write failed: %s", w->path);
    const size_t head =
        w->bytes < GS_FILE_HEAD_BYTES ? (size_t)w->bytes : GS_FILE_HEAD_BYTES;
    (void)XXH3_64bits_update(w->hash, w->head, head);
    *checksum = XXH3_64bits_digest(w->hash);
    *bytes = w->bytes;
    return GS_OK;
}

gs_code gs_file_checksum(uint64_t *checksum, const uint8_t *data, uint64_t bytes,
                         gs_file_passed_fn *passed, void *context, gs_status *st)
{
    const size_t head = bytes < GS_FILE_HEAD_BYTES ? (size_t)bytes : GS_FILE_HEAD_BYTES;
    XXH3_state_t *const hash = XXH3_createState();
    if (hash == NULL)
        return GS_FAIL(st, GS_ERR_NOMEM, ENOMEM, "checksum");
    (void)XXH3_64bits_reset(hash);
    for (uint64_t at = head; at < bytes;) {
        const size_t n =
            bytes - at < STRETCH_BYTES ? (size_t)(bytes - at) : STRETCH_BYTES;
        (void)XXH3_64bits_update(hash, data + at, n);
        if (passed != NULL)
            passed(context, data + at, data + at + n);
        at += n;
    }
    (void)XXH3_64bits_update(hash, data, head);
    *checksum = XXH3_64bits_digest(hash);
    (void)XXH3_freeState(hash);
    return GS_OK;
}
