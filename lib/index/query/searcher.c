/* SPDX-License-Identifier: MIT */
#include "lib/index/query/searcher.h"

#include <stdatomic.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/index/query/doc_common.h"
#include "lib/index/query/doc_union.h"
#include "lib/index/query/match.h"
#include "lib/index/query/term_union.h"
#include "lib/index/query/wide_query.h"

/* A segment, and what it takes to search it. */
typedef struct searched {
    const gs_segment *segment; /* NULL: an index that is all there is */
    gs_doc_presence *presence; /* its own; NULL: the options have it */
    gs_term_cursor *terms;
    gs_search_plan plan;
} searched;

struct gs_searcher {
    gs_search_options options;
    gs_query_parser *parser;
    gs_query query;
    gs_segment_terms *all; /* counts over all segments; NULL: there is but one */
    searched *parts;
    size_t count;
    size_t at;        /* the part that is gone through */
    uint64_t next;    /* document to look at */
    gs_doc_union any; /* of a plan that is_any_of */
    bool is_common;   /* all terms of the plan, and nothing but them, must be there: */
    gs_doc_common common;
    gs_term_union marks; /* of a query that asks for any of what it has */
};

gs_code gs_searcher_new_parser(gs_query_parser **out, const gs_index *index,
                               const gs_word_rules *rules,
                               const gs_search_options *options, gs_status *st)
{
    const gs_index_header *const h = gs_index_header_of(index);
    const gs_query_parser_options parser = {
        .rules = rules,
        .is_plain = options->is_plain,
        .needs_all = options->needs_all,
        .has_positions = h->has_positions,
        .has_weights = rules == NULL && h->has_impacts,
    };
    return gs_query_parser_new(out, &parser, st);
}

static gs_code open_part(gs_searcher *s, const gs_index *index, const gs_segment *segment,
                         gs_status *st)
{
    const gs_search_options *const o = &s->options;
    searched *const part = &s->parts[s->count];
    if (segment != NULL)
        GS_TRY(gs_doc_presence_new(&part->presence, index, st));
    s->count++;
    part->segment = segment;
    gs_search_plan_init(&part->plan, index, s->all,
                        segment != NULL ? part->presence : o->presence, o->k1, o->b);
    part->plan.has_deleted = segment != NULL && segment->deleted.lines != NULL;
    if (o->collection != NULL)
        gs_search_plan_set_collection(&part->plan, o->k1, o->b, o->collection);
    return gs_term_cursor_new(&part->terms, index, st);
}

/* Of so many segments, or of one index. */
static gs_code make(gs_searcher *s, const gs_index *index, const gs_segments *segments,
                    const gs_word_rules *rules, gs_status *st)
{
    const size_t count = segments != NULL ? segments->count : 1;
    GS_TRY(gs_searcher_new_parser(&s->parser, index, rules, &s->options, st));
    GS_TRY(gs_mem_new_array(&s->parts, count, sizeof *s->parts, "searcher", st));
    if (segments == NULL)
        return open_part(s, index, NULL, st);
    GS_TRY(gs_segment_terms_new(&s->all, segments, st));
    for (size_t i = 0; i < count; i++)
        GS_TRY(open_part(s, segments->items[i].index, &segments->items[i], st));
    return GS_OK;
}

static gs_code new_of(gs_searcher **out, const gs_index *index,
                      const gs_segments *segments, const gs_word_rules *rules,
                      const gs_search_options *options, gs_status *st)
{
    gs_assert(options->limit > 0 && (segments != NULL || options->presence != NULL));
    *out = NULL;
    gs_searcher *s = NULL;
    GS_TRY(gs_mem_new(&s, sizeof *s, "searcher", st));
    s->options = *options;
    if (make(s, index, segments, rules, st) == GS_OK)
        *out = s;
    else
        gs_searcher_free(s);
    return st->code;
}

gs_code gs_searcher_new(gs_searcher **out, const gs_index *index,
                        const gs_word_rules *rules, const gs_search_options *options,
                        gs_status *st)
{
    return new_of(out, index, NULL, rules, options, st);
}

gs_code gs_searcher_new_over(gs_searcher **out, const gs_segments *segments,
                             const gs_word_rules *rules, const gs_search_options *options,
                             gs_status *st)
{
    return new_of(out, segments->items[0].index, segments->is_plain ? NULL : segments,
                  rules, options, st);
}

