/* SPDX-License-Identifier: MIT */
/*
 * crew: threads that do what one thread gives them, in any order, while it goes on.
 *
 *      giver    | give | give | ...  its own work ...  | wait | wait
 *      threads         | task ........ |                 done: told in the order in which
 *                             | task |                   they became so
 *
 * One thread gives and waits. A team (lib/base/team.h) does one job together instead, and
 * whoever starts it waits for it.
 */
#ifndef GS_LIB_BASE_CREW_H
#define GS_LIB_BASE_CREW_H

#include "lib/base/status.h"

typedef struct gs_crew gs_crew;

/* The caller's, part of what it is about; nobody else's from give to wait. */
typedef struct gs_crew_task {
    void (*run)(struct gs_crew_task *task);
    struct gs_crew_task *next; /* the crew's */
} gs_crew_task;

/* With at least one thread, at most so many. */
GS_MUST_CHECK gs_code gs_crew_new(gs_crew **out, unsigned threads, gs_status *st);
/* Waits for what was given. NULL is fine. */
void gs_crew_free(gs_crew *c);

void gs_crew_give(gs_crew *c, gs_crew_task *task);
/* One that is done; at least one must have been given that was not told yet. */
gs_crew_task *gs_crew_wait(gs_crew *c);
unsigned gs_crew_given(const gs_crew *c); /* and not told yet */

#endif
