/* SPDX-License-Identifier: MIT */
/*
 * failing_calls: the calls to the system of the program that includes it, which fail when
 * told to, and what a failure must not leave behind. For one source of a test program.
 */
#ifndef GS_TESTS_FAILING_CALLS_H
#define GS_TESTS_FAILING_CALLS_H

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "tests/check.h"

/* --- the system, which fails when told to ------------------------------------------ */

static _Atomic uint64_t calls_left; /* until one fails; 0: none will */

static int write_error = ENOSPC; /* what a write fails with */

static bool is_failure_due(int error)
{
    uint64_t left = atomic_load(&calls_left);
    while (left > 0 && !atomic_compare_exchange_weak(&calls_left, &left, left - 1)) {
    }
    if (left == 1)
        errno = error;
    return left == 1;
}

/* What fails of the files in one folder, on their way there and back. */
typedef enum broken { NOTHING_BROKEN, BROKEN_FILES, BROKEN_WRITES, BROKEN_READS } broken;

static broken broken_calls;       /* set while nothing runs, */
static const char *broken_folder; /* of this name, which is in no other path */

static bool is_broken_file(broken calls, int fd, int error)
{
    char link[64], path[4096];
    if (broken_calls != calls)
        return false;
    (void)snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    const ssize_t n = readlink(link, path, sizeof path - 1);
    path[n > 0 ? n : 0] = '\0';
    errno = error;
    return strstr(path, broken_folder) != NULL;
}

static bool is_broken_path(const char *path)
{
    errno = ENOSPC;
    return broken_calls == BROKEN_FILES && strstr(path, broken_folder) != NULL;
}

int open(const char *path, int flags, ...)
{
    va_list rest;
    va_start(rest, flags);
    const mode_t mode = flags & (O_CREAT | __O_TMPFILE) ? va_arg(rest, mode_t) : 0;
    va_end(rest);
    if (is_failure_due(EMFILE) || is_broken_path(path))
        return -1;
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}

int mkostemp(char *name, int flags)
{
    static int (*real)(char *, int);
    if (real == NULL)
        *(void **)&real = dlsym(RTLD_NEXT, "mkostemp");
    return is_failure_due(ENOSPC) ? -1 : real(name, flags);
}

/* Not 0: of three reads or writes one is interrupted and one takes only a part. */
static _Atomic uint64_t restless_calls;

/* What a call may take of `bytes`, as much as direct transfers can go on from; 0: it is
 * interrupted. */
static size_t bytes_of_call(size_t bytes)
{
    enum { SECTORS = 4096 };
    const uint64_t call = atomic_load(&restless_calls);
    if (call == 0 || bytes == 0)
        return bytes;
    switch (atomic_fetch_add(&restless_calls, 1) % 3) {
    case 0: errno = EINTR; return 0;
    case 1: return bytes % SECTORS == 0 ? SECTORS : (bytes + 1) / 2;
    default: return bytes;
    }
}

/* The descriptor goes all the same. */
int close(int fd)
{
    const int result = (int)syscall(SYS_close, fd);
    return result == 0 && is_failure_due(EIO) ? -1 : result;
}

ssize_t read(int fd, void *to, size_t bytes)
{
    const size_t now = bytes_of_call(bytes);
    return is_failure_due(EIO) || now < (bytes > 0) ? -1 : syscall(SYS_read, fd, to, now);
}

ssize_t write(int fd, const void *from, size_t bytes)
{
    const size_t now = bytes_of_call(bytes);
    return is_failure_due(write_error) || now < (bytes > 0)
               ? -1
               : syscall(SYS_write, fd, from, now);
}

ssize_t pread(int fd, void *to, size_t bytes, off_t offset)
{
    const size_t now = bytes_of_call(bytes);
    return is_failure_due(EIO) || is_broken_file(BROKEN_READS, fd, EIO) ||
                   now < (bytes > 0)
               ? -1
               : syscall(SYS_pread64, fd, to, now, offset);
}

ssize_t pwrite(int fd, const void *from, size_t bytes, off_t offset)
{
    const size_t now = bytes_of_call(bytes);
    return is_failure_due(write_error) ||
                   is_broken_file(BROKEN_WRITES, fd, write_error) || now < (bytes > 0)
               ? -1
               : syscall(SYS_pwrite64, fd, from, now, offset);
}

int ftruncate(int fd, off_t length)
{
    return is_failure_due(EIO) ? -1 : (int)syscall(SYS_ftruncate, fd, length);
}

int fallocate(int fd, int mode, off_t offset, off_t length)
{
    return is_failure_due(ENOSPC) ? -1
                                  : (int)syscall(SYS_fallocate, fd, mode, offset, length);
}

int fsync(int fd)
{
    return is_failure_due(EIO) ? -1 : (int)syscall(SYS_fsync, fd);
}

int rename(const char *from, const char *to)
{
    return is_failure_due(EACCES)
               ? -1
               : (int)syscall(SYS_renameat, AT_FDCWD, from, AT_FDCWD, to);
}

int linkat(int from_fd, const char *from, int to_fd, const char *to, int flags)
{
    return is_failure_due(EMLINK)
               ? -1
               : (int)syscall(SYS_linkat, from_fd, from, to_fd, to, flags);
}

/* --- what fails, and how much is left ----------------------------------------------- */

typedef enum failing { FAILS_MEMORY, FAILS_SYSTEM } failing;

static void fail_nth(failing what, uint64_t nth)
{
    if (what == FAILS_MEMORY)
        gs_mem_fail_nth(nth);
    else
        atomic_store(&calls_left, nth);
}

/* The call to fail after the nth: every one near the beginning, then ever fewer, since
 * late ones are alike; the fewer the shorter the run is to be. */
static uint64_t next_to_fail(uint64_t nth)
{
    if (nth < check_often(40))
        return nth + 1;
    if (check_is_long())
        return nth + nth / 7 + 1;
    return nth + (CHECK_HAS_TSAN ? 3 * nth : CHECK_HAS_ASAN ? nth : nth / 2) + 1;
}

/* Nothing fails from now on. False if nothing has failed. */
static bool end_failing(failing what)
{
    const uint64_t left =
        what == FAILS_MEMORY ? gs_mem_fail_left() : atomic_load(&calls_left);
    gs_mem_fail_nth(0);
    atomic_store(&calls_left, 0);
    return left == 0;
}

static size_t count_entries(const char *folder)
{
    size_t count = 0;
    DIR *const d = opendir(folder);
    REQUIRE(d != NULL);
    while (readdir(d) != NULL)
        count++;
    (void)closedir(d);
    return count;
}

#endif
