/* SPDX-License-Identifier: MIT */
#include "io/small_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/quote.h"

enum { READ_BYTES = 64 << 10 };

static gs_code fail(const char *what, const char *name, int error, gs_status *st)
{
    gs_quoted quoted;
    return GS_FAIL(st, GS_ERR_IO, error, "%s: %s", what, gs_quote_name(&quoted, name));
}

static gs_code read_all(gs_small_file *f, int fd, const char *name, size_t bytes_max,
                        gs_status *st)
{
    ssize_t got;
    do {
        GS_TRY(gs_mem_grow(&f->data, &f->capacity,
                           f->bytes + READ_BYTES + GS_SMALL_FILE_SLACK, "a file", st));
        got = read(fd, f->data + f->bytes, READ_BYTES);
        if (got < 0 && errno != EINTR)
            return fail("read failed", name, errno, st);
        f->bytes += got > 0 ? (size_t)got : 0;
    } while (got != 0 && f->bytes <= bytes_max);
    memset(f->data + f->bytes, 0, GS_SMALL_FILE_SLACK);
    return GS_OK;
}

gs_code gs_small_file_read(gs_small_file *file, const char *name, size_t bytes_max,
                           gs_status *st)
{
    *file = (gs_small_file){.bytes = 0};
    if (strcmp(name, "-") == 0)
        return read_all(file, STDIN_FILENO, name, bytes_max, st);
    const int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return fail("cannot read", name, errno, st);
    GS_NOTED(read_all(file, fd, name, bytes_max, st));
    (void)close(fd);
    return st->code;
}

void gs_small_file_release(gs_small_file *file)
{
    gs_mem_free(file->data);
    *file = (gs_small_file){.bytes = 0};
}
