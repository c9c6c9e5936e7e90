/* SPDX-License-Identifier: MIT */
/*
 * wrapped_fortified: what some of the calls are named in a program that is compiled with
 * _FORTIFY_SOURCE. The check of the size is the C library's, and is left to other builds.
 */
#include "tests/faults/real_calls.h"

ssize_t __wrap___read_chk(int fd, void *to, size_t bytes, size_t room);
ssize_t __wrap___pread_chk(int fd, void *to, size_t bytes, off_t offset, size_t room);
ssize_t __wrap___pread64_chk(int fd, void *to, size_t bytes, off_t offset, size_t room);
int __wrap___open_2(const char *path, int flags);
int __wrap___openat_2(int folder, const char *path, int flags);
char *__wrap___realpath_chk(const char *path, char *to, size_t room);
ssize_t __wrap___readlink_chk(const char *path, char *to, size_t bytes, size_t room);
int __wrap___poll_chk(struct pollfd *fds, nfds_t count, int wait_ms, size_t room);

ssize_t __wrap___read_chk(int fd, void *to, size_t bytes, size_t room)
{
    (void)room;
    return __wrap_read(fd, to, bytes);
}

ssize_t __wrap___pread_chk(int fd, void *to, size_t bytes, off_t offset, size_t room)
{
    (void)room;
    return __wrap_pread(fd, to, bytes, offset);
}

ssize_t __wrap___pread64_chk(int fd, void *to, size_t bytes, off_t offset, size_t room)
{
    (void)room;
    return __wrap_pread(fd, to, bytes, offset);
}

int __wrap___open_2(const char *path, int flags)
{
    return __wrap_open(path, flags);
}

int __wrap___openat_2(int folder, const char *path, int flags)
{
    return __wrap_openat(folder, path, flags);
}

char *__wrap___realpath_chk(const char *path, char *to, size_t room)
{
    (void)room;
    return __wrap_realpath(path, to);
}

ssize_t __wrap___readlink_chk(const char *path, char *to, size_t bytes, size_t room)
{
    (void)room;
    return __wrap_readlink(path, to, bytes);
}

int __wrap___poll_chk(struct pollfd *fds, nfds_t count, int wait_ms, size_t room)
{
    (void)room;
    return __wrap_poll(fds, count, wait_ms);
}
