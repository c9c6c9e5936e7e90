/* SPDX-License-Identifier: MIT */
#include "lib/index/build/bad_documents.h"

#include <stdatomic.h>

#include "lib/base/quote.h"

enum { TOLD_MAX = 10 };

static gs_code tell(gs_bad_documents *b, const gs_bad_place *place,
                    const gs_bad_document *bad, gs_status *st)
{
    const gs_index_build_options *const o = b->build;
    const unsigned long long line = place->first_line + bad->line + 1;
    const uint64_t count = ++b->count;
    if (o->skip_bad)
        atomic_store(&o->stats->skipped, count);
    if (count > TOLD_MAX)
        return GS_OK;
    gs_quoted name;
    gs_document_story story;
    (void)gs_quote_name(&name, o->inputs[place->input_index]);
    gs_document_explain(place->document, place->batch, bad, &story);
    if (!o->skip_bad) {
        (void)GS_FAIL(st, GS_ERR_FORMAT, 0, "%s:%llu: %s", name.text, line, story.why);
        return gs_status_hint(st, story.hint);
    }
    gs_log_say(o->log, GS_LOG_WARNING, "%s:%llu: left out: %s", name.text, line,
               story.why);
    return GS_OK;
}

gs_code gs_bad_documents_tell(gs_bad_documents *b, const gs_bad_place *place,
                              const gs_bad_document *bad, size_t count, gs_status *st)
{
    for (size_t i = 0; i < count; i++)
        GS_TRY(tell(b, place, &bad[i], st));
    return GS_OK;
}

void gs_bad_documents_sum_up(const gs_bad_documents *b)
{
    if (b->count > TOLD_MAX)
        gs_log_say(b->build->log, GS_LOG_WARNING,
                   "%llu were left out, the first %d of them told here",
                   (unsigned long long)b->count, TOLD_MAX);
}
