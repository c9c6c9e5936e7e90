/* SPDX-License-Identifier: MIT */
#include "cmd/commands.h"

#include "cmd/index_build_args.h"
#include "lib/gpusort.h"

static gpusort_code build(void *context, gpusort_error *error)
{
    const gs_index_build_args *const args = context;
    return gpusort_index_build(&args->options, error);
}

int gs_index_build_command(int argc, char **argv)
{
    gs_index_build_args args;
    gs_index_build_args_parse(&args, argc, argv);
    const int exit_code = gs_index_job_call(&args.job, &args.options.job, build, &args);
    gs_index_build_args_release(&args);
    return exit_code;
}
