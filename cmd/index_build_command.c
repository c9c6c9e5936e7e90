/* SPDX-License-Identifier: MIT */
#include "cmd/commands.h"

#include "cmd/index_build_args.h"

static gs_code build(void *context, gs_index_job *job, gs_status *st)
{
    gs_index_build_options options = *(const gs_index_build_options *)context;
    options.log = &job->log;
    options.trace = job->trace;
    options.stats = job->stats;
    return gs_index_build(&options, st);
}

int gs_index_build_command(int argc, char **argv)
{
    gs_index_build_args args;
    gs_index_build_args_parse(&args, argc, argv);
    const int exit_code = gs_index_job_run(&args.job, build, &args.options);
    gs_index_build_args_release(&args);
    return exit_code;
}
