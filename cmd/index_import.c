/* SPDX-License-Identifier: MIT */
#include "cmd/commands.h"

#include <string.h>

#include "cmd/index_job.h"
#include "cmd/report.h"
#include "lib/gpusort.h"

static const char usage_text[] =
    "Usage: gpusort index import --ciff -o DIR [OPTION]... [FILE]\n"
    "Make an index of FILE, which is in the Common Index File Format. Without a FILE, "
    "or\n"
    "where it is -, read standard input. A zstd or gzip file is unpacked. Every rule of\n"
    "the format is checked; breaks that leave no doubt are counted, and told.\n"
    "\n"
    "      --ciff[=FILE]       the format, the only one there is, and the FILE\n"
    "  -o, --output=DIR        the index, a new folder\n"
    "      --replace           an index of that name may be there, and is replaced\n"
    "      --unique-ids        two documents with the same name are an error\n"
    "      --impacts           frequencies are weights of terms, and scores their sums\n"
    "      --strict            a rule that is broken is an error, whichever\n"
    "  -S, --buffer-size=SIZE  memory of the whole process, in K (1024 bytes) or with a\n"
    "                            unit: b % M G T P E\n"
    "      --parallel=N        this many threads\n"
    "      --progress[=WHEN]   how far it is: always, auto (on terminals), never\n"
    "      --stats[=FILE]      figures of the run, as JSON, at the end\n"
    "      --trace=FILE        a timeline in the Chrome trace format\n"
    "  -v, --verbose           say what was chosen and why\n"
    "      --no-uring          read without io_uring\n"
    "      --no-decompress     take a zstd or gzip file as it is\n"
    "  -h, --help              show this help and stop\n"
    "      --version           show the version and stop\n"
    "\n"
    "Exit codes: 0 good, 2 trouble; then nothing is left.\n";

typedef struct import_args {
    gpusort_import_options options;
    gs_index_job job;
    bool is_ciff, replaces, unique_names, has_impacts, is_strict, keeps_packed;
} import_args;

static void take_ciff(void *to, gs_opt_scan *scan)
{
    import_args *const args = to;
    args->is_ciff = true;
    if (scan->argument != NULL)
        gs_opt_only_operand(&args->options.input, scan);
}

static void parse(import_args *args, int argc, char **argv)
{
    gpusort_import_options *const o = &args->options;
    const gs_opt options[] = {
        {0, "ciff", GS_OPT_CALL_MAYBE(take_ciff, args)},
        {'o', "output", GS_OPT_TEXT(&o->folder)},
        {0, "replace", GS_OPT_FLAG(&args->replaces)},
        {0, "unique-ids", GS_OPT_FLAG(&args->unique_names)},
        {0, "impacts", GS_OPT_FLAG(&args->has_impacts)},
        {0, "strict", GS_OPT_FLAG(&args->is_strict)},
        {'S', "buffer-size", GS_OPT_MEMORY(&o->job.memory_bytes)},
        {0, "parallel", GS_OPT_THREADS(&o->job.threads)},
        GS_WATCH_OPTIONS(&args->job.watch),
        {'v', "verbose", GS_OPT_FLAG(&args->job.verbose)},
        {0, "no-uring", GS_OPT_NO_URING(&o->job)},
        {0, "no-decompress", GS_OPT_FLAG(&args->keeps_packed)},
        {0, NULL, GS_OPT_OPERAND(&o->input)},
    };
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    gs_job_check_folder(o->folder);
    if (!args->is_ciff)
        gs_die_usage("say what the file is: --ciff");
    if (o->input != NULL && strcmp(o->input, "-") == 0)
        o->input = NULL;
    o->replaces = args->replaces;
    o->unique_names = args->unique_names;
    o->has_impacts = args->has_impacts;
    o->is_strict = args->is_strict;
    o->keeps_packed = args->keeps_packed;
}

static gpusort_code import(void *context, gpusort_error *error)
{
    const import_args *const args = context;
    return gpusort_index_import(&args->options, error);
}

int gs_index_import_command(int argc, char **argv)
{
    import_args args = {.options = GPUSORT_IMPORT_OPTIONS,
                        .job.watch.progress = GS_PROGRESS_AUTO};
    parse(&args, argc, argv);
    return gs_index_job_call(&args.job, &args.options.job, import, &args);
}
