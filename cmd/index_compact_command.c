/* SPDX-License-Identifier: MIT */
#include "cmd/commands.h"

#include "cmd/index_job.h"
#include "cmd/report.h"
#include "lib/gpusort.h"

static const char usage_text[] =
    "Usage: gpusort index compact [OPTION]... DIR\n"
    "Make all segments of the index in DIR one, of which nothing is deleted. It is the "
    "same\n"
    "bytes as one build of the documents that are left.\n"
    "\n"
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
    "Exit codes: 0 good, 2 trouble; then the index is what it was.\n";

typedef struct compaction {
    const char *folder;
    gpusort_job of;
} compaction;

static gpusort_code compact(void *context, gpusort_error *error)
{
    const compaction *const c = context;
    return gpusort_index_compact(c->folder, &c->of, error);
}

int gs_index_compact_command(int argc, char **argv)
{
    compaction c = {.folder = NULL};
    gs_index_job job = {.watch.progress = GS_PROGRESS_AUTO};
    const gs_opt options[] = {
        {'S', "buffer-size", GS_OPT_MEMORY(&c.of.memory_bytes)},
        {0, "parallel", GS_OPT_THREADS(&c.of.threads)},
        GS_WATCH_OPTIONS(&job.watch),
        {'v', "verbose", GS_OPT_FLAG(&job.verbose)},
        {0, NULL, GS_OPT_OPERAND(&c.folder)},
    };
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    if (c.folder == NULL)
        gs_die_usage("which index?");
    return gs_index_job_call(&job, &c.of, compact, &c);
}
