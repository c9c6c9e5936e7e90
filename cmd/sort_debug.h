/* SPDX-License-Identifier: MIT */
/*
 * sort_debug: --debug, the sorted lines with what was compared underlined.
 *
 *     2 banana
 *       ______        the first key
 *     ________        the whole line, which decides between equal keys
 */
#ifndef GS_CMD_SORT_DEBUG_H
#define GS_CMD_SORT_DEBUG_H

#include "cmd/sort_args.h"

/* Sorts (or merges) as without --debug and prints to standard output. */
GPUSORT_CHECKED gpusort_code gs_sort_debug_run(const gs_sort_args *args,
                                               gpusort_error *error);

#endif
