/* SPDX-License-Identifier: MIT */
#include "lib/stream/turns.h"

void gs_turns_init(gs_turns *t)
{
    *t = (gs_turns){.next = 0};
    pthread_mutex_init(&t->mutex, NULL);
    pthread_cond_init(&t->changed, NULL);
}

void gs_turns_release(gs_turns *t)
{
    pthread_cond_destroy(&t->changed);
    pthread_mutex_destroy(&t->mutex);
}

bool gs_turns_wait(gs_turns *t, uint64_t ticket)
{
    pthread_mutex_lock(&t->mutex);
    while (t->next != ticket && !t->is_over)
        pthread_cond_wait(&t->changed, &t->mutex);
    const bool is_ours = !t->is_over;
    pthread_mutex_unlock(&t->mutex);
    return is_ours;
}

void gs_turns_pass(gs_turns *t)
{
    pthread_mutex_lock(&t->mutex);
    t->next++;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->mutex);
}

void gs_turns_end(gs_turns *t)
{
    pthread_mutex_lock(&t->mutex);
    t->is_over = true;
    pthread_cond_broadcast(&t->changed);
    pthread_mutex_unlock(&t->mutex);
}
