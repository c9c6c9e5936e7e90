/* SPDX-License-Identifier: MIT */
/*
 * Searches in an open index.
 */
#include "lib/api/api_call.h"
#include "lib/api/api_index.h"
#include "lib/base/mem.h"

struct gpusort_searcher {
    gs_search_options options;
    gs_searcher *searcher;
    gs_top_docs top;
    const gpusort_index *of;
    const gs_word_rules *rules;
};

/* How many are wanted is a property of the searcher. */
static gs_code want(gpusort_searcher *s, size_t limit, gs_status *st)
{
    if (s->searcher != NULL && limit == s->options.limit)
        return GS_OK;
    gs_searcher_free(s->searcher);
    s->options.limit = limit;
    return gs_searcher_new_over(&s->searcher, s->of->segments, s->rules, &s->options, st);
}

gpusort_code gpusort_searcher_new(gpusort_searcher **out, const gpusort_index *index,
                                  const gpusort_search_options *options,
                                  gpusort_error *error)
{
    const double k1_max = 1000;
    gs_status st = {.code = GS_OK};
    gpusort_search_options asked = {.size = sizeof asked};
    gpusort_searcher *s = NULL;
    const gs_word_rules *rules = NULL;
    *out = NULL;
    if (options != NULL)
        GS_NOTED(gs_api_take_options(&asked, sizeof asked, options, &st));
    if (asked.k1 == 0 && asked.b == 0) {
        asked.k1 = 1.2;
        asked.b = 0.75;
    }
    if (!(asked.k1 >= 0 && asked.k1 <= k1_max && asked.b >= 0 && asked.b <= 1))
        (void)GS_FAIL(&st, GS_ERR_ARG, 0, "k1 is from 0 to 1000, and b from 0 to 1");
    if (st.code == GS_OK && gs_api_index_rules(index, &rules, &st) == GS_OK &&
        gs_mem_new(&s, sizeof *s, "searcher", &st) == GS_OK) {
        s->of = index;
        s->rules = rules;
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
