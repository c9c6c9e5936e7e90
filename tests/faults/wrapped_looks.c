/* SPDX-License-Identifier: MIT */
/*
 * wrapped_looks: the calls that only ask what there is.
 */
#include <fcntl.h>
#include <stdarg.h>
#include <unistd.h>

#include "tests/faults/fault_plan.h"
#include "tests/faults/real_calls.h"

int __wrap_stat(const char *path, struct stat *info)
{
    return fault_is_due(FAULT_LOOK) ? -1 : __real_stat(path, info);
}

int __wrap_lstat(const char *path, struct stat *info)
{
    return fault_is_due(FAULT_LOOK) ? -1 : __real_lstat(path, info);
}

int __wrap_fstat(int fd, struct stat *info)
{
    return fault_is_due(FAULT_LOOK) ? -1 : __real_fstat(fd, info);
}

int __wrap_fstatat(int folder, const char *path, struct stat *info, int flags)
{
    return fault_is_due(FAULT_LOOK) ? -1 : __real_fstatat(folder, path, info, flags);
}

int __wrap_statfs(const char *path, struct statfs *info)
{
    return fault_is_due(FAULT_LOOK) ? -1 : __real_statfs(path, info);
}

int __wrap_fstatfs(int fd, struct statfs *info)
{
    return fault_is_due(FAULT_LOOK) ? -1 : __real_fstatfs(fd, info);
}

int __wrap_statvfs(const char *path, struct statvfs *info)
{
    return fault_is_due(FAULT_LOOK) ? -1 : __real_statvfs(path, info);
}

int __wrap_access(const char *path, int mode)
{
    return fault_is_due(FAULT_LOOK) ? -1 : __real_access(path, mode);
}

int __wrap_faccessat(int folder, const char *path, int mode, int flags)
{
    return fault_is_due(FAULT_LOOK) ? -1 : __real_faccessat(folder, path, mode, flags);
}

int __wrap_eaccess(const char *path, int mode)
{
    return fault_is_due(FAULT_LOOK) ? -1 : __real_eaccess(path, mode);
}

off_t __wrap_lseek(int fd, off_t offset, int whence)
{
    return fault_is_due(FAULT_LOOK) ? -1 : __real_lseek(fd, offset, whence);
}

/* All that is asked for here takes a number or nothing. Flags of an open file are always
 * told, and can always be taken away. */
int __wrap_fcntl(int fd, int what, ...)
{
    va_list rest;
    va_start(rest, what);
    const long argument = va_arg(rest, long);
    va_end(rest);
    const bool can_fail =
        what != F_GETFL && (what != F_SETFL || (argument & O_DIRECT) != 0);
    return can_fail && fault_is_due(FAULT_LOOK) ? -1 : __real_fcntl(fd, what, argument);
}

char *__wrap_realpath(const char *path, char *to)
{
    return fault_is_due(FAULT_LOOK) ? NULL : __real_realpath(path, to);
}

ssize_t __wrap_readlink(const char *path, char *to, size_t bytes)
{
    return fault_is_due(FAULT_LOOK) ? -1 : __real_readlink(path, to, bytes);
}

ssize_t __wrap_flistxattr(int fd, char *names, size_t bytes)
{
    return fault_is_due(FAULT_LOOK) ? -1 : __real_flistxattr(fd, names, bytes);
}

struct dirent *__wrap_readdir(DIR *folder)
{
    return fault_is_due(FAULT_LOOK) ? NULL : __real_readdir(folder);
}
