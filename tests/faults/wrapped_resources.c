/* SPDX-License-Identifier: MIT */
/*
 * wrapped_resources: the calls that ask for memory, threads, children and random bytes.
 */
#include <errno.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/wait.h>

#include "tests/faults/fault_plan.h"
#include "tests/faults/real_calls.h"

void *__wrap_mmap(void *at, size_t bytes, int access, int flags, int fd, off_t offset)
{
    return fault_is_due(FAULT_MAP) ? MAP_FAILED
                                   : __real_mmap(at, bytes, access, flags, fd, offset);
}

int __wrap_mprotect(void *at, size_t bytes, int access)
{
    return fault_is_due(FAULT_MAP) ? -1 : __real_mprotect(at, bytes, access);
}

/* Nobody here asks for a certain address. */
void *__wrap_mremap(void *old, size_t old_bytes, size_t bytes, int flags, ...)
{
    return fault_is_due(FAULT_MAP) ? MAP_FAILED
                                   : __real_mremap(old, old_bytes, bytes, flags);
}

int __wrap_madvise(void *at, size_t bytes, int advice)
{
    return fault_is_due(FAULT_ADVISE) ? -1 : __real_madvise(at, bytes, advice);
}

int __wrap_posix_fadvise(int fd, off_t offset, off_t bytes, int advice)
{
    const int error = fault_of_call(FAULT_ADVISE, NULL);
    return error != 0 ? error : __real_posix_fadvise(fd, offset, bytes, advice);
}

void *__wrap_malloc(size_t bytes)
{
    return fault_is_due(FAULT_MEMORY) ? NULL : __real_malloc(bytes);
}

void *__wrap_calloc(size_t count, size_t bytes)
{
    return fault_is_due(FAULT_MEMORY) ? NULL : __real_calloc(count, bytes);
}

void *__wrap_realloc(void *old, size_t bytes)
{
    return fault_is_due(FAULT_MEMORY) ? NULL : __real_realloc(old, bytes);
}

void *__wrap_aligned_alloc(size_t alignment, size_t bytes)
{
    return fault_is_due(FAULT_MEMORY) ? NULL : __real_aligned_alloc(alignment, bytes);
}

int __wrap_pthread_create(pthread_t *thread, const pthread_attr_t *how,
                          void *(*body)(void *), void *argument)
{
    const int error = fault_of_call(FAULT_THREAD, NULL);
    return error != 0 ? error : __real_pthread_create(thread, how, body, argument);
}

int __wrap_posix_spawn(pid_t *child, const char *path,
                       const posix_spawn_file_actions_t *files,
                       const posix_spawnattr_t *how, char *const *arguments,
                       char *const *environment)
{
    const int error = fault_of_call(FAULT_CHILD, NULL);
    return error != 0
               ? error
               : __real_posix_spawn(child, path, files, how, arguments, environment);
}

int __wrap_pipe2(int *ends, int flags)
{
    return fault_is_due(FAULT_CHILD) ? -1 : __real_pipe2(ends, flags);
}

pid_t __wrap_waitpid(pid_t child, int *status, int flags)
{
    return fault_is_due(FAULT_CHILD) ? -1 : __real_waitpid(child, status, flags);
}

int __wrap_poll(struct pollfd *fds, nfds_t count, int wait_ms)
{
    return fault_is_due(FAULT_CHILD) ? -1 : __real_poll(fds, count, wait_ms);
}

ssize_t __wrap_getrandom(void *to, size_t bytes, unsigned flags)
{
    return fault_is_due(FAULT_RANDOM) ? -1 : __real_getrandom(to, bytes, flags);
}
