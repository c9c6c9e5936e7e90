/* SPDX-License-Identifier: MIT */
/*
 * key_warnings: what --debug says about keys that may not do what was meant.
 */
#ifndef GS_CMD_KEY_WARNINGS_H
#define GS_CMD_KEY_WARNINGS_H

#include "cmd/sort_args.h"

/* On standard error, each with the program's name; the order of bytes first. */
void gs_key_warnings_print(const gs_sort_args *args);

#endif
