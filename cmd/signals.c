/* SPDX-License-Identifier: MIT */
#include "cmd/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "io/output.h"

static const int deadly_signals[] = {
    SIGHUP,  SIGINT,    SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGPOLL,
    SIGPROF, SIGVTALRM, SIGXCPU, SIGXFSZ, SIGUSR1, SIGUSR2,
};

enum { SIGNAL_COUNT = sizeof deadly_signals / sizeof *deadly_signals };

/* SA_RESETHAND has put the default action back; the signal is blocked until we return,
 * and then ends the program. */
static void clean_up_and_die(int signal_number)
{
    const int saved_errno = errno;
    gs_output_unlink_pending();
    raise(signal_number);
    errno = saved_errno;
}

void gs_signals_install(void)
{
    /* --compress-program waits for its children, whatever our parent thought of its. */
    signal(SIGCHLD, SIG_DFL);

    struct sigaction action = {.sa_handler = clean_up_and_die,
                               .sa_flags = (int)SA_RESETHAND};
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < SIGNAL_COUNT; i++)
        sigaddset(&action.sa_mask, deadly_signals[i]);
    for (size_t i = 0; i < SIGNAL_COUNT; i++) {
        struct sigaction before;
        if (sigaction(deadly_signals[i], NULL, &before) == 0 &&
            before.sa_handler != SIG_IGN)
            sigaction(deadly_signals[i], &action, NULL);
    }
}
