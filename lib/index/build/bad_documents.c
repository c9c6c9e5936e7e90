/* SPDX-License-Identifier: MIT */
#include "lib/index/build/bad_documents.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

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

gs_code gs_bad_documents_refuse_long(const gs_bad_documents *b, const gs_bad_place *place,
                                     size_t bytes_max, gs_status *st)
{
    enum { NAME_TOLD_MAX = 200, MIB = 1 << 20, SHARE = 4 };
    const gs_line_batch *const batch = place->batch;
    const char *const file_name = b->build->inputs[batch->input_index];
    const uint64_t mib = (batch->cut_bytes * SHARE + MIB - 1) / MIB;
    gs_quoted file, quoted;
    gs_text_span found;
    uint64_t lines;
    char name[NAME_TOLD_MAX + 1] = "", line[40] = "", advice[40] = "";
    const bool is_file = gs_document_is_file(place->document);
    if (gs_document_find_name(place->document, batch, file_name, &found, &lines) &&
        !is_file)
        memcpy(name, found.data,
               found.bytes < NAME_TOLD_MAX ? found.bytes : NAME_TOLD_MAX);
    if (!is_file)
        (void)snprintf(line, sizeof line, " line %llu:",
                       (unsigned long long)(place->first_line + lines + 1));
    const bool is_hopeless =
        batch->cut_goes_on || batch->cut_bytes > GS_DOCUMENT_BYTES_MAX;
    if (!is_hopeless)
        (void)snprintf(advice, sizeof advice, "; with -S %lluM it would do",
                       (unsigned long long)mib);
    (void)GS_FAIL(st, GS_ERR_LIMIT, 0,
                  "%s:%s the document%s%s has %s%llu bytes, and may have %zu%s",
                  gs_quote_name(&file, file_name), line, name[0] != '\0' ? " " : "",
                  name[0] != '\0' ? gs_quote_name_always(&quoted, name) : "",
                  batch->cut_goes_on ? "more than " : "",
                  (unsigned long long)batch->cut_bytes, bytes_max, advice);
    return is_hopeless ? gs_status_hint(st, "look whether --format is right: none may "
                                            "have more than 2 GiB")
                       : st->code;
}

void gs_bad_documents_sum_up(const gs_bad_documents *b)
{
    if (b->count > TOLD_MAX)
        gs_log_say(b->build->log, GS_LOG_WARNING,
                   "%llu were left out, the first %d of them told here",
                   (unsigned long long)b->count, TOLD_MAX);
}
