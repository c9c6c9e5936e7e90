/* SPDX-License-Identifier: MIT */
/*
 * Documents that have all of several terms, and phrases of them: from the rarest term.
 *
 *      lead      [    block    ][    block    ] ...     its blocks make windows
 *      scores     . . o . o . .                         all of a block at once
 *      others         |   |                             in the order of their number
 *                     x   o -> sum, phrases, top
 *
 * A window in which the bounds of all terms together do not reach the threshold is left
 * out unread. In others every posting of the lead is scored, by vectors; a document that
 * the bounds of the other terms could still make one of the best is looked for in their
 * lists, and left as soon as one does not have it, or cannot add enough. Positions are
 * read of documents only whose score is good enough, which is most of what phrases cost.
 */
#include "lib/index/query/match.h"
#include "lib/index/query/rank.h"
#include "lib/index/query/rank_batch.h"

typedef struct ranker {
    gs_search_plan *plan;
    size_t count;
    size_t *order;            /* of slots, the rarest first */
    gs_length_bounds *others; /* what those from here on in that order can add in the
                                 window */
    bool needs_positions;
    gs_rank_batch batch;
} ranker;

static gs_search_slot *slot_of(const ranker *r, size_t in_order)
{
    return &r->plan->slots[r->order[in_order]];
}

static gs_posting_list *reader_of(const ranker *r, size_t in_order)
{
    return &r->plan->readers[slot_of(r, in_order)->reader];
}

static void sort_order(ranker *r)
{
    for (size_t i = 0; i < r->count; i++) {
        size_t at = i;
        for (; at > 0 && slot_of(r, at - 1)->info.df > r->plan->slots[i].info.df; at--)
            r->order[at] = r->order[at - 1];
        r->order[at] = i;
    }
}

static gs_code open(ranker *r, gs_status *st)
{
    gs_search_plan *const plan = r->plan;
    GS_TRY(gs_search_plan_open_bounds(plan, st));
    for (size_t i = 0; i < r->count; i++) {
        gs_search_slot *const slot = &plan->slots[i];
        GS_TRY(gs_search_plan_open_reader(plan, &slot->info, &slot->reader, st));
        GS_TRY(gs_search_plan_look_at_short(plan, slot, st));
        slot->part = 0;
    }
    for (size_t i = 0; i < plan->node_count; i++) {
        gs_search_node *const node = &plan->nodes[i];
        r->needs_positions |= gs_query_needs_positions(node->kind);
        if (node->kind == GS_QUERY_TERM)
            node->reader = plan->slots[node->slot].reader;
    }
    sort_order(r);
    return GS_OK;
}

/* Every reader is at the document. Are the terms where they must be in it? */
static gs_code are_in_place(const ranker *r, bool *out, gs_status *st)
{
    *out = true;
    for (size_t i = 0; r->needs_positions && *out && i < r->plan->node_count; i++) {
        switch (r->plan->nodes[i].kind) {
        case GS_QUERY_PHRASE:
            GS_TRY(gs_match_is_in_a_row(r->plan, (int)i, out, st));
            break;
        case GS_QUERY_TERM:
        case GS_QUERY_PREFIX:
        case GS_QUERY_CLAUSES: break;
        }
    }
    return GS_OK;
}

/* With phrases, the readers have to be at each document in turn. */
static gs_code settle_one(ranker *r, uint64_t doc, double sum, uint8_t length_class,
                          gs_status *st)
{
    gs_rank_batch *const b = &r->batch;
    bool is_match;
    gs_rank_batch_clear(b);
    gs_rank_batch_add(b, doc, sum, length_class);
    *gs_rank_batch_part(b, r->order[0], 0) = sum;
    for (size_t i = 1; i < r->count && b->count > 0; i++)
        GS_TRY(gs_rank_batch_look_up(b, r->order[i], &r->others[i + 1], true, st));
    if (b->count == 0 || gs_rank_is_hopeless(b->top, b->sums[0]))
        return GS_OK;
    GS_TRY(are_in_place(r, &is_match, st));
    return is_match ? gs_rank_batch_finish(b, st) : GS_OK;
}

