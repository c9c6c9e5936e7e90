/* SPDX-License-Identifier: MIT */
/*
 * Indexes of and to files in the Common Index File Format.
 */
#include <stdio.h>

#include "io/output.h"
#include "lib/base/temp_folder.h"
#include "lib/api/api_call.h"
#include "lib/api/api_job.h"
#include "lib/index/exchange/exchanges.h"
#include "lib/index/grow/growths.h"

/* --- from a file -------------------------------------------------------------------- */

static gs_code import(const gpusort_import_options *asked, gs_status *st)
{
    gs_api_job running;
    if (asked->folder == NULL)
        return GS_FAIL(st, GS_ERR_ARG, 0, "an import needs a folder");
    GS_TRY(gs_api_job_open(&running, &asked->job, st));
    const gs_ciff_import_options o = {
        .folder = asked->folder,
        .replace = asked->replaces != 0,
        .unique_ids = asked->unique_names != 0,
        .has_impacts = asked->has_impacts != 0,
        .is_strict = asked->is_strict != 0,
        .input = asked->input != NULL ? asked->input : "-",
        .no_uring = (asked->job.flags & GPUSORT_NO_URING) != 0,
        .keep_compressed = asked->keeps_packed != 0,
        .memory_bytes = asked->job.memory_bytes,
        .threads = asked->job.threads,
        .log = &running.log,
        .trace = running.stats->trace,
        .stats = &running.stats->index,
        .cancel_signal = &running.cancel,
    };
    running.stats->index.method = "import";
    GS_NOTED(gs_ciff_import(&o, st));
    gs_api_job_close(&running);
    return st->code;
}

gpusort_code gpusort_index_import(const gpusort_import_options *options,
                                  gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gpusort_import_options asked = {0};
    if (gs_api_take_options(&asked, sizeof asked, options, &st) == GS_OK)
        GS_NOTED(import(&asked, &st));
    return gs_api_result(&st, error);
}

/* --- to a file ---------------------------------------------------------------------- */

typedef struct exporting {
    const char *name; /* NULL: standard output */
    gs_output *output;
    uint64_t written;
    const volatile int *cancel;
} exporting;

static gs_code write_bytes(void *context, const void *data, size_t bytes, gs_status *st)
{
    exporting *const e = context;
    return gs_output_write(e->output, data, bytes, &e->written, st);
}

/* An index of one segment. */
static gs_code export_index(void *context, const char *folder, gs_status *st)
{
    exporting *const e = context;
    gs_index *index = NULL;
    gs_text_out out = {0};
    GS_TRY_OR_FAIL(gs_index_open(&index, folder, st));
    GS_TRY_OR_FAIL(gs_index_check_sums(index, st));
    GS_TRY_OR_FAIL(gs_output_open(&e->output, e->name, NULL, st));
    GS_TRY_OR_FAIL(gs_text_out_open(&out, write_bytes, e, st));
    GS_TRY_OR_FAIL(gs_ciff_write(index, &out, e->cancel, st));
    GS_TRY_OR_FAIL(gs_index_check_unchanged(index, st));
    GS_NOTED(gs_output_commit(e->output, e->written, true, st));
fail:
    gs_text_out_release(&out);
    gs_output_free(e->output);
    e->output = NULL;
    gs_index_close(index);
    return st->code;
}

/* One of several segments is merged first, where temporary files lie. */
static gs_code export_whole(const char *folder, exporting *e, const gs_api_job *running,
                            gs_status *st)
{
    char beside[GS_INDEX_PATH_BYTES];
    const gpusort_job *const job = running->job;
    const char *const place =
        job->temp_folder_count > 0 ? job->temp_folders[0] : gs_temp_folder();
    const gs_index_merge_options whole = {
        .folder = beside,
        .memory_bytes = job->memory_bytes,
        .threads = job->threads,
        .cancel_signal = &running->cancel,
    };
    if (snprintf(beside, sizeof beside, "%s/gpusort-export", place) >= (int)sizeof beside)
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "a folder for temporary files with a name of "
                       "more than %d bytes",
                       GS_INDEX_PATH_BYTES);
    return gs_whole_index(&whole, folder, export_index, e, st);
}

gpusort_code gpusort_index_export(const char *folder, const char *output,
                                  const gpusort_job *job, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gs_api_job running;
    if (gs_api_job_open(&running, job, &st) == GS_OK) {
        exporting e = {.name = output, .cancel = &running.cancel};
        running.stats->index.method = "export";
        GS_NOTED(export_whole(folder, &e, &running, &st));
        gs_api_job_close(&running);
    }
    return gs_api_result(&st, error);
}
