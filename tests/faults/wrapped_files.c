/* SPDX-License-Identifier: MIT */
/*
 * wrapped_files: the calls that have to do with files and folders.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdarg.h>
#include <unistd.h>

#include "tests/faults/fault_plan.h"
#include "tests/faults/power_cut.h"
#include "tests/faults/real_calls.h"

/* --- reading and writing ----------------------------------------------------------- */

/* What a transfer of `bytes` is to move; -1 and errno if it is to fail. A stream may stop
 * anywhere, what has an offset where a direct transfer can go on. */
static ssize_t bytes_of_call(fault_kind kind, size_t bytes, bool has_offset)
{
    bool is_short;
    const int error = fault_of_call(kind, &is_short);
    if (error != 0) {
        errno = error;
        return -1;
    }
    if (!is_short)
        return (ssize_t)bytes;
    return (ssize_t)(has_offset ? fault_short_bytes(bytes) : (bytes + 1) / 2);
}

ssize_t __wrap_read(int fd, void *to, size_t bytes)
{
    const ssize_t now = bytes_of_call(FAULT_READ, bytes, false);
    return now < 0 ? -1 : __real_read(fd, to, (size_t)now);
}

ssize_t __wrap_pread(int fd, void *to, size_t bytes, off_t offset)
{
    const ssize_t now = bytes_of_call(FAULT_READ, bytes, true);
    return now < 0 ? -1 : __real_pread(fd, to, (size_t)now, offset);
}

/* Short, it gives the first of several buffers. */
ssize_t __wrap_preadv2(int fd, const struct iovec *v, int n, off_t offset, int flags)
{
    const ssize_t now = bytes_of_call(FAULT_READ, v->iov_len, true);
    if (now < 0)
        return -1;
    const struct iovec part = {v->iov_base, (size_t)now};
    return (size_t)now < v->iov_len ? __real_preadv2(fd, &part, 1, offset, flags)
                                    : __real_preadv2(fd, v, n, offset, flags);
}

ssize_t __wrap_write(int fd, const void *from, size_t bytes)
{
    const ssize_t now = bytes_of_call(FAULT_WRITE, bytes, false);
    if (now < 0)
        return -1;
    cut_before_write(fd, -1, (size_t)now);
    return __real_write(fd, from, (size_t)now);
}

ssize_t __wrap_pwrite(int fd, const void *from, size_t bytes, off_t offset)
{
    const ssize_t now = bytes_of_call(FAULT_WRITE, bytes, true);
    if (now < 0)
        return -1;
    cut_before_write(fd, offset, (size_t)now);
    return __real_pwrite(fd, from, (size_t)now, offset);
}

ssize_t __wrap_splice(int from, off_t *from_at, int to, off_t *to_at, size_t bytes,
                      unsigned flags)
{
    const ssize_t now = bytes_of_call(FAULT_WRITE, bytes, false);
    return now < 0 ? -1 : __real_splice(from, from_at, to, to_at, (size_t)now, flags);
}

int __wrap_ftruncate(int fd, off_t length)
{
    if (fault_is_due(FAULT_LENGTH))
        return -1;
    cut_before_length(fd, length);
    return __real_ftruncate(fd, length);
}

int __wrap_fallocate(int fd, int mode, off_t offset, off_t bytes)
{
    if (fault_is_due(FAULT_SPACE))
        return -1;
    if (mode & FALLOC_FL_PUNCH_HOLE)
        cut_before_write(fd, offset, (size_t)bytes);
    else
        cut_before_length(fd, offset + bytes);
    return __real_fallocate(fd, mode, offset, bytes);
}

static int sync_file(int (*sync)(int), int fd)
{
    if (fault_is_due(FAULT_SYNC))
        return -1;
    cut_before_sync();
    const int result = sync(fd);
    if (result == 0)
        cut_after_sync(fd);
    return result;
}

int __wrap_fsync(int fd)
{
    return sync_file(__real_fsync, fd);
}

int __wrap_fdatasync(int fd)
{
    return sync_file(__real_fdatasync, fd);
}

/* The program asks for it only where a folder cannot be read, and no power is cut there.
 */
int __wrap_syncfs(int fd)
{
    return sync_file(__real_syncfs, fd);
}

/* --- opening and closing ----------------------------------------------------------- */

static mode_t mode_of(int flags, va_list rest)
{
    return flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
}

static int open_at(int folder, const char *path, int flags, mode_t mode)
{
    if (fault_is_due(FAULT_OPEN))
        return -1;
    if (flags & O_TRUNC)
        cut_before_emptied(folder, path);
    if ((flags & O_CREAT) == 0)
        return __real_openat(folder, path, flags, mode);
    cut_names_begin();
    struct stat info;
    const bool is_new = __real_fstatat(folder, path, &info, AT_SYMLINK_NOFOLLOW) != 0;
    const int fd = __real_openat(folder, path, flags, mode);
    if (fd >= 0 && is_new)
        cut_made(folder, path, false);
    cut_names_end();
    return fd;
}

