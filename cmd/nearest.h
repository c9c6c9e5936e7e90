/* SPDX-License-Identifier: MIT */
/*
 * nearest: which of a few known words was meant by one that is none of them.
 *
 * Offer every known word to a search; `best` is the one with the fewest letters wrong,
 * missing, too many or swapped, if that is at most a third of them.
 */
#ifndef GS_CMD_NEAREST_H
#define GS_CMD_NEAREST_H

#include <stddef.h>

typedef struct gs_nearest {
    const char *word; /* what was written */
    size_t bytes;     /* of it */
    const char *best; /* so far; NULL: none is near */
    size_t faults;    /* of the best */
} gs_nearest;

/* The first of equally near words stays. */
void gs_nearest_offer(gs_nearest *search, const char *known);

#endif
