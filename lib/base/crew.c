/* SPDX-License-Identifier: MIT */
#include "lib/base/crew.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/thread.h"

typedef struct task_queue {
    gs_crew_task *first, *last;
} task_queue;

struct gs_crew {
    unsigned given;        /* of the giver */
    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t has_task, has_done;
    task_queue waiting, done;
    bool is_ending;
    unsigned thread_count;
    pthread_t threads[];
};

static void push(task_queue *q, gs_crew_task *task)
{
    task->next = NULL;
    if (q->first == NULL)
        q->first = task;
    else
        q->last->next = task;
    q->last = task;
}

static gs_crew_task *pop(task_queue *q)
{
    gs_crew_task *const task = q->first;
    if (task != NULL)
        q->first = task->next;
    return task;
}

static void *serve(void *context)
{
    gs_crew *const c = context;
    pthread_mutex_lock(&c->mutex);
    for (;;) {
        gs_crew_task *const task = pop(&c->waiting);
        if (task != NULL) {
            pthread_mutex_unlock(&c->mutex);
            task->run(task);
            pthread_mutex_lock(&c->mutex);
            push(&c->done, task);
            pthread_cond_signal(&c->has_done);
        } else if (c->is_ending) {
            break;
        } else {
            pthread_cond_wait(&c->has_task, &c->mutex);
        }
    }
    pthread_mutex_unlock(&c->mutex);
    return NULL;
}

gs_code gs_crew_new(gs_crew **out, unsigned threads, gs_status *st)
{
    *out = NULL;
    gs_crew *c = NULL;
    int error = 0;
    GS_TRY(gs_mem_new(&c, sizeof *c + threads * sizeof *c->threads, "threads", st));
    pthread_mutex_init(&c->mutex, NULL);
    pthread_cond_init(&c->has_task, NULL);
    pthread_cond_init(&c->has_done, NULL);
    while (error == 0 && c->thread_count < threads) {
        error = gs_thread_start(&c->threads[c->thread_count], serve, c, 0);
        c->thread_count += error == 0;
    }
    if (c->thread_count == 0) {
        gs_crew_free(c);
        return GS_FAIL(st, GS_ERR_NOMEM, error, "cannot start a thread");
    }
    *out = c;
    return GS_OK;
}

void gs_crew_free(gs_crew *c)
{
    if (c == NULL)
        return;
    pthread_mutex_lock(&c->mutex);
    c->is_ending = true;
    pthread_cond_broadcast(&c->has_task);
    pthread_mutex_unlock(&c->mutex);
    for (unsigned i = 0; i < c->thread_count; i++)
        pthread_join(c->threads[i], NULL);
    pthread_cond_destroy(&c->has_done);
    pthread_cond_destroy(&c->has_task);
    pthread_mutex_destroy(&c->mutex);
    gs_mem_free(c);
}

void gs_crew_give(gs_crew *c, gs_crew_task *task)
{
    c->given++;
    pthread_mutex_lock(&c->mutex);
    push(&c->waiting, task);
    pthread_cond_signal(&c->has_task);
    pthread_mutex_unlock(&c->mutex);
}

gs_crew_task *gs_crew_wait(gs_crew *c)
{
    gs_crew_task *task;
    gs_assert(c->given > 0);
    pthread_mutex_lock(&c->mutex);
    while ((task = pop(&c->done)) == NULL)
        pthread_cond_wait(&c->has_done, &c->mutex);
    pthread_mutex_unlock(&c->mutex);
    c->given--;
    return task;
}

unsigned gs_crew_given(const gs_crew *c)
{
    return c->given;
}
