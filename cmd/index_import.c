/* SPDX-License-Identifier: MIT */
#include "cmd/index_import.h"

#include "cmd/index_job.h"
#include "cmd/report.h"
#include "cmd/size_arg.h"
#include "lib/index/exchange/exchanges.h"

enum {
    OPT_CIFF = 256,
    OPT_REPLACE,
    OPT_STRICT,
    OPT_PARALLEL,
    OPT_NO_URING,
    OPT_NO_DECOMPRESS,
};

static const gs_opt options[] = {
    {"ciff", GS_OPT_OPTIONAL, OPT_CIFF, false},
    {"output", GS_OPT_REQUIRED, 'o', false},
    {"replace", GS_OPT_NONE, OPT_REPLACE, false},
    {"strict", GS_OPT_NONE, OPT_STRICT, false},
    {"buffer-size", GS_OPT_REQUIRED, 'S', false},
    {"parallel", GS_OPT_REQUIRED, OPT_PARALLEL, false},
    {"progress", GS_OPT_OPTIONAL, GS_JOB_PROGRESS, false},
    {"stats", GS_OPT_OPTIONAL, GS_JOB_STATS, false},
    {"trace", GS_OPT_REQUIRED, GS_JOB_TRACE, false},
    {"verbose", GS_OPT_NONE, 'v', false},
    {"no-uring", GS_OPT_NONE, OPT_NO_URING, false},
    {"no-decompress", GS_OPT_NONE, OPT_NO_DECOMPRESS, false},
};

static const char usage_text[] =
    "Usage: gpusort index import --ciff -o DIR [OPTION]... [FILE]\n"
    "Make an index of FILE, which is in the Common Index File Format. Without a FILE, "
    "or\n"
    "where it is -, read standard input. A zstd or gzip file is unpacked. Every rule of\n"
    "the format is checked; sums that do not agree are told, and kept.\n"
    "\n"
    "      --ciff[=FILE]       the format, the only one there is, and the FILE\n"
    "  -o, --output=DIR        the index, a new folder\n"
    "      --replace           an index of that name may be there, and is replaced\n"
    "      --strict            sums that do not agree are an error\n"
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
    gs_ciff_import_options options;
    gs_index_job job;
    bool is_ciff;
} import_args;

static void take_option(import_args *args, const gs_opt_scan *scan, int code)
{
    switch (code) {
    case OPT_CIFF:
        args->is_ciff = true;
        if (scan->argument != NULL)
            gs_opt_only_operand(scan, &args->options.input);
        break;
    case 'o': args->options.folder = scan->argument; break;
    case OPT_REPLACE: args->options.replace = true; break;
    case OPT_STRICT: args->options.is_strict = true; break;
    case 'S': args->options.memory_bytes = gs_job_memory(scan, code); break;
    case OPT_PARALLEL: args->options.threads = gs_size_arg_threads(scan); break;
    case OPT_NO_URING: args->options.no_uring = true; break;
    case OPT_NO_DECOMPRESS: args->options.keep_compressed = true; break;
    case GS_OPT_OPERAND: gs_opt_only_operand(scan, &args->options.input); break;
    default:
        if (!gs_index_job_option(&args->job, scan, code))
            gs_die_try_help(GS_EXIT_TROUBLE);
    }
}

static void parse(import_args *args, int argc, char **argv)
{
    gs_ciff_import_options *const o = &args->options;
    gs_opt_scan scan = {.argc = argc,
                        .argv = argv,
                        .options = options,
                        .option_count = sizeof options / sizeof *options,
                        .letters = "o:S:v",
                        .usage = usage_text,
                        .index = 1};
    for (int code; (code = gs_opt_next(&scan)) != GS_OPT_END;)
        take_option(args, &scan, code);
    gs_job_check_folder(o->folder);
    if (!args->is_ciff)
        gs_die_usage("say what the file is: --ciff");
    if (o->input == NULL)
        o->input = "-";
}

static gs_code import(void *context, gs_index_job *job, gs_status *st)
{
    gs_ciff_import_options o = *(const gs_ciff_import_options *)context;
    o.log = &job->log;
    o.trace = job->trace;
    o.stats = &job->stats;
    job->stats.method = "import";
    return gs_ciff_import(&o, st);
}

int gs_index_import_command(int argc, char **argv)
{
    import_args args = {.job = {.progress = GS_PROGRESS_AUTO}};
    parse(&args, argc, argv);
    return gs_index_job_run(&args.job, import, &args.options);
}
