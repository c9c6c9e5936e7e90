/* SPDX-License-Identifier: MIT */
/* thread: a handler that runs in any thread breaks into calls that nobody makes again. */
#define CHECK_STARTS_THREADS

#include "lib/base/thread.h"

#include "tests/check.h"

static void *look(void *mask)
{
    (void)pthread_sigmask(SIG_SETMASK, NULL, mask);
    return mask;
}

static void a_thread_hears_only_one(int heard)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGPIPE, SIGBUS, SIGUSR1};
    sigset_t own, seen;
    pthread_t thread;
    void *result = NULL;
    REQUIRE(gs_thread_start(&thread, look, &seen, heard) == 0);
    CHECK(pthread_join(thread, &result) == 0 && result == &seen);
    (void)look(&own);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        CHECK(sigismember(&seen, numbers[i]) == (numbers[i] != heard));
        CHECK(sigismember(&own, numbers[i]) == 0);
    }
}

static void blocked_signals_come_back(void)
{
    sigset_t before, now;
    gs_signals_block(&before, SIGBUS);
    (void)look(&now);
    CHECK(sigismember(&now, SIGTERM) == 1 && sigismember(&now, SIGBUS) == 0);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    (void)look(&now);
    CHECK(sigismember(&now, SIGTERM) == 0);
}

int main(void)
{
    a_thread_hears_only_one(0);
    a_thread_hears_only_one(SIGBUS);
    a_thread_hears_only_one(SIGPIPE);
    blocked_signals_come_back();
    return check_result();
}
