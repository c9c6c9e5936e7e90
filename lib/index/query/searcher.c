/* SPDX-License-Identifier: MIT */
#include "lib/index/query/searcher.h"

#include <stdatomic.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/index/query/doc_union.h"
#include "lib/index/query/match.h"
#include "lib/index/query/wide_query.h"

struct gs_searcher {
    gs_search_options options;
    gs_query_parser *parser;
    gs_query query;
    gs_term_cursor *terms;
    gs_search_plan plan;
    uint64_t next;    /* document to look at */
    gs_doc_union any; /* of a plan that is_any_of */
};

gs_code gs_searcher_new(gs_searcher **out, const gs_index *index,
                        const gs_word_rules *rules, const gs_search_options *options,
                        gs_status *st)
{
    gs_assert(options->limit > 0 && options->presence != NULL);
    *out = NULL;
    gs_searcher *s = NULL;
    GS_TRY(gs_mem_new(&s, sizeof *s, "searcher", st));
    s->options = *options;
    gs_search_plan_init(&s->plan, index, options->presence, options->k1, options->b);
    if (options->collection != NULL)
        gs_search_plan_set_collection(&s->plan, options->k1, options->b,
                                      options->collection);
    const gs_query_parser_options parser = {
        .rules = rules,
        .is_plain = options->is_plain,
        .needs_all = options->needs_all,
        .has_positions = gs_index_header_of(index)->has_positions,
        .has_weights = rules == NULL && gs_index_header_of(index)->has_impacts,
    };
    GS_TRY_OR_FAIL(gs_query_parser_new(&s->parser, &parser, st));
    GS_TRY_OR_FAIL(gs_term_cursor_new(&s->terms, index, st));
    *out = s;
    return GS_OK;
fail:
    gs_searcher_free(s);
    return st->code;
}

void gs_searcher_free(gs_searcher *s)
{
    if (s == NULL)
        return;
    gs_query_parser_free(s->parser);
    gs_query_release(&s->query);
    gs_term_cursor_free(s->terms);
    gs_search_plan_release(&s->plan);
    gs_mem_free(s);
}

static gs_code make_plan(gs_searcher *s, const void *text, size_t bytes, gs_status *st)
{
    GS_TRY(gs_query_parse(s->parser, text, bytes, &s->query, st));
    return gs_search_plan_make(&s->plan, &s->query, s->terms, st);
}

static gs_code rank(gs_search_plan *plan, bool is_exhaustive, gs_top_docs *top,
                    gs_status *st)
{
    if (plan->is_wide)
        return gs_rank_wide(plan, top, st);
    if (plan->is_any_of)
        return is_exhaustive || plan->slot_count >= GS_RANK_MANY_MIN
                   ? gs_rank_many(plan, top, st)
                   : gs_rank_any(plan, top, st);
    return plan->is_all_of && !is_exhaustive
               ? gs_rank_all(plan, top, st)
               : gs_rank_matches(plan, is_exhaustive, top, st);
}

gs_code gs_searcher_rank(gs_searcher *s, const void *text, size_t bytes, gs_top_docs *top,
                         gs_status *st)
{
    gs_top_docs_clear(top, s->options.limit);
    GS_TRY(make_plan(s, text, bytes, st));
    GS_NOTED(rank(&s->plan, s->options.is_exhaustive, top, st));
    gs_status_keep_first(st, &s->plan.damage);
    gs_search_plan_count(&s->plan);
    gs_top_docs_sort(top);
    return st->code;
}

gs_code gs_searcher_gather(gs_searcher *s, const void *text, size_t bytes,
                           gs_collection_stats *to, gs_status *st)
{
    s->plan.gathered = to;
    GS_NOTED(make_plan(s, text, bytes, st));
    s->plan.gathered = NULL;
    return st->code;
}

gs_code gs_searcher_begin(gs_searcher *s, const void *text, size_t bytes, gs_status *st)
{
    s->next = 0;
    GS_TRY(make_plan(s, text, bytes, st));
    if (s->plan.is_wide) {
        GS_TRY(gs_wide_query_open(&s->plan, false, st));
        return gs_wide_query_next(s->plan.wide, st);
    }
    GS_TRY(gs_match_open(&s->plan, st));
    return gs_doc_union_start(&s->any, s->plan.readers,
                              s->plan.is_any_of ? s->plan.reader_count : 0, st);
}

static gs_code next_of_wide(gs_searcher *s, uint64_t *doc, gs_status *st)
{
    gs_wide_query *const w = s->plan.wide;
    for (*doc = GS_NO_DOC; w->base != GS_NO_DOC;) {
        *doc = gs_wide_query_match(w, s->next > w->base ? s->next : w->base);
        if (*doc != GS_NO_DOC)
            break;
        GS_TRY(gs_wide_query_next(w, st));
    }
    s->next = *doc == GS_NO_DOC ? GS_NO_DOC : *doc + 1;
    return GS_OK;
}

gs_code gs_searcher_next(gs_searcher *s, uint64_t *doc, gs_status *st)
{
    if (s->plan.is_wide)
        return next_of_wide(s, doc, st);
    if (s->plan.is_any_of)
        return gs_doc_union_next(&s->any, doc, st);
    GS_TRY(gs_match_seek(&s->plan, s->next, doc, st));
    s->next = *doc == GS_NO_DOC ? GS_NO_DOC : *doc + 1;
    return GS_OK;
}

void gs_searcher_stats(const gs_searcher *s, gs_search_stats *stats)
{
    const gs_search_stats *const mine = &s->plan.stats;
    stats->queries += mine->queries;
    stats->postings += mine->postings;
    stats->postings_scored += mine->postings_scored;
    stats->blocks += mine->blocks;
    stats->blocks_read += mine->blocks_read;
}

/* --- many -------------------------------------------------------------------------- */

typedef struct rank_job {
    gs_searcher *const *searchers;
    gs_search_item *items;
    size_t count;
    atomic_size_t next;
} rank_job;

static gs_code rank_some(void *context, unsigned worker, gs_status *st)
{
    rank_job *const job = context;
    for (size_t i; (i = atomic_fetch_add(&job->next, 1)) < job->count;) {
        gs_search_item *const item = &job->items[i];
        gs_status_clear(&item->st);
        GS_NOTED(gs_searcher_rank(job->searchers[worker], item->text, item->bytes,
                                  &item->top, &item->st));
    }
    return st->code;
}

gs_code gs_searcher_rank_all(gs_searcher *const *searchers, gs_team *team,
                             gs_search_item *items, size_t count, gs_status *st)
{
    rank_job job = {.searchers = searchers, .items = items, .count = count};
    return gs_team_run(team, rank_some, &job, st);
}
