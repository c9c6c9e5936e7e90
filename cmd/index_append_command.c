/* SPDX-License-Identifier: MIT */
#include "cmd/commands.h"

#include "cmd/index_build_args.h"
#include "lib/index/grow/growths.h"

static gs_code append(void *context, gs_index_job *job, gs_status *st)
{
    gs_index_append_options options = *(const gs_index_append_options *)context;
    options.build.log = &job->log;
    options.build.trace = job->trace;
    options.build.stats = job->stats;
    return gs_index_append(&options, st);
}

int gs_index_append_command(int argc, char **argv)
{
    gs_index_build_args args;
    gs_index_append_flags flags = {.updates = false};
    gs_index_append_args_parse(&args, &flags, argc, argv);
    const gs_word_rules_options *const words = &args.options.words;
    gs_index_append_options options = {
        .build = args.options,
        .asked = {.kind = args.asks_kind,
                  .fold = args.asks_fold,
                  .stem = words->stem_language != NULL,
                  .stop_words = words->stop_file != NULL,
                  .min_len = words->min_len != 0,
                  .max_len = words->max_len != 0},
        .updates = flags.updates,
        .no_merge = flags.no_merge,
    };
    const int exit_code = gs_index_job_run(&args.job, append, &options);
    gs_index_build_args_release(&args);
    return exit_code;
}
