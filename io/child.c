/* SPDX-License-Identifier: MIT */
#include "io/child.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

gs_code gs_child_start(gs_child *child, const char *program, bool is_decoding,
                       int from_fd, int to_fd, gs_status *st)
{
    *child = (gs_child){.program = program};
    union {
        const char *text;
        char *argument; /* posix_spawnp does not write to its arguments */
    } name = {program}, flag = {"-d"};
    char *const argv[] = {name.argument, is_decoding ? flag.argument : NULL, NULL};
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
    const int error =
        posix_spawnp(&child->pid, program, &actions, &attributes, argv, environ);
    (void)posix_spawnattr_destroy(&attributes);
    (void)posix_spawn_file_actions_destroy(&actions);
    if (error != 0) {
        child->pid = 0;
        return GS_FAIL(st, GS_ERR_IO, error, "couldn't execute compress program '%s'",
                       program);
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
    return GS_FAIL(st, GS_ERR_IO, 0, "'%s' [-d] terminated abnormally", child->program);
}

void gs_child_reap(gs_child *child)
{
    if (child->pid != 0)
        (void)wait_for(child);
}
