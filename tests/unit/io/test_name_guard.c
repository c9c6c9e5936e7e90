/* SPDX-License-Identifier: MIT */
/* name_guard: a signal between a temporary name and its note leaves a file behind,
 * whichever thread it comes to. */
#define CHECK_STARTS_THREADS

#include "io/name_guard.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <unistd.h>

#include "tests/check.h"

static _Atomic int handled, closed, passed;

static void count(int number)
{
    (void)number;
    atomic_fetch_add(&handled, 1);
}

/* The signal comes, but not before the end; errno is what it was. */
static void signals_wait(void)
{
    const struct sigaction action = {.sa_handler = count};
    gs_name_guard guard;
    REQUIRE(sigaction(SIGUSR1, &action, NULL) == 0);
    gs_name_guard_begin(&guard);
    REQUIRE(kill(getpid(), SIGUSR1) == 0);
    CHECK(atomic_load(&handled) == 0);
    errno = ENOSPC;
    gs_name_guard_end(&guard);
    CHECK(errno == ENOSPC && atomic_load(&handled) == 1);
}

static void *close_it(void *unused)
{
    gs_name_guard_close();
    atomic_store(&closed, 1);
    return unused;
}

static void *pass(void *unused)
{
    gs_name_guard guard;
    gs_name_guard_begin(&guard);
    atomic_store(&passed, 1);
    gs_name_guard_end(&guard);
    return unused;
}

/* A handler on another thread waits for the end; after it no thread begins any more.
 * Last, because of that. */
static void a_handler_waits(void)
{
    enum { A_WHILE_MS = 50 };
    pthread_t closing, passing;
    gs_name_guard guard;
    gs_name_guard_begin(&guard);
    REQUIRE(pthread_create(&closing, NULL, close_it, NULL) == 0);
    (void)poll(NULL, 0, A_WHILE_MS);
    CHECK(atomic_load(&closed) == 0);
    gs_name_guard_end(&guard);
    REQUIRE(pthread_join(closing, NULL) == 0);
    CHECK(atomic_load(&closed) == 1);
    REQUIRE(pthread_create(&passing, NULL, pass, NULL) == 0);
    REQUIRE(pthread_detach(passing) == 0);
    (void)poll(NULL, 0, A_WHILE_MS);
    CHECK(atomic_load(&passed) == 0);
}

int main(void)
{
    signals_wait();
    a_handler_waits();
    return check_result();
}