int __wrap_open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_at(AT_FDCWD, path, flags, mode);
}

int __wrap_openat(int folder, const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = mode_of(flags, rest);
    va_end(rest);
    return open_at(folder, path, flags, mode);
}

int __wrap_mkostemp(char *name, int flags)
{
    if (fault_is_due(FAULT_OPEN))
        return -1;
    cut_names_begin();
    const int fd = __real_mkostemp(name, flags);
    if (fd >= 0)
        cut_made(AT_FDCWD, name, false);
    cut_names_end();
    return fd;
}

char *__wrap_mkdtemp(char *name)
{
    if (fault_is_due(FAULT_OPEN))
        return NULL;
    cut_names_begin();
    char *const made = __real_mkdtemp(name);
    if (made != NULL)
        cut_made(AT_FDCWD, name, true);
    cut_names_end();
    return made;
}

int __wrap_mkdirat(int folder, const char *path, mode_t mode)
{
    if (fault_is_due(FAULT_OPEN))
        return -1;
    cut_names_begin();
    const int result = __real_mkdirat(folder, path, mode);
    if (result == 0)
        cut_made(folder, path, true);
    cut_names_end();
    return result;
}

int __wrap_mkdir(const char *path, mode_t mode)
{
    return __wrap_mkdirat(AT_FDCWD, path, mode);
}

DIR *__wrap_opendir(const char *path)
{
    return fault_is_due(FAULT_OPEN) ? NULL : __real_opendir(path);
}

DIR *__wrap_fdopendir(int fd)
{
    return fault_is_due(FAULT_OPEN) ? NULL : __real_fdopendir(fd);
}

int __wrap_close(int fd)
{
    const int result = __real_close(fd);
    return result == 0 && fault_is_due(FAULT_CLOSE) ? -1 : result;
}

/* --- names ------------------------------------------------------------------------- */

int __wrap_renameat2(int from_fd, const char *from, int to_fd, const char *to,
                     unsigned flags)
{
    if (fault_is_due(FAULT_RENAME))
        return -1;
    cut_names_begin();
    cut_rename r = {.from_folder = from_fd,
                    .to_folder = to_fd,
                    .from = from,
                    .to = to,
                    .exchanges = (flags & RENAME_EXCHANGE) != 0};
    cut_before_rename(&r);
    const int result = flags != 0 ? __real_renameat2(from_fd, from, to_fd, to, flags)
                                  : __real_renameat(from_fd, from, to_fd, to);
    const int error = errno;
    cut_after_rename(&r, result == 0);
    cut_names_end();
    errno = error;
    return result;
}

int __wrap_renameat(int from_fd, const char *from, int to_fd, const char *to)
{
    return __wrap_renameat2(from_fd, from, to_fd, to, 0);
}

int __wrap_rename(const char *from, const char *to)
{
    return __wrap_renameat2(AT_FDCWD, from, AT_FDCWD, to, 0);
}

int __wrap_linkat(int from_fd, const char *from, int to_fd, const char *to, int flags)
{
    if (fault_is_due(FAULT_LINK))
        return -1;
    cut_names_begin();
    const int result = __real_linkat(from_fd, from, to_fd, to, flags);
    if (result == 0)
        cut_made(to_fd, to, false);
    cut_names_end();
    return result;
}

int __wrap_unlinkat(int folder, const char *path, int flags)
{
    if (fault_is_due(FAULT_UNLINK))
        return -1;
    if (!cut_is_asked_for())
        return __real_unlinkat(folder, path, flags);
    cut_names_begin();
    const int result = cut_remove(folder, path, (flags & AT_REMOVEDIR) != 0);
    cut_names_end();
    return result;
}

int __wrap_unlink(const char *path)
{
    return __wrap_unlinkat(AT_FDCWD, path, 0);
}

int __wrap_rmdir(const char *path)
{
    return __wrap_unlinkat(AT_FDCWD, path, AT_REMOVEDIR);
}

int __wrap_fchmod(int fd, mode_t mode)
{
    return fault_is_due(FAULT_CHANGE) ? -1 : __real_fchmod(fd, mode);
}

int __wrap_fchown(int fd, uid_t user, gid_t group)
{
    return fault_is_due(FAULT_CHANGE) ? -1 : __real_fchown(fd, user, group);
}

int __wrap_fremovexattr(int fd, const char *name)
{
    return fault_is_due(FAULT_CHANGE) ? -1 : __real_fremovexattr(fd, name);
}

int __wrap_flock(int fd, int what)
{
    return fault_is_due(FAULT_CHANGE) ? -1 : __real_flock(fd, what);
}
