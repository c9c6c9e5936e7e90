/* SPDX-License-Identifier: MIT */
#include "cmd/signals.h"

#include <errno.h>
#include <signal.h>
#include <stddef.h>

#include "io/output.h"
#include "lib/index/index_folder.h"

static const int deadly_signals[] = {
    SIGHUP,  SIGINT,    SIGQUIT, SIGPIPE, SIGALRM, SIGTERM, SIGPOLL,
    SIGPROF, SIGVTALRM, SIGXCPU, SIGXFSZ, SIGUSR1, SIGUSR2,
};

enum { SIGNAL_COUNT = sizeof deadly_signals / sizeof *deadly_signals };

/* The signal is blocked until we return, and then ends the program. It may come a second
 * time meanwhile, to another thread: that one cleans up too before it ends anything,
 * which is why the default action is put back only here. */
static void clean_up_and_die(int signal_number)
{
    const int saved_errno = errno;
    gs_output_unlink_pending();
    gs_index_folder_remove_pending();
    (void)signal(signal_number, SIG_DFL);
    raise(signal_number);
    errno = saved_errno;
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
        struct sigaction before;
        if (sigaction(deadly_signals[i], NULL, &before) == 0 &&
            before.sa_handler != SIG_IGN)
            sigaction(deadly_signals[i], &action, NULL);
    }
}
