/* SPDX-License-Identifier: MIT */
#include "cmd/commands.h"

#include <stdio.h>

#include "cmd/index_job.h"
#include "cmd/own_options.h"
#include "cmd/report.h"
#include "lib/base/mem.h"
#include "lib/gpusort.h"

static const gs_word id_words[] = {
    {"keep", GPUSORT_IDS_KEEP},
    {"shift", GPUSORT_IDS_SHIFT},
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
    "                             what comes again is added up. Documents are shifted,\n"
    "                             those with a --doc-base and tuples are kept, unless\n"
    "                             you say otherwise\n"
    "      --from-term=TERM     only terms from this one on, by their bytes,\n"
    "      --to-term=TERM       and before this one: a range, of all documents, for one\n"
    "                             of several machines; an empty TERM is no bound\n"
    "      --join-terms         the INDEXes are such ranges of one merge; what they "
    "give\n"
    "                             together is what it would have given\n"
    "      --term-splitters=R   instead of an index print terms that cut the merge into "
    "R\n"
    "                             ranges of about equally much work, or fewer\n"
    "      --unique-ids         two documents with the same name are an error\n"
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
    gpusort_index_merge_options options;
    bool replaces, unique_names, joins_terms;
    unsigned range_count; /* 0: an index is to be made */
    const char **inputs;
    gs_index_job job;
} merge_args;

static void take_ranges(void *to, gs_opt_scan *scan)
{
    enum { RANGES_MAX = 1 << 16 };
    const uint64_t count = gs_own_number("--term-splitters", scan->argument, 1);
    if (count > RANGES_MAX)
        gs_die(0, "--term-splitters is at most %d", RANGES_MAX);
    *(unsigned *)to = (unsigned)count;
}

static void parse(merge_args *args, int argc, char **argv)
{
    gpusort_index_merge_options *const o = &args->options;
    const gs_opt options[] = {
        {'o', "output", GS_OPT_TEXT(&o->folder)},
        {0, "replace", GS_OPT_FLAG(&args->replaces)},
        {0, "doc-ids", GS_OPT_WORD(&o->doc_ids, id_words)},
        {0, "from-term", GS_OPT_TEXT(&o->from_term)},
        {0, "to-term", GS_OPT_TEXT(&o->to_term)},
        {0, "join-terms", GS_OPT_FLAG(&args->joins_terms)},
        {0, "term-splitters", GS_OPT_CALL(take_ranges, &args->range_count)},
        {0, "unique-ids", GS_OPT_FLAG(&args->unique_names)},
        {'S', "buffer-size", GS_OPT_MEMORY(&o->job.memory_bytes)},
        {0, "checkpoint", GS_OPT_TEXT(&o->checkpoint)},
        {0, "parallel", GS_OPT_THREADS(&o->job.threads)},
        GS_WATCH_OPTIONS(&args->job.watch),
        {'v', "verbose", GS_OPT_FLAG(&args->job.verbose)},
        {0, NULL, GS_OPT_OPERANDS(&args->inputs, &o->input_count)},
    };
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    o->inputs = args->inputs;
    o->replaces = args->replaces;
    o->unique_names = args->unique_names;
    o->joins_terms = args->joins_terms;
    if (args->range_count > 0 && o->folder != NULL)
        gs_die_incompatible("--term-splitters", "-o", "terms are printed");
    if (args->range_count == 0)
        gs_job_check_folder(o->folder);
    if (o->joins_terms && o->doc_ids != GPUSORT_IDS_AUTO)
        gs_die_incompatible("--join-terms", "--doc-ids",
                            "what is joined has the same documents");
    if (o->input_count == 0)
        gs_die_usage("say which indexes to merge");
}

static gpusort_code merge(void *context, gpusort_error *error)
{
    const merge_args *const args = context;
    return gpusort_index_merge(&args->options, error);
}

static int print_term(void *context, const void *term, size_t bytes)
{
    (void)context;
    (void)fwrite(term, 1, bytes, stdout);
    (void)putchar('\n');
    return 0;
}

static int print_cuts(const merge_args *args)
{
    gpusort_error error = GPUSORT_NO_ERROR;
    return gpusort_index_merge_cuts(&args->options, args->range_count, print_term, NULL,
                                    &error) == GPUSORT_OK
               ? gs_stdout_close(GS_EXIT_GOOD)
               : gs_report_error(&error);
}

int gs_index_merge_command(int argc, char **argv)
{
    merge_args args = {.options = GPUSORT_INDEX_MERGE_OPTIONS,
                       .job.watch.progress = GS_PROGRESS_AUTO};
    parse(&args, argc, argv);
    const int exit_code =
        args.range_count > 0
            ? print_cuts(&args)
            : gs_index_job_call(&args.job, &args.options.job, merge, &args);
    gs_mem_free(args.inputs);
    return exit_code;
}
