/* SPDX-License-Identifier: MIT */
#include "lib/index/merge/merge_inputs.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/base/quote.h"
#include "lib/index/merge/merge_range.h"

/* --- do they go together? ----------------------------------------------------------- */

/* "'b' has X, but 'a' has not" */
static gs_code refuse(const gs_merge_inputs *in, size_t i, const char *has,
                      const char *but, const char *hint, gs_status *st)
{
    gs_quoted a, b;
    (void)GS_FAIL(st, GS_ERR_ARG, 0, "%s %s, but %s %s",
                  gs_quote_name_always(&b, in->options->inputs[i]), has,
                  gs_quote_name_always(&a, in->options->inputs[0]), but);
    return gs_status_hint(st, hint);
}

static gs_code check_alike(const gs_merge_inputs *in, size_t i, gs_status *st)
{
    const gs_index_header *const a = gs_merge_inputs_header(in, 0),
                                 *const b = gs_merge_inputs_header(in, i);
    const char *const a_rules = a->tokenizer ? a->tokenizer : "{}";
    const char *const b_rules = b->tokenizer ? b->tokenizer : "{}";
    if (a->has_names != b->has_names)
        return refuse(in, i,
                      b->has_names ? "was made of documents" : "was made of tuples",
                      a->has_names ? "of documents" : "of tuples",
                      "documents have names and lengths, tuples only numbers", st);
    if (a->has_positions != b->has_positions)
        return refuse(in, i, b->has_positions ? "has positions" : "has no positions",
                      a->has_positions ? "has them" : "has none",
                      "build both with --positions, or both without", st);
    if (a->has_texts != b->has_texts)
        return refuse(in, i, b->has_texts ? "has stored texts" : "has no stored texts",
                      a->has_texts ? "has them" : "has none",
                      "build both with --store, or both without", st);
    if (a->has_impacts != b->has_impacts)
        return refuse(in, i, b->has_impacts ? "has weights of terms" : "has frequencies",
                      a->has_impacts ? "has weights of terms" : "has frequencies",
                      "sums of weights and BM25 do not make one ranking", st);
    if (strcmp(a_rules, b_rules) != 0)
        return refuse(in, i, "made terms by its rules", "by others",
                      "compare `gpusort index info' of both, and build with the same "
                      "options",
                      st);
    return GS_OK;
}

static bool has_base(const gs_merge_inputs *in)
{
    for (size_t i = 0; i < in->options->input_count; i++) {
        if (gs_merge_inputs_header(in, i)->doc_base > 0)
            return true;
    }
    return false;
}

/* The input that has the first documents, if there are any, and which of the segments is
 * its first. */
static size_t find_first(const gs_merge_inputs *in, size_t *segment)
{
    size_t at = 0;
    for (size_t k = 0; k < in->asked->input_count; k++) {
        *segment = at;
        if (in->sets[k]->documents > 0)
            return k;
        at += in->sets[k]->count;
    }
    *segment = 0;
    return 0;
}

uint64_t gs_merge_inputs_base(const gs_merge_inputs *in)
{
    size_t segment;
    (void)find_first(in, &segment);
    return gs_merge_inputs_header(in, segment)->doc_base;
}

static gs_code fail_base(const gs_merge_inputs *in, size_t input, uint64_t here,
                         uint64_t wanted, gs_status *st)
{
    gs_quoted q;
    (void)GS_FAIL(st, GS_ERR_ARG, 0,
                  "%s begins at docID %llu, and what comes before it ends before %llu",
                  gs_quote_name_always(&q, in->asked->inputs[input]),
                  (unsigned long long)here, (unsigned long long)wanted);
    return gs_status_hint(st, "name indexes in the order of their docIDs, or number "
                              "documents anew with --doc-ids=shift");
}

/* docIDs that were given out stay what they are where indexes follow each other in them.
 * Of an index that has grown the first segment says where they begin
 * (lib/index/format/index_manifest.h). */
static gs_code check_bases(const gs_merge_inputs *in, gs_status *st)
{
    const gs_merge_ids ids = in->options->ids;
    if (in->keeps_ids || in->options->joins_terms || ids == GS_MERGE_IDS_SHIFT ||
        (ids == GS_MERGE_IDS_AUTO && !has_base(in)))
        return GS_OK;
    size_t segment;
    for (size_t k = find_first(in, &segment); k < in->asked->input_count; k++) {
        const uint64_t here = gs_merge_inputs_header(in, segment)->doc_base;
        const uint64_t wanted = gs_merge_inputs_base(in) + in->shifts[segment];
        if (in->sets[k]->documents > 0 && here != wanted)
            return fail_base(in, k, here, wanted, st);
        segment += in->sets[k]->count;
    }
    return GS_OK;
}

