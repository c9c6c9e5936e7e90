/* SPDX-License-Identifier: MIT */
/*
 * join_args: the command line of `gpusort join`, as data. Its options are those of
 * join(1), and some of its own.
 *
 * Parsing ends the program when the arguments will not do.
 */
#ifndef GS_CMD_JOIN_ARGS_H
#define GS_CMD_JOIN_ARGS_H

#include "cmd/watch.h"
#include "lib/join/joins.h"

typedef struct gs_join_args {
    gs_join_options options;
    gs_watch watch;
    bool verbose;
    bool hides_pairs; /* -v */
    bool is_anti;
    const char
        *band_said; /* the option that says how keys compare; NULL: they are equal */

    /* Memory behind `options`. */
    const char **inputs, **temp_folders;
    size_t input_count;
    gs_join_item *items;
} gs_join_args;

void gs_join_args_parse(gs_join_args *args, int argc, char **argv);
void gs_join_args_release(gs_join_args *args);

#endif
