/* SPDX-License-Identifier: MIT */
#include "cmd/index_merge_command.h"

#include "cmd/index_job.h"
#include "cmd/report.h"
#include "cmd/size_arg.h"
#include "cmd/word_arg.h"
#include "lib/base/mem.h"
#include "lib/index/merge/merges.h"

enum { OPT_REPLACE = 256, OPT_DOC_IDS, OPT_PARALLEL, OPT_CHECKPOINT };

static const gs_opt options[] = {
    {"output", GS_OPT_REQUIRED, 'o', false},
    {"replace", GS_OPT_NONE, OPT_REPLACE, false},
    {"doc-ids", GS_OPT_REQUIRED, OPT_DOC_IDS, false},
    {"buffer-size", GS_OPT_REQUIRED, 'S', false},
    {"checkpoint", GS_OPT_REQUIRED, OPT_CHECKPOINT, false},
    {"parallel", GS_OPT_REQUIRED, OPT_PARALLEL, false},
    {"progress", GS_OPT_OPTIONAL, GS_JOB_PROGRESS, false},
    {"stats", GS_OPT_OPTIONAL, GS_JOB_STATS, false},
    {"trace", GS_OPT_REQUIRED, GS_JOB_TRACE, false},
    {"verbose", GS_OPT_NONE, 'v', false},
};

static const gs_word id_words[] = {
    {"keep", GS_MERGE_IDS_KEEP},
    {"shift", GS_MERGE_IDS_SHIFT},
};

static const char usage_text[] =
    "Usage: gpusort index merge -o DIR [OPTION]... INDEX...\n"
    "Make one index of several. It is the same bytes as one build of all that they were\n"
    "built of, in that order and with the same options.\n"
    "\n"
    "  -o, --output=DIR         the index, a new folder\n"
    "      --replace            an index of that name may be there, also one of those\n"
    "                             that are merged, and is replaced\n"
    "      --doc-ids=HOW        shift: documents of an index come behind those of the\n"
    "                             ones before it; keep: docIDs stay what they are, and\n"
    "                             what comes again is added up. Documents are shifted;\n"
    "                             tuples are kept unless you say otherwise\n"
    "  -S, --buffer-size=SIZE   memory of the whole process, in K (1024 bytes) or with\n"
    "                             a unit: b % M G T P E\n"
    "      --checkpoint=DIR     keep what is done in DIR until all is; the same command\n"
    "                             goes on from there if it was stopped\n"
    "      --parallel=N         this many threads\n"
    "      --progress[=WHEN]    how far it is: always, auto (on terminals), never\n"
    "      --stats[=FILE]       figures of the run, as JSON, at the end\n"
    "      --trace=FILE         a timeline in the Chrome trace format\n"
    "  -v, --verbose            say what was chosen and why\n"
    "  -h, --help               show this help and stop\n"
    "      --version            show the version and stop\n"
    "\n"
    "Exit codes: 0 good, 2 trouble; then nothing is left.\n";

typedef struct merge_args {
    gs_index_merge_options options;
    const char **inputs;
    gs_index_job job;
} merge_args;

static void take_option(merge_args *args, const gs_opt_scan *scan, int code)
{
    gs_index_merge_options *const o = &args->options;
    switch (code) {
    case 'o': o->folder = scan->argument; break;
    case 'S': o->memory_bytes = gs_job_memory(scan, code); break;
    case OPT_REPLACE: o->replace = true; break;
    case OPT_CHECKPOINT: o->checkpoint = scan->argument; break;
    case OPT_PARALLEL: o->threads = gs_size_arg_threads(scan); break;
    case OPT_DOC_IDS:
        o->ids =
            (gs_merge_ids)gs_word_arg(scan, id_words, sizeof id_words / sizeof *id_words);
        break;
    case GS_OPT_OPERAND:
        gs_job_add_word(&args->inputs, &o->input_count, scan->argument);
        break;
    default:
        if (!gs_index_job_option(&args->job, scan, code))
            gs_die_try_help(GS_EXIT_TROUBLE);
    }
}

static void parse(merge_args *args, int argc, char **argv)
{
    gs_index_merge_options *const o = &args->options;
    gs_opt_scan scan = {.argc = argc,
                        .argv = argv,
                        .options = options,
                        .option_count = sizeof options / sizeof *options,
                        .letters = "o:S:v",
                        .usage = usage_text,
                        .index = 1};
    for (int code; (code = gs_opt_next(&scan)) != GS_OPT_END;)
        take_option(args, &scan, code);
    o->inputs = args->inputs;
    gs_job_check_folder(o->folder);
    if (o->input_count == 0)
        gs_die_usage("say which indexes to merge");
}

static gs_code merge(void *context, gs_index_job *job, gs_status *st)
{
    gs_index_merge_options o = *(const gs_index_merge_options *)context;
    o.log = &job->log;
    o.trace = job->trace;
    o.stats = &job->stats;
    job->stats.method = "merge";
    return gs_index_merge(&o, st);
}

int gs_index_merge_command(int argc, char **argv)
{
    merge_args args = {.job = {.progress = GS_PROGRESS_AUTO}};
    parse(&args, argc, argv);
    const int exit_code = gs_index_job_run(&args.job, merge, &args.options);
    gs_mem_free(args.inputs);
    return exit_code;
}
