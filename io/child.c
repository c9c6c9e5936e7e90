/* SPDX-License-Identifier: MIT */
#include "io/child.h"

#include <errno.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/quote.h"

extern char **environ;

/* 0, or why the file cannot be run. */
static int why_not_runnable(const char *path)
{
    struct stat info;
    if (eaccess(path, X_OK) != 0 || stat(path, &info) != 0)
        return errno;
    return S_ISDIR(info.st_mode) ? EACCES : 0;
}

/* Finds the program before anything is started, so that one that is missing is known by
 * its errno on every system. Returns 0 or the errno; a file that is there but cannot be
 * run counts more than folders without one. */
static int find_program(const char *program, char path[PATH_MAX])
{
    if (strchr(program, '/')) {
        const int length = snprintf(path, PATH_MAX, "%s", program);
        return length >= PATH_MAX ? ENAMETOOLONG : why_not_runnable(path);
    }
    const char *folder = getenv("PATH");
    if (!folder)
        folder = "";
    int why = ENOENT;
    for (;;) {
        const size_t bytes = strcspn(folder, ":");
        const int length = snprintf(path, PATH_MAX, "%.*s/%s", bytes ? (int)bytes : 1,
                                    bytes ? folder : ".", program);
        const int error = length >= PATH_MAX ? ENAMETOOLONG : why_not_runnable(path);
        if (error == 0)
            return 0;
        if (error != ENOENT)
            why = error;
        if (folder[bytes] == '\0')
            return why;
        folder += bytes + 1;
    }
}

/* Tries again while the system has no process to spare. */
static int spawn_patiently(pid_t *pid, const char *path, unsigned tries,
                           const posix_spawn_file_actions_t *actions,
                           const posix_spawnattr_t *attributes, char *const argv[])
{
    enum { FIRST_WAIT_MS = 250, MS_NS = 1000000 };
    uint64_t wait_ms = FIRST_WAIT_MS;
    for (;; wait_ms *= 2) {
        const int error = posix_spawn(pid, path, actions, attributes, argv, environ);
        if (error != EAGAIN || --tries == 0)
            return error;
        const struct timespec wait = {.tv_sec = (time_t)(wait_ms / 1000),
                                      .tv_nsec = (long)(wait_ms % 1000 * MS_NS)};
        (void)nanosleep(&wait, NULL);
    }
}

gs_code gs_child_start(gs_child *child, const char *program, bool is_decoding,
                       int from_fd, int to_fd, gs_status *st)
{
    enum { TRIES_ENCODING = 4, TRIES_DECODING = 9 };
    *child = (gs_child){.program = program};
    char path[PATH_MAX], flag[] = "-d";
    int error = find_program(program, path);
    char *const argv[] = {path, is_decoding ? flag : NULL, NULL};
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawnattr_init(&attributes);
    (void)posix_spawn_file_actions_adddup2(&actions, from_fd, STDIN_FILENO);
    (void)posix_spawn_file_actions_adddup2(&actions, to_fd, STDOUT_FILENO);
    /* Worker threads block signals; the program must not inherit that. */
    sigset_t none;
    sigemptyset(&none);
    (void)posix_spawnattr_setsigmask(&attributes, &none);
    (void)posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    if (error == 0)
        error = spawn_patiently(&child->pid, path,
                                is_decoding ? TRIES_DECODING : TRIES_ENCODING, &actions,
                                &attributes, argv);
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        child->pid = 0;
        gs_quoted q;
        return GS_FAIL(st, GS_ERR_IO, error, "could not run compress program %s%s",
                       gs_quote_name_always(&q, program), is_decoding ? " -d" : "");
    }
    return GS_OK;
}

static int wait_for(gs_child *child)
{
    int status = 0;
    while (waitpid(child->pid, &status, 0) < 0) {
        if (errno != EINTR) {
            status = -1;
            break;
        }
    }
    child->pid = 0;
    return status;
}

gs_code gs_child_wait(gs_child *child, gs_status *st)
{
    const int status = wait_for(child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return GS_OK;
    gs_quoted q;
    return GS_FAIL(st, GS_ERR_IO, 0, "%s [-d] terminated abnormally",
                   gs_quote_name_always(&q, child->program));
}

void gs_child_reap(gs_child *child)
{
    if (child->pid != 0)
        (void)wait_for(child);
}
