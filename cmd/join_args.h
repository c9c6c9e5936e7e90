/* SPDX-License-Identifier: MIT */
/*
 * join_args: the command line of `gpusort join`, as data. Its options are those of
 * join(1), and some of its own.
 *
 * Parsing ends the program when the arguments will not do.
 */
#ifndef GS_CMD_JOIN_ARGS_H
#define GS_CMD_JOIN_ARGS_H

#include <stdbool.h>

#include "cmd/join_tuples.h"
#include "cmd/watch.h"
#include "lib/gpusort.h"

/* What an operand may belong to that follows an option at once, as in join(1). */
typedef enum gs_join_claim {
    GS_JOIN_CLAIM_NONE,
    GS_JOIN_CLAIM_FORMAT, /* -o LIST LIST */
    GS_JOIN_CLAIM_LEFT,   /* -j1 FIELD, which is -1 FIELD */
    GS_JOIN_CLAIM_RIGHT,  /* -j2 FIELD */
} gs_join_claim;

typedef struct gs_join_args {
    gpusort_sort_options sort;
    gpusort_join_options options; /* of which that is the sort */
    gs_watch watch;
    bool verbose;
    bool is_anti;
    bool is_csv, is_tsv, has_header, has_no_header;
    int delimiter;            /* -t */
    const char *tuple_fields; /* --binary */
    gs_join_tuples tuples;    /* memory of options.tuples */
    const char
        *match_said; /* the option that says how keys compare; NULL: they are equal */

    /* Operands; those that an option claims are its if there are more than two. */
    const char *inputs[GS_JOIN_FILES];
    gs_join_claim claims[GS_JOIN_FILES];
    size_t input_count;
    gs_join_claim claim; /* of the option met last, to argv[claimed] */
    int claimed;
    unsigned both[GS_JOIN_FILES]; /* -j1, -j2 whose field did not follow: of both files */

    /* Memory behind `options`. */
    const char **temp_folders;
    gpusort_join_field *fields;
    char **names; /* of fields */
    size_t name_count;
} gs_join_args;

void gs_join_args_parse(gs_join_args *args, int argc, char **argv);
void gs_join_args_release(gs_join_args *args);

#endif
