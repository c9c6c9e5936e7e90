/* SPDX-License-Identifier: MIT */
/*
 * own_options: commands that take the options of `gpusort sort`, so that keys mean the
 * same, and some of their own. These are taken out of the arguments first; what is left
 * is parsed by gs_sort_args_parse.
 */
#ifndef GS_CMD_OWN_OPTIONS_H
#define GS_CMD_OWN_OPTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/sort_args.h"

/* One of them: `value` is set to the argument, or `flag` to true. */
typedef struct gs_own_option {
    const char *name; /* "--name", or "-n", whose argument may follow at once */
    const char **value;
    bool *flag;
} gs_own_option;

/* Moves what is not in the list to the front of argv and returns how much that is. */
int gs_own_options_take(const gs_own_option *options, size_t count, int argc,
                        char **argv);

/* A whole number from `least` on, K, M, G ... allowed, of an option that was given. Ends
 * the program with a message when the text will not do. */
uint64_t gs_own_number(const char *name, const char *text, uint64_t least);

/* FROM:TO, in bytes of the one input, either of which may be left out. False: `text` is
 * NULL. Ends the program with a message when the text will not do. */
bool gs_own_range(const gs_sort_args *args, const char *text, uint64_t *from,
                  uint64_t *to);

/* What is left are options of `sort`. Ends the program if they ask for another kind of
 * work, but for those in `allowed`, which ends with NULL. False: help or the version was
 * asked for and printed, and that is all; nothing is to be released. */
bool gs_own_options_parse_rest(gs_sort_args *args, const char *usage,
                               const char *const *allowed, int argc, char **argv);

#endif
