/* SPDX-License-Identifier: MIT */
#include "io/last_close.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#if GS_HAVE_LIBURING
#include <liburing.h>
#endif

enum { WORTH_HOLDING_BYTES = 8 << 20 };

void gs_last_close(int fd)
{
    if (fd < 0)
        return;
#if GS_HAVE_LIBURING
    struct io_uring ring;
    if (io_uring_queue_init(1, &ring, 0) == 0) {
        (void)io_uring_register_files(&ring, &fd, 1);
        (void)close(fd);
        io_uring_queue_exit(&ring);
        return;
    }
#endif
    (void)close(fd);
}

int gs_last_close_hold(const char *path)
{
    struct stat info;
    if (stat(path, &info) != 0 || !S_ISREG(info.st_mode) ||
        info.st_size < WORTH_HOLDING_BYTES)
        return -1;
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    return fd >= 0 ? fd : open(path, O_WRONLY | O_CLOEXEC);
}
