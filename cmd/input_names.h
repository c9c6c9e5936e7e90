/* SPDX-License-Identifier: MIT */
/*
 * input_names: the names of --files0-from, and whether inputs can be read at all.
 */
#ifndef GS_CMD_INPUT_NAMES_H
#define GS_CMD_INPUT_NAMES_H

#include "cmd/sort_args.h"

/* Reads the zero-terminated names in the file `from` into `inputs`; *text, from gs_mem,
 * is where they lie. Ends the program when there are operands too, no names, or a name
 * that is empty or "-". */
void gs_input_names_read(const char *from, const char ***inputs, size_t *count,
                         char **text);

/* Ends the program at the first input that cannot be read, before any work is done. */
void gs_input_names_check(const gs_sort_args *args);

#endif
