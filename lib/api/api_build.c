/* SPDX-License-Identifier: MIT */
/*
 * Indexes: to build them.
 */
#include "lib/api/api_build.h"

#include <string.h>

#include "lib/api/api_call.h"
#include "lib/api/api_job.h"

_Static_assert((int)GPUSORT_AUTO == (int)GS_INDEX_AUTO &&
                   (int)GPUSORT_BSBI == (int)GS_INDEX_BSBI &&
                   (int)GPUSORT_SPIMI == (int)GS_INDEX_SPIMI &&
                   (int)GPUSORT_TEXT_FIELDS_MAX == (int)GS_TEXT_FIELDS_MAX,
               "the methods and limits of others are ours");

const char *gpusort_format_name(size_t i)
{
    return i < GS_FORMAT_COUNT ? gs_document_format_name((gs_document_format)i) : NULL;
}

const char *gpusort_tokenizer_name(size_t i)
{
    return i < GS_WORD_KINDS ? gs_word_kind_name((gs_word_kind)i) : NULL;
}

/* The number of a name, of which there are so many. */
static gs_code take_name(unsigned *out, const char *(*name)(size_t i), const char *wanted,
                         const char *what, gs_status *st)
{
    size_t i = 0;
    while (name(i) != NULL && strcmp(name(i), wanted) != 0)
        i++;
    *out = (unsigned)i;
    return name(i) != NULL
               ? GS_OK
               : GS_FAIL(st, GS_ERR_ARG, 0, "no known %s: '%.100s'", what, wanted);
}

static gs_code take_names(gs_index_build_options *out, const gpusort_build_options *asked,
                          gs_status *st)
{
    unsigned number = 0;
    out->document.format = GS_FORMAT_ANY;
    if (asked->format != NULL) {
        GS_TRY(take_name(&number, gpusort_format_name, asked->format, "format", st));
        out->document.format = (gs_document_format)number;
    }
    number = 0;
    if (asked->tokenizer != NULL)
        GS_TRY(take_name(&number, gpusort_tokenizer_name, asked->tokenizer, "tokenizer",
                         st));
    out->words.kind = (gs_word_kind)number;
    return GS_OK;
}

/* Terms that come as such are taken as they are, and have no text. */
static gs_code check_format(const gpusort_build_options *asked, gs_document_format format,
                            gs_word_kind kind, gs_status *st)
{
    const bool is_tuples = gs_document_format_is_tuples(format);
    const bool has_word_rules = asked->stem_language != NULL ||
                                asked->stop_words != NULL || kind != 0 ||
                                asked->min_len != 0 || asked->max_len != 0;
    if ((is_tuples || format == GS_FORMAT_VECTORS) &&
        (asked->has_positions || has_word_rules))
        return GS_FAIL(st, GS_ERR_ARG, 0, "terms of %s are taken as they are",
                       is_tuples ? "tuples" : "vectors");
    if (is_tuples && (asked->has_texts || asked->reorders || asked->unique_names ||
                      asked->doc_base != 0))
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "tuples have docIDs, and neither texts nor names");
    if (asked->weight_scale != 0 &&
        (!(asked->weight_scale >= 1e-9 && asked->weight_scale <= 1e9) ||
         (format != GS_FORMAT_ANY && format != GS_FORMAT_VECTORS)))
        return GS_FAIL(st, GS_ERR_ARG, 0, "a scale is of weights, and from 1e-9 to 1e9");
    return GS_OK;
}

static gs_code check(const gpusort_build_options *asked, gs_status *st)
{
    if (asked->folder == NULL || asked->input_count == 0)
        return GS_FAIL(st, GS_ERR_ARG, 0, "a build needs a folder and an input");
    if (asked->text_field_count > GS_TEXT_FIELDS_MAX)
        return GS_FAIL(st, GS_ERR_ARG, 0, "more than %d text fields", GS_TEXT_FIELDS_MAX);
    if ((unsigned)asked->method > GPUSORT_SPIMI)
        return GS_FAIL(st, GS_ERR_ARG, 0, "no known method: %d", (int)asked->method);
    if (asked->max_len != 0 && asked->min_len > asked->max_len)
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "words of at least %zu and at most %zu characters", asked->min_len,
                       asked->max_len);
    if (asked->doc_base >= GS_INDEX_DOCS_MAX)
        return GS_FAIL(st, GS_ERR_ARG, 0, "docIDs are below 2^40");
    if (asked->checkpoint != NULL && (asked->has_texts || asked->reorders))
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "a checkpoint keeps neither texts nor an order");
    return GS_OK;
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
        .inputs_found = asked->inputs_found,
        .document = {.id_field = asked->id_field,
                     .text_fields =
                         takes_usual ? gs_usual_text_fields : asked->text_fields,
                     .text_field_count =
                         takes_usual ? (size_t)GS_USUAL_TEXTS : asked->text_field_count,
                     .takes_usual_texts = takes_usual,
                     .weight_scale = asked->weight_scale},
        .doc_base = asked->doc_base,
        .skip_bad = asked->skips_bad != 0,
        .unique_ids = asked->unique_names != 0,
        .words = {.is_folding = !asked->keeps_case,
                  .stem_language = asked->stem_language,
                  .stop_file = asked->stop_words,
                  .min_len = asked->min_len,
                  .max_len = asked->max_len},
        .has_positions = asked->has_positions != 0,
        .has_texts = asked->has_texts != 0,
        .reorders = asked->reorders != 0,
        .method = (gs_index_method)asked->method,
        .memory_bytes = job->memory_bytes,
        .threads = job->threads,
        .batch_size = asked->batch_size,
        .temp_folders = job->temp_folders,
        .temp_folder_count = job->temp_folder_count,
        .checkpoint = asked->checkpoint,
        .no_uring = (job->flags & GPUSORT_NO_URING) != 0,
        .keep_compressed = asked->keeps_packed != 0,
        .sorter = {.engine = job->engine,
                   .gpu_memory_bytes = job->gpu_memory_bytes,
                   .gpus = job->gpus,
                   .gpu_count = job->gpu_count},
    };
    GS_TRY(check(asked, st));
    GS_TRY(take_names(out, asked, st));
    return check_format(asked, out->document.format, out->words.kind, st);
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
