/* SPDX-License-Identifier: MIT */
/*
 * crew: each task is run once, on another thread, and told once, when it has been; what
 * was given is done before the crew is gone, told or not.
 */
#define CHECK_STARTS_THREADS
#include "lib/base/crew.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

#include "tests/check.h"

enum { TASKS = 500 };

typedef struct counted {
    gs_crew_task task;
    pthread_t giver;
    unsigned runs, told;
} counted;

static counted all[TASKS];
static atomic_uint runs;

static void count(gs_crew_task *task)
{
    counted *const c = (counted *)(void *)task;
    CHECK(pthread_equal(pthread_self(), c->giver) == 0);
    c->runs++;
    atomic_fetch_add(&runs, 1);
}

static void begin(void)
{
    memset(all, 0, sizeof all);
    atomic_store(&runs, 0);
    for (size_t i = 0; i < TASKS; i++)
        all[i] = (counted){.task.run = count, .giver = pthread_self()};
}

/* As many are under way as are given before the first is waited for. */
static void runs_each_once(unsigned threads, unsigned ahead)
{
    gs_status st = {.code = GS_OK};
    gs_crew *crew = NULL;
    begin();
    REQUIRE_OK(gs_crew_new(&crew, threads, &st), &st);
    for (size_t given = 0, told = 0; told < TASKS;) {
        if (given < TASKS && gs_crew_given(crew) < ahead) {
            gs_crew_give(crew, &all[given++].task);
            continue;
        }
        counted *const c = (counted *)(void *)gs_crew_wait(crew);
        CHECK(c->runs == 1 && c->told == 0);
        c->told++;
        told++;
        CHECK(gs_crew_given(crew) == given - told);
    }
    gs_crew_free(crew);
    CHECK(atomic_load(&runs) == TASKS);
}

static void ends_what_was_given(unsigned threads)
{
    gs_status st = {.code = GS_OK};
    gs_crew *crew = NULL;
    begin();
    REQUIRE_OK(gs_crew_new(&crew, threads, &st), &st);
    for (size_t i = 0; i < TASKS; i++)
        gs_crew_give(crew, &all[i].task);
    gs_crew_free(crew);
    CHECK(atomic_load(&runs) == TASKS);
}

int main(void)
{
    for (unsigned threads = 1; threads <= 5; threads += 2) {
        runs_each_once(threads, 1);
        runs_each_once(threads, 7);
        runs_each_once(threads, TASKS);
        ends_what_was_given(threads);
    }
    gs_crew_free(NULL);
    return check_result();
}
