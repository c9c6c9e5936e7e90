/* SPDX-License-Identifier: MIT */
#include "lib/index/build/fill_report.h"

#include "lib/base/quote.h"

enum { LONE_LINES_MIN = 10 };

static void tell_documents(const gs_fill_report *r)
{
    if (r->documents == 0)
        gs_log_say(r->build->log, GS_LOG_WARNING,
                   r->build->rules_json != NULL
                       ? "there are no documents: nothing is appended"
                       : "there are no documents: the index is empty");
    gs_bad_documents_sum_up(r->bad);
    if (r->left_out > 0)
        gs_log_say(r->build->log, GS_LOG_INFO,
                   "%llu records of archives hold no text of a page and were left out",
                   (unsigned long long)r->left_out);
    if (r->shapes != NULL)
        gs_document_shapes_tell(r->shapes);
}

static void tell_long_words(const gs_fill_report *r)
{
    const gs_left_words *const words = &r->long_words;
    gs_quoted name;
    if (words->count > 0)
        gs_log_say(r->build->log, GS_LOG_WARNING,
                   "%llu %s of more than %d bytes left out, the first in document %s",
                   (unsigned long long)words->count, words->count == 1 ? "word" : "words",
                   GS_TERM_BYTES_MAX, gs_quote_argument(&name, words->first_name));
}

/* Who writes 2 for 2.0 has whole numbers among others, and means no more by them. */
static void tell_mixed_weights(const gs_fill_report *r)
{
    const gs_weight_counts *const w = &r->weights;
    if (r->build->document.weight_scale == 0 && w->whole > 0 && w->decimal > 0)
        gs_log_say(r->build->log, GS_LOG_WARNING,
                   "whole numbers among the weights (%llu) are taken as they are, others "
                   "(%llu) times %d: --weight-scale=N takes all of them times N",
                   (unsigned long long)w->whole, (unsigned long long)w->decimal,
                   GS_WEIGHT_SCALE);
}

/* A file of many lines that became one document may have been meant otherwise. */
static void tell_lone_text(const gs_fill_report *r)
{
    const gs_index_build_options *const o = r->build;
    gs_quoted name;
    if (r->shapes == NULL || o->document.format != GS_FORMAT_ANY || o->input_count != 1 ||
        o->inputs_found != NULL || r->documents != 1 || r->lines < LONE_LINES_MIN ||
        gs_document_shape_of(r->shapes, 0).format != GS_FORMAT_TEXT)
        return;
    gs_log_say(o->log, GS_LOG_WARNING,
               "%s: its %llu lines are one document, as --format=text has it; "
               "others make one of each line, as --format=tsv does of name, TAB and "
               "text",
               gs_quote_name(&name, o->inputs[0]), (unsigned long long)r->lines);
}

void gs_fill_report_tell(const gs_fill_report *r)
{
    tell_documents(r);
    tell_long_words(r);
    tell_mixed_weights(r);
    tell_lone_text(r);
}
