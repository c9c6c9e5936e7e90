/* SPDX-License-Identifier: MIT */
#include "io/write_all.h"

#include <errno.h>
#include <unistd.h>

/* A file in the page cache that gets more at once gets it in large pages of memory that
 * nobody had before, which machines that are virtual may take ten times as long for. */
enum { CACHED_MAX = 1 << 20 };

/* What came of one call: *done grows, or the return value is errno. */
static int note(ssize_t written, size_t *done)
{
    if (written > 0)
        *done += (size_t)written;
    else if (written == 0)
        return ENOSPC;
    return written > 0 || errno == EINTR ? 0 : errno;
}

int gs_write_all(int fd, const void *data, size_t bytes)
{
    int error = 0;
    for (size_t done = 0; done < bytes && error == 0;)
        error = note(write(fd, (const char *)data + done, bytes - done), &done);
    return error;
}

int gs_pwrite_all(int fd, const void *data, size_t bytes, uint64_t offset)
{
    int error = 0;
    for (size_t done = 0; done < bytes && error == 0;) {
        const size_t left = bytes - done, n = left < CACHED_MAX ? left : CACHED_MAX;
        error =
            note(pwrite(fd, (const char *)data + done, n, (off_t)(offset + done)), &done);
    }
    return error;
}

int gs_pread_all(int fd, void *to, size_t bytes, uint64_t offset, size_t *taken)
{
    ssize_t n = 1;
    for (*taken = 0; *taken < bytes && n != 0;) {
        n = pread(fd, (char *)to + *taken, bytes - *taken, (off_t)(offset + *taken));
        if (n < 0 && errno != EINTR)
            return errno;
        *taken += n > 0 ? (size_t)n : 0;
    }
    return 0;
}
