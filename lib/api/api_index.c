/* SPDX-License-Identifier: MIT */
/*
 * Indexes: to open them, to look terms up and to search.
 */
#include <string.h>

#include "lib/api/api_call.h"
#include "lib/base/mem.h"
#include "lib/index/build/builds.h"
#include "lib/index/query/queries.h"

/* --- an open index ------------------------------------------------------------------ */

struct gpusort_index {
    gs_segments *segments;
    gs_word_rules *rules;
    gs_doc_presence *presence;
};

gpusort_code gpusort_index_open(gpusort_index **out, const char *folder,
                                gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gpusort_index *index = NULL;
    *out = NULL;
    if (gs_mem_new(&index, sizeof *index, "index", &st) == GS_OK &&
        gs_segments_open(&index->segments, folder, &st) == GS_OK &&
        gs_doc_presence_new(&index->presence, index->segments->items[0].index, &st) ==
            GS_OK) {
        const char *const words = gs_segments_header(index->segments)->tokenizer;
        if (words != NULL)
            GS_NOTED(gs_word_rules_read(&index->rules, words, &st));
    }
    if (st.code == GS_OK)
        *out = index;
    else
        gpusort_index_close(index);
    return gs_api_result(&st, error);
}

void gpusort_index_close(gpusort_index *index)
{
    if (index == NULL)
        return;
    gs_word_rules_free(index->rules);
    gs_doc_presence_free(index->presence);
    gs_segments_close(index->segments);
    gs_mem_free(index);
}

void gpusort_index_describe(const gpusort_index *index, gpusort_index_info *info)
{
    const gs_segments *const s = index->segments;
    gpusort_index_info all = {
        .size = info->size,
        .documents = s->documents,
        .has_positions = gs_segments_header(s)->has_positions,
        .has_names = gs_segments_header(s)->has_names,
    };
    for (size_t i = 0; i < s->count; i++) {
        const gs_index_header *const h = gs_index_header_of(s->items[i].index);
        all.terms += h->terms;
        all.postings += h->postings;
        all.tokens += h->tokens;
    }
    memcpy(info, &all, info->size < sizeof all ? info->size : sizeof all);
}

static gs_code find_name(const gpusort_index *index, uint64_t document,
                         gs_document_name *name, gs_status *st)
{
    const uint64_t documents = index->segments->documents;
    if (document >= documents)
        return GS_FAIL(st, GS_ERR_ARG, 0, "document %llu of %llu",
                       (unsigned long long)document, (unsigned long long)documents);
    GS_TRY(gs_segments_name(index->segments, document, name, st));
    return gs_segments_check_unchanged(index->segments, st);
}

gpusort_code gpusort_index_name(const gpusort_index *index, uint64_t document, char *name,
                                size_t room, size_t *bytes, gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    gs_document_name made = {0};
    *bytes = 0;
    if (find_name(index, document, &made, &st) == GS_OK && made.bytes > 0) {
        *bytes = made.bytes;
        memcpy(name, made.text, made.bytes < room ? made.bytes : room);
    }
    gs_document_name_release(&made);
    return gs_api_result(&st, error);
}

/* --- lookup ------------------------------------------------------------------------- */

static gs_code read_list(gs_segment_terms *terms, gs_segment_postings *list,
                         gpusort_postings *out, gs_status *st)
{
    uint64_t df, cf, doc, tf;
    GS_TRY(gs_segment_terms_count(terms, &df, &cf, st));
    const size_t count = (size_t)df;
    if (count == 0) /* of what had the term nothing is left */
        return GS_OK;
    GS_TRY(
        gs_mem_new_array(&out->documents, count, sizeof *out->documents, "postings", st));
    GS_TRY(gs_mem_new_array(&out->frequencies, count, sizeof *out->frequencies,
                            "postings", st));
    gs_segment_postings_begin(list, terms);
    for (;;) {
        GS_TRY(gs_segment_postings_next(list, &doc, &tf, st));
        if (doc == GS_NO_DOC || out->count == count)
            return GS_OK;
        out->documents[out->count] = doc;
        out->frequencies[out->count++] = (uint32_t)tf;
    }
}

