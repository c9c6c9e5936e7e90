/* SPDX-License-Identifier: MIT */
#include "cmd/signals.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>
#include <unistd.h>

#include "cmd/report.h"
#include "lib/base/quote.h"
#include "lib/gpusort.h"

static const int deadly_signals[] = {
    SIGHUP,  SIGINT,  SIGQUIT,   SIGPIPE, SIGALRM, SIGTERM,
    SIGPOLL, SIGPROF, SIGVTALRM, SIGXCPU, SIGUSR1, SIGUSR2,
};

enum { SIGNAL_COUNT = sizeof deadly_signals / sizeof *deadly_signals };

/* The signal is blocked until we return, and then ends the program. It may come a second
 * time meanwhile, to another thread: that one cleans up too before it ends anything,
 * which is why the default action is put back only here. */
static void clean_up_and_die(int signal_number)
{
    const int saved_errno = errno;
    gpusort_abandon();
    (void)signal(signal_number, SIG_DFL);
    raise(signal_number);
    errno = saved_errno;
}

static void say(const char *text)
{
    for (size_t left = strlen(text); left > 0;) {
        const ssize_t n = write(STDERR_FILENO, text, left);
        if (n <= 0)
            return;
        text += n;
        left -= (size_t)n;
    }
}

/* A page of a mapped file has gone: that is no bug of ours, and no reason to end by a
 * signal. A SIGBUS that a process sent, and not the kernel for an access, is treated
 * as any other signal. */
static void end_for_lost_page(int signal_number, siginfo_t *info, void *context)
{
    static atomic_flag is_ending = ATOMIC_FLAG_INIT;
    char name[GS_QUOTED_BYTES];
    (void)context;
    if (info->si_code <= 0) {
        clean_up_and_die(signal_number);
        return;
    }
    if (!gpusort_mapped_name(info->si_addr, name, sizeof name)) {
        (void)signal(signal_number, SIG_DFL); /* and the same instruction again */
        return;
    }
    while (atomic_flag_test_and_set(&is_ending))
        (void)pause(); /* another thread sees to it */
    gpusort_abandon();
    say(program_invocation_name);
    say(": read failed: ");
    say(name);
    say(": it was shortened while it was read, or its disk fails\n");
    _exit(GS_EXIT_TROUBLE);
}

static void survive(int signal_number)
{
    (void)signal_number;
}

static bool is_ignored(int signal_number)
{
    struct sigaction action;
    return sigaction(signal_number, NULL, &action) == 0 && action.sa_handler == SIG_IGN;
}

/* A handler, unlike SIG_IGN, is not passed on to the programs we start. */
void gs_signals_survive_pipes(void)
{
    const struct sigaction action = {.sa_handler = survive, .sa_flags = SA_RESTART};
    if (!is_ignored(SIGPIPE))
        sigaction(SIGPIPE, &action, NULL);
}

void gs_signals_end_by_pipe(void)
{
    if (!is_ignored(SIGPIPE))
        clean_up_and_die(SIGPIPE);
}

void gs_signals_install(void)
{
    /* --compress-program waits for its children, whatever our parent thought of its. */
    signal(SIGCHLD, SIG_DFL);

    struct sigaction action = {.sa_handler = clean_up_and_die};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        sigaddset(&action.sa_mask, deadly_signals[i]);
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        if (!is_ignored(deadly_signals[i]))
            sigaction(deadly_signals[i], &action, NULL);
    }
    /* A write to a file that may grow no more then fails, with a message that names
     * the file. Programs that we start are still ended by the signal. */
    const struct sigaction on_limit = {.sa_handler = survive, .sa_flags = SA_RESTART};
    if (!is_ignored(SIGXFSZ))
        sigaction(SIGXFSZ, &on_limit, NULL);
    struct sigaction on_lost_page = {.sa_sigaction = end_for_lost_page,
                                     .sa_flags = SA_SIGINFO | SA_NODEFER};
    sigemptyset(&on_lost_page.sa_mask);
    sigaction(SIGBUS, &on_lost_page, NULL);
}
