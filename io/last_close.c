/* SPDX-License-Identifier: MIT */
#include "io/last_close.h"

#include <fcntl.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

#if GS_HAVE_LIBURING
#include <liburing.h>
#endif

enum { WORTH_HOLDING_BYTES = 8 << 20 };

/* Little is freed at once. */
static bool is_worth_holding(int fd)
{
    struct stat info;
    return fstat(fd, &info) == 0 && S_ISREG(info.st_mode) &&
           info.st_size >= WORTH_HOLDING_BYTES;
}

void gs_last_close(int fd)
{
    if (fd < 0)
        return;
    if (!is_worth_holding(fd)) {
        (void)close(fd);
        return;
    }
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
    /* Without waiting for who writes to it, should it be a FIFO. */
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        fd = open(path, O_WRONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0 || is_worth_holding(fd))
        return fd;
    (void)close(fd);
    return -1;
}
