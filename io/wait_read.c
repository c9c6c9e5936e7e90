/* SPDX-License-Identifier: MIT */
#include "io/wait_read.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdbool.h>
#include <sys/stat.h>
#include <unistd.h>

/* A FIFO that was opened without a writer is not at its end before one has come and gone:
 * poll() waits for that. */
int gs_wait_open(const char *name, const volatile int *cancel)
{
    struct stat info;
    const bool is_fifo =
        cancel != NULL && stat(name, &info) == 0 && S_ISFIFO(info.st_mode);
    return open(name, O_RDONLY | O_CLOEXEC | (is_fifo ? O_NONBLOCK : 0));
}

/* False: the work is to stop. */
static bool wait_for_bytes(int fd, const volatile int *cancel)
{
    struct pollfd from = {.fd = fd, .events = POLLIN};
    int n = 0;
    while (n == 0 || (n < 0 && errno == EINTR)) {
        if (__atomic_load_n(cancel, __ATOMIC_RELAXED) != 0)
            return false;
        n = poll(&from, 1, GS_WAIT_LOOK_MS);
    }
    return true; /* of what goes wrong the read tells more */
}

ssize_t gs_wait_read(int fd, void *to, size_t bytes, const volatile int *cancel)
{
    ssize_t n;
    do {
        if (cancel != NULL && !wait_for_bytes(fd, cancel)) {
            errno = ECANCELED;
            return -1;
        }
        n = read(fd, to, bytes);
        /* EAGAIN: somebody else reads it too, and was faster. */
    } while (n < 0 && (errno == EINTR || (errno == EAGAIN && cancel != NULL)));
    return n;
}
