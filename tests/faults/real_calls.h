/* SPDX-License-Identifier: MIT */
/*
 * real_calls: of each call that the linker replaces (--wrap, see wrapped_calls) the one
 * that stands in its place and the one of the system.
 */
#ifndef GS_TESTS_FAULTS_REAL_CALLS_H
#define GS_TESTS_FAULTS_REAL_CALLS_H

#include <dirent.h>
#include <poll.h>
#include <pthread.h>
#include <spawn.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/types.h>
#include <sys/uio.h>

/* clang-format off */
#define WRAPPED(type, name, ...) \
    type __real_##name(__VA_ARGS__); \
    type __wrap_##name(__VA_ARGS__)

WRAPPED(ssize_t, read, int fd, void *to, size_t bytes);
WRAPPED(ssize_t, pread, int fd, void *to, size_t bytes, off_t offset);
WRAPPED(ssize_t, preadv2, int fd, const struct iovec *v, int n, off_t offset, int flags);
WRAPPED(ssize_t, write, int fd, const void *from, size_t bytes);
WRAPPED(ssize_t, pwrite, int fd, const void *from, size_t bytes, off_t offset);
WRAPPED(ssize_t, splice, int from, off_t *from_at, int to, off_t *to_at, size_t bytes,
        unsigned flags);

WRAPPED(int, open, const char *path, int flags, ...);
WRAPPED(int, openat, int folder, const char *path, int flags, ...);
WRAPPED(int, mkostemp, char *name, int flags);
WRAPPED(char *, mkdtemp, char *name);
WRAPPED(int, mkdir, const char *path, mode_t mode);
WRAPPED(int, mkdirat, int folder, const char *path, mode_t mode);
WRAPPED(DIR *, opendir, const char *path);
WRAPPED(DIR *, fdopendir, int fd);
WRAPPED(FILE *, fopen, const char *path, const char *mode);
WRAPPED(FILE *, fdopen, int fd, const char *mode);
WRAPPED(int, close, int fd);

WRAPPED(int, fsync, int fd);
WRAPPED(int, fdatasync, int fd);
WRAPPED(int, syncfs, int fd);
WRAPPED(int, rename, const char *from, const char *to);
WRAPPED(int, renameat, int from_fd, const char *from, int to_fd, const char *to);
WRAPPED(int, renameat2, int from_fd, const char *from, int to_fd, const char *to,
        unsigned flags);
WRAPPED(int, linkat, int from_fd, const char *from, int to_fd, const char *to, int flags);
WRAPPED(int, unlink, const char *path);
WRAPPED(int, unlinkat, int folder, const char *path, int flags);
WRAPPED(int, rmdir, const char *path);
WRAPPED(int, ftruncate, int fd, off_t length);
WRAPPED(int, fallocate, int fd, int mode, off_t offset, off_t bytes);

WRAPPED(int, stat, const char *path, struct stat *info);
WRAPPED(int, lstat, const char *path, struct stat *info);
WRAPPED(int, fstat, int fd, struct stat *info);
WRAPPED(int, fstatat, int folder, const char *path, struct stat *info, int flags);
WRAPPED(int, statfs, const char *path, struct statfs *info);
WRAPPED(int, fstatfs, int fd, struct statfs *info);
WRAPPED(int, statvfs, const char *path, struct statvfs *info);
WRAPPED(int, access, const char *path, int mode);
WRAPPED(int, faccessat, int folder, const char *path, int mode, int flags);
WRAPPED(int, eaccess, const char *path, int mode);
WRAPPED(off_t, lseek, int fd, off_t offset, int whence);
WRAPPED(int, fcntl, int fd, int what, ...);
WRAPPED(char *, realpath, const char *path, char *to);
WRAPPED(ssize_t, readlink, const char *path, char *to, size_t bytes);
WRAPPED(ssize_t, flistxattr, int fd, char *names, size_t bytes);
WRAPPED(int, fremovexattr, int fd, const char *name);
WRAPPED(struct dirent *, readdir, DIR *folder);
WRAPPED(int, fchmod, int fd, mode_t mode);
WRAPPED(int, fchown, int fd, uid_t user, gid_t group);
WRAPPED(int, flock, int fd, int what);

WRAPPED(void *, mmap, void *at, size_t bytes, int access, int flags, int fd, off_t offset);
WRAPPED(void *, mremap, void *old, size_t old_bytes, size_t bytes, int flags, ...);
WRAPPED(int, mprotect, void *at, size_t bytes, int access);
WRAPPED(int, madvise, void *at, size_t bytes, int advice);
WRAPPED(int, posix_fadvise, int fd, off_t offset, off_t bytes, int advice);
WRAPPED(void *, malloc, size_t bytes);
WRAPPED(void *, calloc, size_t count, size_t bytes);
WRAPPED(void *, realloc, void *old, size_t bytes);
WRAPPED(void *, aligned_alloc, size_t alignment, size_t bytes);
WRAPPED(int, pthread_create, pthread_t *thread, const pthread_attr_t *how,
        void *(*body)(void *), void *argument);

WRAPPED(int, posix_spawn, pid_t *child, const char *path,
        const posix_spawn_file_actions_t *files, const posix_spawnattr_t *how,
        char *const *arguments, char *const *environment);
WRAPPED(int, pipe2, int *ends, int flags);
WRAPPED(pid_t, waitpid, pid_t child, int *status, int flags);
WRAPPED(int, poll, struct pollfd *fds, nfds_t count, int wait_ms);
WRAPPED(ssize_t, getrandom, void *to, size_t bytes, unsigned flags);
/* clang-format on */

#endif
