/* SPDX-License-Identifier: MIT */
/*
 * sort_resolve: from the options that were given to the job that is meant.
 *
 * Keys inherit the global letters, names come from --files0-from, the random seed is
 * drawn, and what contradicts itself is refused, all in GNU's order, so that of several
 * mistakes the same one is named. With --debug the warnings come out here.
 */
#ifndef GS_CMD_SORT_RESOLVE_H
#define GS_CMD_SORT_RESOLVE_H

#include "cmd/sort_args.h"

/* Ends the program with a message when there is no such job. */
void gs_sort_resolve(gs_sort_args *args);

#endif
