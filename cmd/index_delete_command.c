/* SPDX-License-Identifier: MIT */
/*
 * gpusort index delete: documents of an index by their names.
 *
 * Names are collected into batches, for each of which all names of the index are gone
 * through once; what they delete is gone at once, when all are read.
 */
#include <inttypes.h>
#include <string.h>

#include "cmd/commands.h"
#include "cmd/index_job.h"
#include "cmd/report.h"
#include "cmd/stdin_lines.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/gpusort.h"

enum {
    NAME_BYTES_MAX = 1 << 20,
    BATCH_BYTES = 16 << 20, /* of names */
    BATCH_NAMES = 1 << 18,
    TOLD_MAX = 10, /* names that are told one by one */
};

static const char usage_text[] =
    "Usage: gpusort index delete [OPTION]... DIR [NAME]...\n"
    "Delete the documents that are called NAME, or as a line of standard input if there "
    "is\n"
    "none or it is -, from the index in DIR. All of them are gone at once; their space "
    "is,\n"
    "when their segment is merged.\n"
    "\n"
    "      --no-merge           only delete: leave merging segments to later\n"
    "  -S, --buffer-size=SIZE   memory of merges, in K (1024 bytes) or with a unit:\n"
    "                             b % M G T P E\n"
    "      --parallel=N         this many threads\n"
    "      --progress[=WHEN]    how far it is: always, auto (on terminals), never\n"
    "      --stats[=FILE]       figures of the run, as JSON, at the end\n"
    "      --trace=FILE         a timeline in the Chrome trace format\n"
    "  -v, --verbose            say how many were deleted\n"
    "  -h, --help               show this help and stop\n"
    "      --version            show the version and stop\n"
    "\n"
    "Exit codes: 0 good, 2 trouble, also if no document has one of the names; the "
    "others\n"
    "are deleted then.\n";

typedef struct delete_job {
    const char *folder;
    gpusort_job of;
    char **names;
    int name_count; /* 0: of standard input */
    bool no_merge;
    gs_index_job job;

    gpusort_deletion *deletion;
    gpusort_error error;
    char *text; /* of a batch of lines */
    const char **batch;
    size_t *lengths;
    unsigned char *is_there;
    size_t text_bytes, count;
    uint64_t missing;
} delete_job;

static void tell_missing(delete_job *d, const char *name, size_t bytes)
{
    enum { SHOWN_BYTES = 200 };
    char shown[SHOWN_BYTES + 1] = "";
    gs_quoted folder, q;
    if (++d->missing > TOLD_MAX)
        return;
    memcpy(shown, name, bytes < SHOWN_BYTES ? bytes : SHOWN_BYTES);
    gs_report(0, "%s: no document is called %s", gs_quote_name(&folder, d->folder),
              gs_quote_argument(&q, shown));
}

/* Deletes what the names of the batch stand for. */
static gs_code delete_batch(delete_job *d, gs_status *st)
{
    if (d->count == 0)
        return GS_OK;
    if (gpusort_deletion_names(d->deletion, d->batch, d->lengths, d->count, d->is_there,
                               &d->error) != GPUSORT_OK)
        return gs_status_of_error(st, &d->error);
    for (size_t i = 0; i < d->count; i++) {
        if (!d->is_there[i])
            tell_missing(d, d->batch[i], d->lengths[i]);
    }
    d->count = d->text_bytes = 0;
    return GS_OK;
}

static gs_code add_name(delete_job *d, const char *name, size_t bytes, gs_status *st)
{
    if (d->count == BATCH_NAMES || BATCH_BYTES - d->text_bytes < bytes)
        GS_TRY(delete_batch(d, st));
    char *const to = d->text + d->text_bytes;
    memcpy(to, name, bytes);
    d->batch[d->count] = to;
    d->lengths[d->count++] = bytes;
    d->text_bytes += bytes;
    return GS_OK;
}

