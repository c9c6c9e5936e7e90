/* SPDX-License-Identifier: MIT */
#include "cmd/commands.h"

#include "cmd/index_build_args.h"
#include "lib/gpusort.h"

static gpusort_code append(void *context, gpusort_error *error)
{
    const gs_index_build_args *const args = context;
    const unsigned flags =
        (args->updates ? GPUSORT_UPDATE : 0) | (args->no_merge ? GPUSORT_NO_MERGE : 0);
    return gpusort_index_append(&args->options, flags, error);
}

int gs_index_append_command(int argc, char **argv)
{
    gs_index_build_args args;
    gs_index_append_args_parse(&args, argc, argv);
    const int exit_code = gs_index_job_call(&args.job, &args.options.job, append, &args);
    gs_index_build_args_release(&args);
    return exit_code;
}
