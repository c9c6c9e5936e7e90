/* SPDX-License-Identifier: MIT */
#include "lib/base/team.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/thread.h"

typedef struct gs_member {
    gs_team *team;
    unsigned index;
    pthread_t thread;
    gs_status status;
} gs_member;

struct gs_team {
    unsigned workers;
    unsigned started; /* threads that exist: members 1 .. started */
    gs_member *members;
    gs_trace *trace; /* set before the first run */

    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t work_ready, work_done;
    uint64_t generation; /* counts the runs */
    unsigned unfinished;
    bool is_closing;
    gs_team_fn *fn;
    void *context;
};

static void *serve(void *arg)
{
    gs_member *const me = arg;
    gs_team *const team = me->team;
    uint64_t seen = 0;
    pthread_mutex_lock(&team->mutex);
    for (;;) {
        while (team->generation == seen && !team->is_closing)
            pthread_cond_wait(&team->work_ready, &team->mutex);
        if (team->is_closing)
            break;
        seen = team->generation;
        pthread_mutex_unlock(&team->mutex);
        (void)team->fn(team->context, me->index, &me->status);
        pthread_mutex_lock(&team->mutex);
        if (--team->unfinished == 0)
            pthread_cond_signal(&team->work_done);
    }
    pthread_mutex_unlock(&team->mutex);
    return NULL;
}

gs_code gs_team_new(gs_team **out, unsigned workers, gs_status *st)
{
    gs_assert(workers > 0);
    *out = NULL;
    gs_team *team = NULL;
    GS_TRY(gs_mem_new(&team, sizeof *team, "thread team", st));
    team->workers = workers;
    pthread_mutex_init(&team->mutex, NULL);
    pthread_cond_init(&team->work_ready, NULL);
    pthread_cond_init(&team->work_done, NULL);
    size_t bytes = 0;
    GS_TRY_OR_FAIL(gs_mem_size_mul(&bytes, workers, sizeof(gs_member), st));
    GS_TRY_OR_FAIL(gs_mem_new(&team->members, bytes, "thread team members", st));
    *out = team;
    return GS_OK;
fail:
    gs_team_free(team);
    return st->code;
}

/* Signals go to the thread that main runs on: the others block them all. Fewer than asked
 * for still do the job, and so does the calling thread alone, where a limit on processes
 * leaves no others. */
static void start_threads(gs_team *team)
{
    int error = 0;
    while (error == 0 && team->started + 1 < team->workers) {
        gs_member *const m = &team->members[team->started + 1];
        m->team = team;
        m->index = team->started + 1;
        /* SIGBUS, of a page that is gone, comes to the thread that looked at it */
        error = gs_thread_start(&m->thread, serve, m, SIGBUS);
        if (error == 0)
            team->started++;
    }
    team->workers = team->started + 1;
}

gs_code gs_team_run(gs_team *team, gs_team_fn *fn, void *context, gs_status *st)
{
    if (team->started + 1 < team->workers)
        start_threads(team);
    if (team->workers == 1)
        return fn(context, 0, st);

    pthread_mutex_lock(&team->mutex);
    for (unsigned i = 0; i < team->workers; i++)
        gs_status_clear(&team->members[i].status);
    team->fn = fn;
    team->context = context;
    team->unfinished = team->workers - 1;
    team->generation++;
    pthread_cond_broadcast(&team->work_ready);
    pthread_mutex_unlock(&team->mutex);

    (void)fn(context, 0, &team->members[0].status);

    pthread_mutex_lock(&team->mutex);
    while (team->unfinished > 0)
        pthread_cond_wait(&team->work_done, &team->mutex);
    pthread_mutex_unlock(&team->mutex);
    for (unsigned i = 0; i < team->workers; i++)
        gs_status_keep_first(st, &team->members[i].status);
    return st->code;
}

unsigned gs_team_workers(const gs_team *team)
{
    return team->workers;
}

void gs_team_set_trace(gs_team *team, gs_trace *trace)
{
    team->trace = trace;
}

gs_trace *gs_team_trace(const gs_team *team)
{
    return team->trace;
}

void gs_team_free(gs_team *team)
{
    if (team == NULL)
        return;
    pthread_mutex_lock(&team->mutex);
    team->is_closing = true;
    pthread_cond_broadcast(&team->work_ready);
    pthread_mutex_unlock(&team->mutex);
    for (unsigned i = 1; i <= team->started; i++)
        pthread_join(team->members[i].thread, NULL);
    pthread_cond_destroy(&team->work_done);
    pthread_cond_destroy(&team->work_ready);
    pthread_mutex_destroy(&team->mutex);
    gs_mem_free(team->members);
    gs_mem_free(team);
}
