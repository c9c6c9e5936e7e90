/* SPDX-License-Identifier: MIT */
/*
 * wrapped_streams: streams of stdio whose reads and writes go through the wrappers, which
 * the C library's own would not. Standard error stays what it is: what failed can be
 * said.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include "tests/faults/real_calls.h"

/* stdio gives up when it is interrupted, which none of the program's handlers lets
 * happen: they end it, or have calls go on. */
static ssize_t read_stream(void *cookie, char *to, size_t bytes)
{
    ssize_t n;
    do {
        n = __wrap_read((int)(intptr_t)cookie, to, bytes);
    } while (n < 0 && errno == EINTR);
    return n;
}

/* As the C library does it, 0 is a failure. */
static ssize_t write_stream(void *cookie, const char *from, size_t bytes)
{
    size_t done = 0;
    while (done < bytes) {
        const ssize_t n = __wrap_write((int)(intptr_t)cookie, from + done, bytes - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return done > 0 ? (ssize_t)done : 0;
        done += (size_t)n;
    }
    return (ssize_t)done;
}

static int close_stream(void *cookie)
{
    return __wrap_close((int)(intptr_t)cookie);
}

static FILE *stream_of(int fd, const char *mode)
{
    const cookie_io_functions_t calls = {
        .read = read_stream, .write = write_stream, .close = close_stream};
    const char plain[2] = {mode[0], '\0'};
    return fopencookie((void *)(intptr_t)fd, plain, calls);
}

FILE *__wrap_fopen(const char *path, const char *mode)
{
    const int how = mode[0] == 'r'   ? O_RDONLY
                    : mode[0] == 'w' ? O_WRONLY | O_CREAT | O_TRUNC
                                     : O_WRONLY | O_CREAT | O_APPEND;
    const int fd = __wrap_open(path, how | (strchr(mode, 'e') ? O_CLOEXEC : 0), 0666);
    if (fd < 0)
        return NULL;
    FILE *const stream = stream_of(fd, mode);
    if (stream == NULL)
        (void)__real_close(fd);
    return stream;
}

FILE *__wrap_fdopen(int fd, const char *mode)
{
    return stream_of(fd, mode);
}

__attribute__((constructor)) static void begin(void)
{
    FILE *const stream = stream_of(STDOUT_FILENO, "w");
    if (stream != NULL)
        stdout = stream;
}