static gs_code take_lines(delete_job *d, gs_status *st)
{
    gs_stdin_lines *lines = NULL;
    GS_TRY(gs_stdin_lines_new(&lines, NAME_BYTES_MAX, st));
    while (st->code == GS_OK) {
        const char *line;
        size_t bytes;
        if (gs_stdin_lines_peek(lines, true, &line, &bytes, st) != GS_OK || line == NULL)
            break;
        GS_NOTED(add_name(d, line, bytes, st));
        gs_stdin_lines_drop(lines);
    }
    gs_stdin_lines_free(lines);
    return st->code;
}

static gs_code take_names(delete_job *d, gs_status *st)
{
    GS_TRY(gs_mem_map(&d->text, BATCH_BYTES, false, "names of documents", st));
    GS_TRY(gs_mem_new_array(&d->batch, BATCH_NAMES, sizeof *d->batch,
                            "names of documents", st));
    GS_TRY(gs_mem_new_array(&d->lengths, BATCH_NAMES, sizeof *d->lengths,
                            "names of documents", st));
    GS_TRY(gs_mem_new_array(&d->is_there, BATCH_NAMES, sizeof *d->is_there,
                            "names of documents", st));
    if (d->name_count == 0)
        GS_TRY(take_lines(d, st));
    for (int i = 0; i < d->name_count; i++)
        GS_TRY(add_name(d, d->names[i], strlen(d->names[i]), st));
    return delete_batch(d, st);
}

static gs_code commit(delete_job *d, gs_status *st)
{
    uint64_t count = 0;
    if (gpusort_deletion_commit(d->deletion, d->no_merge ? GPUSORT_NO_MERGE : 0, &count,
                                &d->error) != GPUSORT_OK)
        return gs_status_of_error(st, &d->error);
    if (d->job.verbose)
        gs_report(0, "%" PRIu64 " document%s deleted", count,
                  count == 1 ? " is" : "s are");
    return GS_OK;
}

static gs_code delete_documents(void *context, gs_status *st)
{
    delete_job *const d = context;
    if (gpusort_deletion_open(&d->deletion, d->folder, &d->of, &d->error) != GPUSORT_OK)
        (void)gs_status_of_error(st, &d->error);
    else if (take_names(d, st) == GS_OK)
        GS_NOTED(commit(d, st));
    gpusort_deletion_free(d->deletion);
    gs_mem_unmap(d->text, BATCH_BYTES);
    gs_mem_free(d->batch);
    gs_mem_free(d->lengths);
    gs_mem_free(d->is_there);
    return st->code;
}

int gs_index_delete_command(int argc, char **argv)
{
    delete_job d = {.job.watch.progress = GS_PROGRESS_AUTO};
    int kept = 0;
    const gs_opt options[] = {
        {0, "no-merge", GS_OPT_FLAG(&d.no_merge)},
        {'S', "buffer-size", GS_OPT_MEMORY(&d.of.memory_bytes)},
        {0, "parallel", GS_OPT_THREADS(&d.of.threads)},
        GS_WATCH_OPTIONS(&d.job.watch),
        {'v', "verbose", GS_OPT_FLAG(&d.job.verbose)},
        {0, NULL, GS_OPT_OPERANDS_IN_FRONT(&kept)},
    };
    gs_opt_parse(argc, argv, usage_text, GS_COUNTED(options));
    if (kept == 0)
        gs_die_usage("which index?");
    d.folder = argv[0];
    d.names = argv + 1;
    d.name_count = gs_means_stdin(d.names, kept - 1) ? 0 : kept - 1;
    gs_index_job_begin(&d.job, &d.of);
    const int exit_code = gs_index_job_run(&d.job, delete_documents, &d);
    if (d.missing > TOLD_MAX)
        gs_report(0,
                  "no document has %" PRIu64 " of the names, the first %d of them told "
                  "here",
                  d.missing, TOLD_MAX);
    return d.missing > 0 ? GS_EXIT_TROUBLE : exit_code;
}
