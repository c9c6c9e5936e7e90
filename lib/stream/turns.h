/* SPDX-License-Identifier: MIT */
/*
 * turns: threads that do a thing in the order of their tickets, 0, 1, 2, ...
 */
#ifndef GS_LIB_STREAM_TURNS_H
#define GS_LIB_STREAM_TURNS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef struct gs_turns {
    pthread_mutex_t mutex; /* guards what follows */
    pthread_cond_t changed;
    uint64_t next;
    bool is_over;
} gs_turns;

void gs_turns_init(gs_turns *t);
void gs_turns_release(gs_turns *t);

/* Waits for the turn; false: somebody gave up, and no turn comes any more. */
bool gs_turns_wait(gs_turns *t, uint64_t ticket);
/* The turn of the caller is over: the next one's begins. */
void gs_turns_pass(gs_turns *t);
/* Gives up for all. */
void gs_turns_end(gs_turns *t);

#endif
