/* SPDX-License-Identifier: MIT */
#include "io/input_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "io/last_close.h"
#include "io/spill.h"
#include "io/stream.h"
#include "io/write_all.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"

enum { BLOCK_BYTES = 512 << 10, BLOCK_COUNT = GS_INPUT_COPY_BYTES / BLOCK_BYTES };

/* Files are read one after the other, and lie so in the copy. */
typedef struct copied_file {
    size_t index;
    int fd; /* -1: it has no more */
    uint64_t offset, bytes;
} copied_file;

struct gs_input_copy {
    const char *const *folders;
    size_t folder_count;
    int fd;            /* of the copy; -1: there is none yet */
    gs_stream *stream; /* to its end; NULL: all of it is in the file */
    uint64_t ticket;   /* the next one of the stream */
    uint64_t bytes;
    copied_file *files;
    size_t count, capacity;
    bool is_lost, is_last;
};

gs_code gs_input_copy_new(gs_input_copy **out, const char *const *folders,
                          size_t folder_count, gs_status *st)
{
    *out = NULL;
    gs_input_copy *c = NULL;
    GS_TRY(gs_mem_new(&c, sizeof *c, "copy of the input", st));
    c->folders = folders;
    c->folder_count = folder_count;
    c->fd = -1;
    *out = c;
    return GS_OK;
}

static void close_fd(int *fd)
{
    if (*fd >= 0)
        (void)close(*fd);
    *fd = -1;
}

/* What there is of it is of no use any more. */
static void release(gs_input_copy *c)
{
    for (size_t i = 0; i < c->count; i++)
        close_fd(&c->files[i].fd);
    gs_stream_free(c->stream);
    c->stream = NULL;
    gs_last_close(c->fd);
    c->fd = -1;
}

void gs_input_copy_free(gs_input_copy *c)
{
    if (c == NULL)
        return;
    release(c);
    gs_mem_free(c->files);
    gs_mem_free(c);
}

static void lose(gs_input_copy *c)
{
    release(c);
    c->is_lost = true;
}

static copied_file *find(const gs_input_copy *c, size_t index)
{
    for (size_t i = c->count; i > 0; i--) {
        if (c->files[i - 1].index == index)
            return &c->files[i - 1];
    }
    return NULL;
}

int gs_input_copy_reopen(const gs_input_copy *c, size_t index)
{
    const copied_file *const file = find(c, index);
    if (file == NULL || c->is_lost)
        return -1;
    return file->fd >= 0 ? fcntl(file->fd, F_DUPFD_CLOEXEC, 0)
                         : open("/dev/null", O_RDONLY | O_CLOEXEC);
}

void gs_input_copy_open(gs_input_copy *c, size_t index, int fd)
{
    gs_status ignored = {.code = GS_OK};
    if (c->is_lost || c->is_last)
        return;
    const int own = fcntl(fd, F_DUPFD_CLOEXEC, 0);
    if (own < 0 || gs_mem_grow(&c->files, &c->capacity, c->count + 1, "copy of the input",
                               &ignored) != GS_OK) {
        if (own >= 0)
            (void)close(own);
        lose(c);
        return;
    }
    c->files[c->count++] = (copied_file){.index = index, .fd = own, .offset = c->bytes};
}

/* All that was added goes to the file; what is added later, by another stream. */
static void settle(gs_input_copy *c)
{
    gs_status st = {.code = GS_OK};
    uint64_t ignored;
    if (c->stream == NULL)
        return;
    if (gs_stream_finish(c->stream, &ignored, &st) != GS_OK) {
        lose(c);
        return;
    }
    gs_stream_free(c->stream);
    c->stream = NULL;
}

int gs_input_copy_read(gs_input_copy *c, size_t index, uint64_t at, void *to,
                       size_t bytes, size_t *taken)
{
    const copied_file *const file = find(c, index);
    *taken = 0;
    if (file == NULL || at >= file->bytes || c->is_lost)
        return 0;
    settle(c);
    if (c->is_lost)
        return EIO;
    const uint64_t left = file->bytes - at;
    const size_t n = left < bytes ? (size_t)left : bytes;
    const int error = gs_pread_all(c->fd, to, n, file->offset + at, taken);
    return error == 0 && *taken < n ? EIO : error;
}

static gs_code make_file(gs_input_copy *c, gs_status *st)
{
    gs_spill *spill = NULL;
    GS_TRY(gs_spill_new(&spill, c->folders, c->folder_count, st));
    GS_NOTED(gs_spill_file_new(spill, &c->fd, NULL, st));
    gs_spill_free(spill);
    return st->code;
}

/* Through the page cache: a disk is slower than most pipes, and what is soon given up
 * need never get there. */
static gs_code need_stream(gs_input_copy *c, gs_status *st)
{
    if (c->stream != NULL)
        return GS_OK;
    if (c->fd < 0)
        GS_TRY(make_file(c, st));
    const gs_stream_target target = {
        .fd = c->fd,
        .is_seekable = true,
        .offset = c->bytes,
        .failure = "cannot write to the copy of the input",
    };
    c->ticket = 0;
    return gs_stream_new(&c->stream, &target, BLOCK_BYTES, BLOCK_COUNT, st);
}

static gs_code append(gs_input_copy *c, const void *data, size_t bytes, gs_status *st)
{
    uint64_t at;
    GS_TRY(need_stream(c, st));
    GS_TRY(gs_stream_reserve(c->stream, c->ticket++, bytes, true, &at, st));
    return gs_stream_put(c->stream, at, data, bytes, st);
}

void gs_input_copy_add(gs_input_copy *c, size_t index, const void *data, size_t bytes)
{
    gs_status ignored = {.code = GS_OK};
    copied_file *const file = find(c, index);
    if (c->is_lost || c->is_last || bytes == 0)
        return;
    gs_assert(file != NULL && file->offset + file->bytes == c->bytes);
    if (append(c, data, bytes, &ignored) != GS_OK) {
        lose(c);
        return;
    }
    file->bytes += bytes;
    c->bytes += bytes;
}

void gs_input_copy_end(gs_input_copy *c, size_t index)
{
    copied_file *const file = find(c, index);
    if (file != NULL)
        close_fd(&file->fd);
}

bool gs_input_copy_is_whole(gs_input_copy *c)
{
    settle(c);
    return !c->is_lost;
}

void gs_input_copy_stop(gs_input_copy *c)
{
    c->is_last = true;
}