void gs_searcher_free(gs_searcher *s)
{
    if (s == NULL)
        return;
    for (size_t i = 0; i < s->count; i++) {
        gs_term_cursor_free(s->parts[i].terms);
        gs_search_plan_release(&s->parts[i].plan);
        gs_doc_presence_free(s->parts[i].presence);
    }
    gs_mem_free(s->parts);
    gs_segment_terms_free(s->all);
    gs_query_parser_free(s->parser);
    gs_query_release(&s->query);
    gs_term_union_release(&s->marks);
    gs_mem_free(s);
}

static gs_code rank(gs_search_plan *plan, bool is_exhaustive, gs_top_docs *top,
                    gs_status *st)
{
    if (plan->is_wide)
        return gs_rank_wide(plan, top, st);
    if (plan->is_any_of && !is_exhaustive && plan->slot_count < GS_RANK_MANY_MIN)
        return gs_rank_any(plan, top, st);
    if (plan->is_any_of)
        return is_exhaustive || !gs_rank_lists_is_for(plan)
                   ? gs_rank_many(plan, top, st)
                   : gs_rank_lists(plan, top, st);
    return plan->is_all_of && !is_exhaustive
               ? gs_rank_all(plan, top, st)
               : gs_rank_matches(plan, is_exhaustive, top, st);
}

static gs_code rank_part(gs_searcher *s, searched *part, gs_top_docs *top, gs_status *st)
{
    top->segment = part->segment;
    GS_TRY(gs_search_plan_make(&part->plan, &s->query, part->terms, st));
    GS_NOTED(rank(&part->plan, s->options.is_exhaustive, top, st));
    gs_status_keep_first(st, &part->plan.damage);
    gs_search_plan_count(&part->plan);
    return st->code;
}

gs_code gs_searcher_rank(gs_searcher *s, const void *text, size_t bytes, gs_top_docs *top,
                         gs_status *st)
{
    gs_top_docs_clear(top, s->options.limit);
    GS_TRY(gs_query_parse(s->parser, text, bytes, &s->query, st));
    for (size_t i = 0; i < s->count && st->code == GS_OK; i++)
        GS_NOTED(rank_part(s, &s->parts[i], top, st));
    gs_top_docs_sort(top);
    return st->code;
}

/* Statistics of a query's terms, which plans note as they are made. */
gs_code gs_searcher_gather(gs_searcher *s, const void *text, size_t bytes,
                           gs_collection_stats *to, gs_status *st)
{
    GS_TRY(gs_query_parse(s->parser, text, bytes, &s->query, st));
    for (size_t i = 0; i < s->count && st->code == GS_OK; i++) {
        searched *const part = &s->parts[i];
        part->plan.gathered = to;
        GS_NOTED(gs_search_plan_make(&part->plan, &s->query, part->terms, st));
        part->plan.gathered = NULL;
    }
    return st->code;
}

/* --- in order ----------------------------------------------------------------------- */

static bool has_phrase(const gs_search_plan *plan)
{
    for (size_t i = 0; i < plan->node_count; i++) {
        if (gs_query_needs_positions(plan->nodes[i].kind))
            return true;
    }
    return false;
}

static bool is_common(const gs_search_plan *plan)
{
    return plan->is_all_of && !plan->is_any_of && !has_phrase(plan);
}

/* To the first match. */
static gs_code begin_plan(gs_searcher *s, gs_search_plan *plan, gs_status *st)
{
    s->next = 0;
    if (plan->is_wide) {
        GS_TRY(gs_wide_query_open(plan, false, st));
        return gs_wide_query_next(plan->wide, st);
    }
    s->is_common = is_common(plan);
    if (s->is_common)
        return gs_doc_common_start(&s->common, plan, st);
    GS_TRY(gs_match_open(plan, st));
    return gs_doc_union_start(&s->any, plan->readers,
                              plan->is_any_of ? plan->reader_count : 0, st);
}

/* To the first match of the part that it is at. */
static gs_code begin_part(gs_searcher *s, gs_status *st)
{
    searched *const part = &s->parts[s->at];
    GS_TRY(gs_search_plan_make(&part->plan, &s->query, part->terms, st));
    return begin_plan(s, &part->plan, st);
}

gs_code gs_searcher_begin(gs_searcher *s, const void *text, size_t bytes, gs_status *st)
{
    s->at = 0;
    GS_TRY(gs_query_parse(s->parser, text, bytes, &s->query, st));
    return begin_part(s, st);
}

static gs_code next_of_wide(gs_searcher *s, gs_wide_query *w, uint64_t *doc,
                            gs_status *st)
{
    for (*doc = GS_NO_DOC; w->base != GS_NO_DOC;) {
        *doc = gs_wide_query_match(w, s->next > w->base ? s->next : w->base);
        if (*doc != GS_NO_DOC)
            break;
        GS_TRY(gs_wide_query_next(w, st));
    }
    s->next = *doc == GS_NO_DOC ? GS_NO_DOC : *doc + 1;
    return GS_OK;
}

