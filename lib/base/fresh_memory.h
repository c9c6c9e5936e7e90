/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * fresh_memory: a map whose pages are taken from the system step by step, shortly before
 * they are written to, in huge pages while those are cheap.
 *
 *      | taken | taken | being taken |      .      |      .      |   steps of 2 MiB
 *                  ^ written to
 *
 * A step costs about as much in small pages, whatever: 0.5 to 0.8 ms in a virtual machine
 * of 2026. As one huge page it has only to be cleared, in 0.03 to 0.1 ms; but one that no
 * program had before takes 4 ms there, since its host has to find the memory, and one for
 * which others have to be moved may take as long. Nobody says which of them is next. So
 * each step is timed, and after a huge page that took longer than small ones some steps are
 * taken in these: 4, then 16, and so on, half as many after one that was cheap. (A host that
 * finds 4 MiB at once has a cheap one follow each that is dear.)
 *
 * Any number of threads may take steps at once.
 */
/* clang-format on */
#ifndef GS_LIB_BASE_FRESH_MEMORY_H
#define GS_LIB_BASE_FRESH_MEMORY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/mem.h"
#include "lib/base/status.h"

enum { GS_FRESH_STEP = GS_MEM_LARGE_PAGE };

/* What pages were seen to cost. */
typedef struct gs_page_prices {
    uint64_t small_ns;      /* the least that a step of small pages took; 0: none yet */
    uint64_t mean_ns;       /* of the last few of them */
    unsigned pause;         /* steps of small pages after a huge one that was dear, */
    unsigned left_of_pause; /* and how many of them are still to come */
} gs_page_prices;

/* Is the next step to be a huge page? */
bool gs_page_prices_choose(gs_page_prices *p);
void gs_page_prices_note(gs_page_prices *p, bool is_huge, uint64_t ns);
/* Do small pages take many times what a machine needs that has them? */
bool gs_page_prices_are_dear(const gs_page_prices *p);

typedef struct gs_fresh_memory {
    uint8_t *bytes; /* aligned to a step */
    size_t size;
    uint8_t *map;
    pthread_mutex_t lock; /* of prices */
    gs_page_prices prices;
    atomic_bool is_dear; /* as they are */
} gs_fresh_memory;

GS_MUST_CHECK gs_code gs_fresh_memory_init(gs_fresh_memory *m, size_t size,
                                           const char *what, gs_status *st);
void gs_fresh_memory_release(gs_fresh_memory *m); /* a zeroed one is fine */

/* Takes the pages of the step that begins at `offset`, if there is one. What is written
 * to without that gets its pages one by one. */
void gs_fresh_memory_take(gs_fresh_memory *m, size_t offset);

/* Is memory that was not touched before dear at present, whatever pages it is taken in?
 * It is where the host of a virtual machine has to find what it took back while it was
 * free.
 */
static inline bool gs_fresh_memory_is_dear(const gs_fresh_memory *m)
{
    return atomic_load_explicit(&m->is_dear, memory_order_relaxed);
}

/* Gives back one of `parts` parts of the first used_bytes, which nobody needs any more:
 * small pages take their time, and several threads have it done sooner. */
void gs_fresh_memory_leave(const gs_fresh_memory *m, size_t used_bytes, unsigned part,
                           unsigned parts);

#endif
