/* SPDX-License-Identifier: MIT */
/*
 * close_name: which of a few known words was meant by one that is none of them.
 *
 * Offer every known word to a search; `best` is the one with the fewest letters wrong,
 * missing, too many or swapped, if that is at most a third of them.
 */
#ifndef GS_CMD_CLOSE_NAME_H
#define GS_CMD_CLOSE_NAME_H

#include <stddef.h>

typedef struct gs_close_name {
    const char *word; /* what was written */
    size_t bytes;     /* of it */
    const char *best; /* so far; NULL: none is near */
    size_t faults;    /* of the best */
} gs_close_name;

/* The first of equally near words stays. */
void gs_close_name_offer(gs_close_name *search, const char *known);

#endif
