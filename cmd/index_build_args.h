/* SPDX-License-Identifier: MIT */
/*
 * index_build_args: what was said on the command line of `gpusort index build`, or of
 * `append`, which has most of it.
 */
#ifndef GS_CMD_INDEX_BUILD_ARGS_H
#define GS_CMD_INDEX_BUILD_ARGS_H

#include "cmd/index_job.h"
#include "cmd/folder_walk.h"
#include "lib/gpusort.h"

typedef struct gs_index_build_args {
    gpusort_build_options options;
    const char **inputs, **text_fields, **temp_folders;
    unsigned char *inputs_found; /* in folders; NULL: none was walked */
    gs_folder_walk walk;         /* what was found there */
    const char *files_from;      /* --files0-from */
    char *input_text;            /* the names that were read there */
    int *gpus;
    size_t gpu_count;
    bool updates, no_merge; /* of `append' */
    gs_index_job job;
} gs_index_build_args;

/* Ends the program with a message when the arguments will not do. */
void gs_index_build_args_parse(gs_index_build_args *args, int argc, char **argv);
/* The same for `append`: the folder is the first operand, and what only makes sense of a
 * new index is no option. */
void gs_index_append_args_parse(gs_index_build_args *args, int argc, char **argv);
void gs_index_build_args_release(gs_index_build_args *args);

#endif
