/* SPDX-License-Identifier: MIT */
#include "lib/index/write/unique_names.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/index/write/name_check.h"

enum { NAME_SHOWN_BYTES = 60 };

/* What is looked at: names in a range of hashes. */
typedef struct search {
    const gs_index *index;
    gs_name_check names;
    gs_document_name one, other;
} search;

static gs_code are_same(void *context, uint64_t a, uint64_t b, bool *out, gs_status *st)
{
    search *const s = context;
    GS_TRY(gs_index_document_name(s->index, a, &s->one, st));
    GS_TRY(gs_index_document_name(s->index, b, &s->other, st));
    *out = s->one.bytes == s->other.bytes &&
           (s->one.bytes == 0 || memcmp(s->one.text, s->other.text, s->one.bytes) == 0);
    return GS_OK;
}

static gs_code take_names(search *s, gs_status *st)
{
    gs_document_cursor at = {0};
    GS_NOTED(gs_document_cursor_open(&at, s->index, st));
    while (st->code == GS_OK && gs_document_cursor_next(&at, st) == GS_OK &&
           at.has_document)
        GS_NOTED(gs_name_check_add(&s->names, at.name, at.name_bytes, st));
    gs_document_cursor_close(&at);
    return st->code;
}

static gs_code refuse(search *s, const gs_repeated_names *found, gs_status *st)
{
    char name[NAME_SHOWN_BYTES + 1] = "";
    gs_quoted quoted;
    GS_TRY(gs_index_document_name(s->index, found->first, &s->one, st));
    memcpy(name, s->one.text,
           s->one.bytes < NAME_SHOWN_BYTES ? s->one.bytes : NAME_SHOWN_BYTES);
    (void)GS_FAIL(st, GS_ERR_FORMAT, 0, "documents %llu and %llu have the same name, %s",
                  (unsigned long long)gs_index_doc_id(s->index, found->first),
                  (unsigned long long)gs_index_doc_id(s->index, found->again),
                  gs_quote_argument(&quoted, name));
    return gs_status_hint(st, "without --unique-ids all are kept");
}

/* All ranges of hashes whose upper bits are told apart; *is_full: of one there were too
 * many, and a closer look is needed. */
static gs_code look(search *s, unsigned bits, bool *is_full, gs_status *st)
{
    *is_full = false;
    for (uint64_t range = 0; range >> bits == 0; range++) {
        gs_repeated_names found;
        gs_name_check_begin(&s->names, bits, range);
        GS_TRY(take_names(s, st));
        GS_TRY(gs_name_check_find(&s->names, are_same, s, &found, st));
        if (found.count > 0)
            return refuse(s, &found, st);
        *is_full |= s->names.is_full;
    }
    return GS_OK;
}

gs_code gs_unique_names_check(const gs_index *index, size_t names_max, gs_status *st)
{
    const uint64_t documents = gs_index_header_of(index)->documents;
    search s = {.index = index, .names = {.names_max = names_max}};
    unsigned bits = 0;
    bool is_full = true;
    while (documents >> bits > names_max)
        bits++;
    for (; st->code == GS_OK && is_full; bits++)
        GS_NOTED(look(&s, bits, &is_full, st));
    gs_name_check_release(&s.names);
    gs_document_name_release(&s.one);
    gs_document_name_release(&s.other);
    return st->code;
}