static gs_code next_of_part(gs_searcher *s, gs_search_plan *plan, uint64_t *doc,
                            gs_status *st)
{
    if (plan->is_wide)
        return next_of_wide(s, plan->wide, doc, st);
    if (s->is_common)
        return gs_doc_common_next(&s->common, doc, st);
    if (plan->is_any_of)
        return gs_doc_union_next(&s->any, doc, st);
    GS_TRY(gs_match_seek(plan, s->next, doc, st));
    s->next = *doc == GS_NO_DOC ? GS_NO_DOC : *doc + 1;
    return GS_OK;
}

gs_code gs_searcher_next(gs_searcher *s, uint64_t *doc, gs_status *st)
{
    for (;;) {
        searched *const part = &s->parts[s->at];
        GS_TRY(next_of_part(s, &part->plan, doc, st));
        if (*doc == GS_NO_DOC) {
            if (s->at + 1 == s->count)
                return GS_OK;
            s->at++;
            GS_TRY(begin_part(s, st));
        } else if (part->segment == NULL) {
            return GS_OK;
        } else if (!gs_tombstones_has(&part->segment->deleted, *doc)) {
            *doc = gs_segment_number(part->segment, *doc);
            return GS_OK;
        }
    }
}

/* --- only how many ------------------------------------------------------------------ */

/* Of one term the dictionary knows it, and of two how many documents have either: what it
 * says of both, less those that have both, for which hardly all of the longer list is
 * read. */
static gs_code count_any_of(gs_searcher *s, gs_search_plan *plan, uint64_t *count,
                            gs_status *st)
{
    uint64_t all = 0, both = 0;
    if (plan->slot_count > 2) {
        GS_TRY(begin_plan(s, plan, st));
        return gs_doc_union_count(&s->any, count, st);
    }
    for (size_t i = 0; i < plan->slot_count; i++)
        all += plan->slots[i].info.df;
    if (plan->slot_count == 2) {
        GS_TRY(gs_doc_common_start(&s->common, plan, st));
        GS_TRY(gs_doc_common_count(&s->common, &both, st));
    }
    *count = all - both;
    return GS_OK;
}

/* One by one, without those that are deleted. */
static gs_code count_matches(gs_searcher *s, searched *part, uint64_t *count,
                             gs_status *st)
{
    *count = 0;
    GS_TRY(begin_plan(s, &part->plan, st));
    for (uint64_t doc;;) {
        GS_TRY(next_of_part(s, &part->plan, &doc, st));
        if (doc == GS_NO_DOC)
            return GS_OK;
        *count +=
            part->segment == NULL || !gs_tombstones_has(&part->segment->deleted, doc);
    }
}

static gs_code count_part(gs_searcher *s, searched *part, uint64_t *count, gs_status *st)
{
    gs_search_plan *const plan = &part->plan;
    if (!plan->has_deleted && gs_term_union_is_for(plan, &s->query))
        return gs_term_union_count(&s->marks, plan, &s->query, part->terms, count, st);
    GS_TRY(gs_search_plan_make(plan, &s->query, part->terms, st));
    if (plan->is_wide || plan->has_deleted)
        return count_matches(s, part, count, st);
    if (plan->is_any_of)
        return count_any_of(s, plan, count, st);
    if (!is_common(plan))
        return count_matches(s, part, count, st);
    GS_TRY(gs_doc_common_start(&s->common, plan, st));
    return gs_doc_common_count(&s->common, count, st);
}

gs_code gs_searcher_count(gs_searcher *s, const void *text, size_t bytes, uint64_t *count,
                          gs_status *st)
{
    *count = 0;
    GS_TRY(gs_query_parse(s->parser, text, bytes, &s->query, st));
    for (size_t i = 0; i < s->count; i++) {
        uint64_t more;
        GS_TRY(count_part(s, &s->parts[i], &more, st));
        *count += more;
    }
    return GS_OK;
}

/* A query is one, in however many segments it is looked for. */
void gs_searcher_stats(const gs_searcher *s, gs_search_stats *stats)
{
    stats->queries += s->parts[0].plan.stats.queries;
    for (size_t i = 0; i < s->count; i++) {
        const gs_search_stats *const mine = &s->parts[i].plan.stats;
        stats->postings += mine->postings;
        stats->postings_scored += mine->postings_scored;
        stats->blocks += mine->blocks;
        stats->blocks_read += mine->blocks_read;
    }
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