static gs_code look_up(const gs_segments *index, const void *term, size_t bytes,
                       gpusort_postings *out, gs_status *st)
{
    gs_segment_terms *terms = NULL;
    gs_segment_postings *list = NULL;
    if (gs_segment_terms_new(&terms, index, st) == GS_OK &&
        gs_mem_new(&list, sizeof *list, "posting list", st) == GS_OK &&
        gs_segment_terms_seek(terms, term, bytes, st) == GS_OK &&
        gs_segment_terms_is_at(terms, term, bytes))
        GS_NOTED(read_list(terms, list, out, st));
    if (st->code == GS_OK)
        GS_NOTED(gs_segments_check_unchanged(index, st));
    if (list != NULL)
        gs_segment_postings_release(list);
    gs_mem_free(list);
    gs_segment_terms_free(terms);
    return st->code;
}

gpusort_code gpusort_index_lookup(const gpusort_index *index, const void *term,
                                  size_t bytes, gpusort_postings *out,
                                  gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    *out = (gpusort_postings){0};
    if (look_up(index->segments, term, bytes, out, &st) != GS_OK)
        gpusort_postings_free(out);
    return gs_api_result(&st, error);
}

void gpusort_postings_free(gpusort_postings *postings)
{
    gs_mem_free(postings->documents);
    gs_mem_free(postings->frequencies);
    *postings = (gpusort_postings){0};
}

/* --- search ------------------------------------------------------------------------- */

struct gpusort_searcher {
    gs_search_options options;
    gs_searcher *searcher;
    gs_top_docs top;
    const gpusort_index *of;
};

/* How many are wanted is a property of the searcher. */
static gs_code want(gpusort_searcher *s, size_t limit, gs_status *st)
{
    if (s->searcher != NULL && limit == s->options.limit)
        return GS_OK;
    gs_searcher_free(s->searcher);
    s->options.limit = limit;
    return gs_searcher_new_over(&s->searcher, s->of->segments, s->of->rules, &s->options,
                                st);
}

gpusort_code gpusort_searcher_new(gpusort_searcher **out, const gpusort_index *index,
                                  const gpusort_search_options *options,
                                  gpusort_error *error)
{
    const double k1_max = 1000;
    gs_status st = {.code = GS_OK};
    gpusort_search_options asked = {.size = sizeof asked};
    gpusort_searcher *s = NULL;
    *out = NULL;
    if (options != NULL)
        GS_NOTED(gs_api_take_options(&asked, sizeof asked, options, &st));
    if (asked.k1 == 0 && asked.b == 0) {
        asked.k1 = 1.2;
        asked.b = 0.75;
    }
    if (!(asked.k1 >= 0 && asked.k1 <= k1_max && asked.b >= 0 && asked.b <= 1))
        (void)GS_FAIL(&st, GS_ERR_ARG, 0, "k1 is from 0 to 1000, and b from 0 to 1");
    if (st.code == GS_OK && gs_mem_new(&s, sizeof *s, "searcher", &st) == GS_OK) {
        s->of = index;
        s->options = (gs_search_options){
            .k1 = asked.k1,
            .b = asked.b,
            .presence = index->presence,
            .needs_all = asked.needs_all != 0,
            .is_plain = asked.is_plain != 0,
        };
        *out = s;
    }
    return gs_api_result(&st, error);
}

static gs_code search(gpusort_searcher *s, const char *query, size_t bytes, size_t limit,
                      gs_status *st)
{
    GS_TRY(want(s, limit, st));
    GS_TRY(gs_searcher_rank(s->searcher, query, bytes, &s->top, st));
    return gs_segments_check_unchanged(s->of->segments, st);
}

gpusort_code gpusort_search(gpusort_searcher *searcher, const char *query, size_t bytes,
                            gpusort_hit *hits, size_t room, size_t *count,
                            gpusort_error *error)
{
    gs_status st = {.code = GS_OK};
    *count = 0;
    if (room > 0 && search(searcher, query, bytes, room, &st) == GS_OK) {
        *count = searcher->top.count;
        for (size_t i = 0; i < *count; i++)
            hits[i] = (gpusort_hit){.document = searcher->top.docs[i].doc,
                                    .score = searcher->top.docs[i].score};
    }
    return gs_api_result(&st, error);
}

void gpusort_searcher_free(gpusort_searcher *s)
{
    if (s == NULL)
        return;
    gs_searcher_free(s->searcher);
    gs_top_docs_release(&s->top);
    gs_mem_free(s);
}
