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
    bool is_csv, is_tsv, has_no_header;
    int delimiter;                      /* -t */
    bool is_zero_ended;                 /* -z */
    const char *tuple_fields;           /* --binary */
    gs_byte_key *tuples[GS_JOIN_SIDES]; /* memory of options.tuples */
    const char
        *band_said; /* the option that says how keys compare; NULL: they are equal */

    /* Operands, of which those that follow a -o at once may belong to it (join(1)). */
    const char *inputs[GS_JOIN_SIDES];
    bool may_be_format[GS_JOIN_SIDES];
    size_t input_count;
    int behind_format; /* the index in argv of what follows a -o */

    /* Memory behind `options`. */
    const char **temp_folders;
    gs_join_item *items;
    char **names; /* of items */
    size_t name_count;
} gs_join_args;

void gs_join_args_parse(gs_join_args *args, int argc, char **argv);
void gs_join_args_release(gs_join_args *args);

#endif