static gs_code count_documents(gs_merge_inputs *in, gs_status *st)
{
    for (size_t i = 0; i < in->options->input_count; i++) {
        const uint64_t here =
            gs_merge_inputs_header(in, i)->documents - in->deleted[i]->head.deleted;
        if (in->options->joins_terms && i > 0) { /* has the same */
            GS_TRY(gs_merge_range_check_documents(in->indexes, i, st));
            continue;
        }
        in->shifts[i] = in->documents;
        if (in->keeps_ids)
            in->documents = here > in->documents ? here : in->documents;
        else if (here > GS_INDEX_DOCS_MAX - in->documents)
            return GS_FAIL(st, GS_ERR_LIMIT, 0, "more than 2^40 documents in all");
        else
            in->documents += here;
    }
    return check_bases(in, st);
}

/* A share of a merge is one index as it was made. */
static gs_code fail_grown(const gs_merge_inputs *in, size_t input, gs_status *st)
{
    gs_quoted q;
    (void)GS_FAIL(st, GS_ERR_ARG, 0, "%s has grown, and is no share of a merge",
                  gs_quote_name_always(&q, in->asked->inputs[input]));
    return gs_status_hint(st, "gpusort index compact makes it one index again");
}

/* --- opening ------------------------------------------------------------------------ */

/* Their segments, one after the other. */
static gs_code list_segments(gs_merge_inputs *in, gs_index_merge_options *own,
                             gs_status *st)
{
    const gs_index_merge_options *const asked = in->asked;
    size_t count = 0;
    for (size_t i = 0; i < asked->input_count; i++)
        count += in->sets[i]->count;
    GS_TRY(gs_mem_new_array(&in->indexes, count, sizeof(gs_index *), "indexes", st));
    GS_TRY(gs_mem_new_array(&in->deleted, count, sizeof *in->deleted, "indexes", st));
    GS_TRY(gs_mem_new_array(&in->names, count, sizeof *in->names, "indexes", st));
    GS_TRY(gs_mem_new_array(&in->shifts, count, sizeof *in->shifts, "indexes", st));
    own->input_count = 0;
    for (size_t i = 0; i < asked->input_count; i++) {
        const gs_segments *const set = in->sets[i];
        if (asked->joins_terms && !set->is_plain)
            return fail_grown(in, i, st);
        const size_t end = asked->segment_to > 0 ? asked->segment_to : set->count;
        gs_assert(end <= set->count);
        for (size_t k = asked->segment_from; k < end; k++) {
            in->indexes[own->input_count] = set->items[k].index;
            in->deleted[own->input_count] = &set->items[k].deleted;
            in->names[own->input_count++] = gs_index_folder_of(set->items[k].index);
        }
    }
    own->inputs = in->names;
    return GS_OK;
}

gs_code gs_merge_inputs_open(gs_merge_inputs *in, const gs_index_merge_options *asked,
                             gs_index_merge_options *own, gs_status *st)
{
    const gs_index_merge_options *const o = own;
    *in = (gs_merge_inputs){.asked = asked, .options = own};
    GS_TRY(gs_mem_new_array(&in->sets, o->input_count, sizeof(gs_segments *), "indexes",
                            st));
    for (size_t i = 0; i < o->input_count; i++)
        GS_TRY(gs_segments_open(&in->sets[i], o->inputs[i], st));
    GS_TRY(list_segments(in, own, st));
    for (size_t i = 0; i < o->input_count; i++)
        GS_TRY(check_alike(in, i, st));
    const bool is_tuples = !gs_merge_inputs_header(in, 0)->has_names;
    in->keeps_ids = is_tuples && o->ids != GS_MERGE_IDS_SHIFT && !o->joins_terms;
    if (in->keeps_ids && gs_merge_inputs_header(in, 0)->has_positions)
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "docIDs cannot be kept where there are positions");
    if (o->unique_ids && is_tuples)
        return GS_FAIL(st, GS_ERR_ARG, 0,
                       "--unique-ids: documents of tuples have numbers, not names");
    return count_documents(in, st);
}

void gs_merge_inputs_release(gs_merge_inputs *in)
{
    for (size_t i = 0; in->sets != NULL && i < in->asked->input_count; i++)
        gs_segments_close(in->sets[i]);
    gs_mem_free(in->sets);
    gs_mem_free(in->indexes);
    gs_mem_free(in->deleted);
    gs_mem_free(in->names);
    gs_mem_free(in->shifts);
    *in = (gs_merge_inputs){0};
}
