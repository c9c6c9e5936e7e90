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

/* What an operand may belong to that follows an option at once, as in join(1). */
typedef enum gs_join_claim {
    GS_JOIN_CLAIM_NONE,
    GS_JOIN_CLAIM_FORMAT, /* -o LIST LIST */
    GS_JOIN_CLAIM_LEFT,   /* -j1 FIELD, which is -1 FIELD */
    GS_JOIN_CLAIM_RIGHT,  /* -j2 FIELD */
} gs_join_claim;

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

    /* Operands; those that an option claims are its if there are more than two. */
    const char *inputs[GS_JOIN_SIDES];
    gs_join_claim claims[GS_JOIN_SIDES];
    size_t input_count;
    gs_join_claim claim; /* of the option met last, to argv[claimed] */
    int claimed;
    unsigned both[GS_JOIN_SIDES]; /* -j1, -j2 whose field did not follow: of both files */

    /* Memory behind `options`. */
    const char **temp_folders;
    gs_join_item *items;
    char **names; /* of items */
    size_t name_count;
} gs_join_args;

void gs_join_args_parse(gs_join_args *args, int argc, char **argv);
void gs_join_args_release(gs_join_args *args);

#endif
