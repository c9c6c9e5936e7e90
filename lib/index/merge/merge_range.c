/* SPDX-License-Identifier: MIT */
#include "lib/index/merge/merge_range.h"

#include <string.h>

#include "lib/base/quote.h"
#include "lib/sort/record/records.h"

static const char join_hint[] =
    "what is joined was merged of the same indexes, each time "
    "with another --from-term and --to-term";

static gs_code make_bound(gs_term_bound *bound, const char *option, const char *term,
                          gs_status *st)
{
    const size_t bytes = term != NULL ? strlen(term) : 0;
    *bound = (gs_term_bound){0};
    if (bytes > GS_TERM_BOUND_BYTES)
        return GS_FAIL(
            st, GS_ERR_ARG, 0,
            "%s has %zu bytes; the first %d of a term are enough, and all that "
            "there may be",
            option, bytes, GS_TERM_BOUND_BYTES);
    bound->bytes = (uint8_t)bytes;
    if (bytes > 0)
        memcpy(bound->term, term, bytes);
    return GS_OK;
}

gs_code gs_merge_range_make(const gs_index_merge_options *options, gs_term_bound *from,
                            gs_term_bound *to, gs_status *st)
{
    gs_quoted a, b;
    GS_TRY(make_bound(from, "--from-term", options->from_term, st));
    GS_TRY(make_bound(to, "--to-term", options->to_term, st));
    if (to->bytes == 0 ||
        gs_string_compare(from->term, from->bytes, to->term, to->bytes, 0) < 0)
        return GS_OK;
    return GS_FAIL(st, GS_ERR_ARG, 0, "no term comes from %s on and before %s",
                   gs_quote_argument(&a, options->from_term ? options->from_term : ""),
                   gs_quote_argument(&b, options->to_term));
}

static bool has_same_documents(const gs_index_header *a, const gs_index_header *b)
{
    for (int i = 0; i < GS_INDEX_FILE_COUNT; i++) {
        if (gs_index_file_is_of_documents((gs_index_file)i) &&
            (a->file_bytes[i] != b->file_bytes[i] || a->file_sums[i] != b->file_sums[i]))
            return false;
    }
    return a->documents == b->documents && a->doc_bound == b->doc_bound &&
           a->doc_base == b->doc_base;
}

gs_code gs_merge_range_check_documents(gs_index *const *indexes, size_t i, gs_status *st)
{
    const gs_index_header *const a = gs_index_header_of(indexes[0]);
    const gs_index_header *const b = gs_index_header_of(indexes[i]);
    gs_quoted q, r;
    if (has_same_documents(a, b))
        return GS_OK;
    (void)GS_FAIL(st, GS_ERR_ARG, 0, "%s has other documents than %s",
                  gs_quote_name_always(&q, gs_index_folder_of(indexes[i])),
                  gs_quote_name_always(&r, gs_index_folder_of(indexes[0])));
    return gs_status_hint(st, join_hint);
}

gs_code gs_merge_range_fail_twice(const gs_term_merge *terms, gs_status *st)
{
    enum { SHOWN_BYTES = 62 };
    const size_t *const sources = gs_term_merge_sources(terms);
    const gs_term_cursor *const a = gs_term_merge_cursor(terms, sources[0]);
    const gs_term_cursor *const b = gs_term_merge_cursor(terms, sources[1]);
    char term[SHOWN_BYTES + 1] = "";
    gs_quoted q, r, t;
    memcpy(term, a->term, a->bytes < SHOWN_BYTES ? a->bytes : SHOWN_BYTES);
    (void)GS_FAIL(st, GS_ERR_ARG, 0, "the term %s is both in %s and in %s",
                  gs_quote_argument(&t, term),
                  gs_quote_name_always(&q, gs_index_folder_of(a->index)),
                  gs_quote_name_always(&r, gs_index_folder_of(b->index)));
    return gs_status_hint(st, join_hint);
}
