/* SPDX-License-Identifier: MIT */
#include "cmd/commands.h"

#include "cmd/index_job.h"
#include "cmd/report.h"
#include "lib/gpusort.h"

static const char usage_text[] =
    "Usage: gpusort index reorder -o DIR [OPTION]... INDEX\n"
    "Make the same index with its documents in an order that makes it smaller and\n"
    "searches faster: those that share terms lie side by side. Names stay, docIDs "
    "change.\n"
    "\n"
    "  -o, --output=DIR         the index, a new folder\n"
    "      --replace            an index of that name may be there, also the one that "
    "is\n"
    "                             reordered, and is replaced\n"
    "  -S, --buffer-size=SIZE   memory of the whole process, in K (1024 bytes) or with\n"
    "                             a unit: b % M G T P E\n"
    "      --parallel=N         this many threads\n"
    "      --progress[=WHEN]    how far it is: always, auto (on terminals), never\n"
    "      --stats[=FILE]       figures of the run, as JSON, at the end\n"
    "      --trace=FILE         a timeline in the Chrome trace format\n"
    "  -v, --verbose            say what was chosen and why\n"
    "  -h, --help               show this help and stop\n"
    "      --version            show the version and stop\n"
    "\n"
    "Exit codes: 0 good, 2 trouble; then nothing is left.\n";

typedef struct reorder_args {
    const char *folder, *input;
    bool replaces;
    gpusort_job of;
    gs_index_job job;
} reorder_args;

static void parse(reorder_args *args, int argc, char **argv)
{
    const gs_opt options[] = {
        {'o', "output", GS_OPT_TEXT(&args->folder)},
        {0, "replace", GS_OPT_FLAG(&args->replaces)},
        {'S', "buffer-size", GS_OPT_MEMORY(&args->of.memory_bytes)},
        {0, "parallel", GS_OPT_THREADS(&args->of.threads)},
        GS_WATCH_OPTIONS(&args->job.watch),
        {'v', "verbose", GS_OPT_FLAG(&args->job.verbose)},
        {0, NULL, GS_OPT_OPERAND(&args->input)},
    };
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    gs_job_check_folder(args->folder);
    if (args->input == NULL)
        gs_die_usage("say which index to reorder");
}

static gpusort_code reorder(void *context, gpusort_error *error)
{
    const reorder_args *const args = context;
    return gpusort_index_reorder(args->folder, args->input,
                                 args->replaces ? GPUSORT_REPLACE : 0, &args->of, error);
}

int gs_index_reorder_command(int argc, char **argv)
{
    reorder_args args = {.job.watch.progress = GS_PROGRESS_AUTO};
    parse(&args, argc, argv);
    return gs_index_job_call(&args.job, &args.of, reorder, &args);
}