static gs_code settle_phrases(ranker *r, const gs_scores *scores, const uint8_t *which,
                              size_t picked, gs_status *st)
{
    gs_posting_list *const reader = reader_of(r, 0);
    const size_t begin = reader->at;
    for (size_t i = 0; i < picked; i++) {
        const size_t at = which[i];
        reader->at = begin + at;
        GS_TRY(settle_one(r, reader->docs[reader->at], scores->parts[at],
                          scores->classes[at], st));
    }
    reader->at = begin;
    return GS_OK;
}

static gs_code settle(ranker *r, const gs_scores *scores, const uint8_t *which,
                      size_t picked, gs_status *st)
{
    gs_rank_batch *const b = &r->batch;
    const gs_posting_list *const reader = reader_of(r, 0);
    gs_rank_batch_clear(b);
    for (size_t i = 0; i < picked; i++) {
        const size_t at = which[i];
        gs_rank_batch_add(b, reader->docs[reader->at + at], scores->parts[at],
                          scores->classes[at]);
        *gs_rank_batch_part(b, r->order[0], i) = scores->parts[at];
    }
    for (size_t i = 1; i < r->count && b->count > 0; i++)
        GS_TRY(gs_rank_batch_look_up(b, r->order[i], &r->others[i + 1], true, st));
    return gs_rank_batch_finish(b, st);
}

/* A list that must match has ended, and so have the matches. */
static bool has_ended(const ranker *r)
{
    for (size_t i = 0; i < r->count; i++) {
        if (reader_of(r, i)->doc == GS_NO_DOC)
            return true;
    }
    return false;
}

/* The lead's postings up to the end of a window. */
static gs_code walk(ranker *r, uint64_t to, gs_status *st)
{
    gs_posting_list *const reader = reader_of(r, 0);
    while (reader->doc <= to && !has_ended(r)) {
        gs_scores scores;
        uint8_t which[GS_INDEX_BLOCK];
        const size_t count = gs_posting_list_count_to(reader, to), at = reader->at;
        gs_search_plan_score(r->plan, slot_of(r, 0), reader->docs + at,
                             gs_posting_list_tfs(reader) + at, count, &scores);
        const size_t picked =
            gs_score_pick(r->plan->score_way, &scores, count, &r->others[1],
                          gs_top_docs_threshold(r->batch.top), which);
        GS_TRY(r->needs_positions ? settle_phrases(r, &scores, which, picked, st)
                                  : settle(r, &scores, which, picked, st));
        GS_TRY(gs_posting_list_pass(reader, count, st));
    }
    return GS_OK;
}

/* Bounds what every term can add from `from` up to where the window ends. */
static gs_code cut_window(ranker *r, uint64_t from, uint64_t *to, gs_status *st)
{
    gs_block_bound *const lead = &slot_of(r, 0)->bound;
    GS_TRY(gs_block_bound_seek(lead, from, st));
    *to = gs_rank_window_end(from, lead->last, r->count);
    gs_length_bounds_set(&r->others[r->count], 0);
    for (size_t i = r->count; i-- > 0;) {
        gs_search_slot *const slot = slot_of(r, i);
        GS_TRY(gs_block_bound_seek(&slot->bound, from, st));
        GS_TRY(gs_block_bound_over(&slot->bound, *to, &slot->window, st));
        gs_length_bounds_add(&r->others[i], &r->others[i + 1], &slot->window);
    }
    return GS_OK;
}

gs_code gs_rank_all(gs_search_plan *plan, gs_top_docs *top, gs_status *st)
{
    ranker r;
    r.plan = plan;
    r.count = plan->slot_count;
    r.order = plan->order;
    r.others = plan->sums;
    r.needs_positions = false;
    if (r.count == 0)
        return GS_OK;
    GS_TRY(open(&r, st));
    GS_TRY(gs_rank_batch_open(&r.batch, plan, top, st));
    for (uint64_t from = 0, to; from != GS_NO_DOC; from = to == GS_NO_DOC ? to : to + 1) {
        GS_TRY(cut_window(&r, from, &to, st));
        if (gs_rank_are_hopeless(top, &r.others[0]))
            continue;
        GS_TRY(gs_posting_list_seek(reader_of(&r, 0), from, st));
        GS_TRY(walk(&r, to, st));
        if (has_ended(&r))
            return GS_OK;
    }
    return GS_OK;
}
