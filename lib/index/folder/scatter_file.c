/* SPDX-License-Identifier: MIT */
#include "lib/index/folder/scatter_file.h"

#include <errno.h>
#include <unistd.h>

#include "io/last_close.h"
#include "io/write_all.h"
#include "lib/index/folder/append_file.h"

gs_code gs_scatter_file_open(gs_scatter_file *f, const char *folder, gs_status *st)
{
    f->fd = gs_append_file_nameless(folder);
    f->is_open = f->fd >= 0;
    return f->is_open ? GS_OK
                      : GS_FAIL(st, GS_ERR_IO, errno,
                                "cannot create temporary file in '%s'", folder);
}

void gs_scatter_file_close(gs_scatter_file *f)
{
    if (f->is_open)
        gs_last_close(f->fd);
    f->is_open = false;
}

gs_code gs_scatter_file_put(gs_scatter_file *f, const void *data, size_t bytes,
                            uint64_t *offset, gs_status *st)
{
    *offset = atomic_fetch_add(&f->bytes, bytes);
    const int error = gs_pwrite_all(f->fd, data, bytes, *offset);
    if (error == 0)
        return GS_OK;
    (void)GS_FAIL(st, GS_ERR_IO, error, "write failed: temporary file of the index");
    return gs_status_hint(st, "free some space where the index goes");
}

gs_code gs_scatter_file_get(const gs_scatter_file *f, void *to, size_t bytes,
                            uint64_t offset, gs_status *st)
{
    for (size_t done = 0; done < bytes;) {
        const ssize_t n =
            pread(f->fd, (char *)to + done, bytes - done, (off_t)(offset + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return GS_FAIL(st, GS_ERR_IO, n < 0 ? errno : EIO,
                           "read failed: temporary file of the index");
        done += (size_t)n;
    }
    return GS_OK;
}
