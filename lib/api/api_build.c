/* SPDX-License-Identifier: MIT */
/*
 * Indexes: to build them.
 */
#include "lib/api/api_build.h"

#include <string.h>

#include "lib/api/api_call.h"
#include "lib/api/api_job.h"

static gs_code take_format(gs_document_options *d, const gpusort_build_options *asked,
                           gs_status *st)
{
    const char *const wanted = asked->format;
    unsigned format = 0;
    d->format = GS_FORMAT_ANY;
    if (wanted == NULL)
        return GS_OK;
    while (format < GS_FORMAT_COUNT &&
           strcmp(gs_document_format_name((gs_document_format)format), wanted) != 0)
        format++;
    d->format = (gs_document_format)format;
    return format < GS_FORMAT_COUNT
               ? GS_OK
               : GS_FAIL(st, GS_ERR_ARG, 0, "no known format: '%.100s'", wanted);
}

gs_code gs_api_build_make(gs_index_build_options *out, const gpusort_build_options *asked,
                          gs_status *st)
{
    const gpusort_job *const job = &asked->job;
    const bool takes_usual = asked->text_field_count == 0;
    *out = (gs_index_build_options){
        .folder = asked->folder,
        .replace = asked->replaces != 0,
        .inputs = asked->inputs,
        .input_count = asked->input_count,
        .document = {.id_field = asked->id_field,
                     .text_fields =
                         takes_usual ? gs_usual_text_fields : asked->text_fields,
                     .text_field_count =
                         takes_usual ? (size_t)GS_USUAL_TEXTS : asked->text_field_count,
                     .takes_usual_texts = takes_usual},
        .skip_bad = asked->skips_bad != 0,
        .words = {.is_folding = !asked->keeps_case,
                  .stem_language = asked->stem_language,
                  .stop_file = asked->stop_words},
        .has_positions = asked->has_positions != 0,
        .memory_bytes = job->memory_bytes,
        .threads = job->threads,
        .temp_folders = job->temp_folders,
        .temp_folder_count = job->temp_folder_count,
        .checkpoint = asked->checkpoint,
        .no_uring = (job->flags & GPUSORT_NO_URING) != 0,
        .sorter = {.engine = job->engine,
                   .gpu_memory_bytes = job->gpu_memory_bytes,
                   .gpus = job->gpus,
                   .gpu_count = job->gpu_count},
    };
    if (asked->folder == NULL || asked->input_count == 0)
        return GS_FAIL(st, GS_ERR_ARG, 0, "a build needs a folder and an input");
    if (out->document.text_field_count > GS_TEXT_FIELDS_MAX)
        return GS_FAIL(st, GS_ERR_ARG, 0, "more than %d text fields", GS_TEXT_FIELDS_MAX);
    GS_TRY(take_format(&out->document, asked, st));
    if (gs_document_format_is_tuples(out->document.format) &&
        (asked->has_positions || asked->stem_language != NULL ||
         asked->stop_words != NULL))
        return GS_FAIL(st, GS_ERR_ARG, 0, "terms of tuples are taken as they are");
    return GS_OK;
}

static gs_code build(const gpusort_build_options *asked, gs_status *st)
{
    gs_api_job running;
    gs_index_build_options o;
    GS_TRY(gs_api_build_make(&o, asked, st));
    GS_TRY(gs_api_job_open(&running, &asked->job, st));
    o.stats = &running.stats->index;
    o.trace = running.stats->trace;
    o.log = &running.log;
    o.cancel_signal = &running.cancel;
    GS_NOTED(gs_index_build(&o, st));
    gs_api_job_close(&running);
    return st->code;
}

gpusort_code gpusort_index_build(const gpusort_build_options *options,
                                 gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gpusort_build_options asked = {0};
    if (gs_api_take_options(&asked, sizeof asked, options, &st) == GS_OK)
        GS_NOTED(build(&asked, &st));
    return gs_api_result(&st, error);
}
