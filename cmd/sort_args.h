/* SPDX-License-Identifier: MIT */
/*
 * sort_args: the command line of `gpusort sort`, as data.
 *
 * Call order: parse (what was said), gs_sort_resolve (what it means, sort_resolve.h),
 * then the library is called with `options`; release. Both end the program with GNU's
 * message and exit code when the arguments will not do.
 */
#ifndef GS_CMD_SORT_ARGS_H
#define GS_CMD_SORT_ARGS_H

#include "cmd/key_spec.h"
#include "cmd/watch.h"
#include "lib/gpusort.h"

typedef enum gs_sort_wish {
    GS_WISH_SORT,
    GS_WISH_HELP,
    GS_WISH_VERSION,
} gs_sort_wish;

enum { GS_NO_DELIMITER = -1 };

typedef struct gs_sort_args {
    gpusort_sort_options options; /* its order is filled by gs_sort_resolve */
    gs_sort_wish wish;
    char check; /* 0, 'c' or 'C' */
    bool merge, debug, verbose;
    bool has_record_size;
    bool names_columns; /* keys may be given by name: --csv or --tsv is there */
    bool is_csv, is_tsv, has_header, no_quotes;
    gs_watch watch;
    int delimiter; /* -t, a byte; or GS_NO_DELIMITER */
    const char *files_from, *random_source;

    unsigned global_letters;
    gs_key_spec *specs; /* -k; or one made of the global letters */
    size_t spec_count;
    bool spec_is_global;

    /* Memory behind `options`. */
    gpusort_key *keys;
    gpusort_path *paths; /* whose names are the specs' columns */
    size_t path_count;   /* of --jsonl-key */
    gpusort_byte_key *byte_keys;
    size_t byte_key_count;
    unsigned char seed[GPUSORT_SEED_BYTES];
    const char **inputs, **temp_folders;
    char *input_text; /* of --files0-from */
    int *gpus;
    size_t gpu_count;
} gs_sort_args;

void gs_sort_args_parse(gs_sort_args *args, int argc, char **argv);
void gs_sort_args_release(gs_sort_args *args);

/* --output-compress of a gpusort_sort_options, for other commands too. */
gs_opt_fn gs_sort_args_take_zstd;

#endif
