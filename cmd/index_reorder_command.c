/* SPDX-License-Identifier: MIT */
#include "cmd/commands.h"

#include <unistd.h>

#include "cmd/index_inner.h"
#include "cmd/report.h"
#include "lib/index/folder/folders.h"
#include "lib/index/grow/growths.h"
#include "lib/index/reorder/reorders.h"

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
    gs_index_reorder_options options;
    gs_index_job job;
} reorder_args;

static void parse(reorder_args *args, int argc, char **argv)
{
    gs_index_reorder_options *const o = &args->options;
    const gs_opt options[] = {
        {'o', "output", GS_OPT_TEXT(&o->folder)},
        {0, "replace", GS_OPT_FLAG(&o->replace)},
        {'S', "buffer-size", GS_OPT_MEMORY(&o->memory_bytes)},
        {0, "parallel", GS_OPT_THREADS(&o->threads)},
        GS_WATCH_OPTIONS(&args->job.watch),
        {'v', "verbose", GS_OPT_FLAG(&args->job.verbose)},
        {0, NULL, GS_OPT_OPERAND(&o->input)},
    };
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    gs_job_check_folder(o->folder);
    if (o->input == NULL)
        gs_die_usage("say which index to reorder");
}

static gs_code reorder_whole(void *context, const char *folder, gs_status *st)
{
    gs_index_reorder_options *const o = context;
    o->input = folder;
    return gs_index_reorder(o, st);
}

static gs_code reorder(void *context, gs_index_inner *inner, gs_status *st)
{
    gs_index_reorder_options o = *(const gs_index_reorder_options *)context;
    o.log = &inner->log;
    o.trace = inner->trace;
    o.stats = inner->stats;
    inner->stats->method = "reorder";
    const gs_index_merge_options whole = {
        .folder = o.folder,
        .memory_bytes = o.memory_bytes,
        .threads = o.threads,
        .log = o.log,
        .trace = o.trace,
    };
    /* From before it is read: what is appended meanwhile would be lost. */
    const int lock = o.replace ? gs_index_lock(o.folder, NULL) : -1;
    if (lock >= 0)
        o.held_lock = &lock;
    GS_NOTED(gs_whole_index(&whole, o.input, reorder_whole, &o, st));
    if (lock >= 0)
        (void)close(lock);
    return st->code;
}

int gs_index_reorder_command(int argc, char **argv)
{
    reorder_args args = {.job.watch.progress = GS_PROGRESS_AUTO};
    parse(&args, argc, argv);
    return gs_index_inner_run(&args.job, reorder, &args.options);
}
