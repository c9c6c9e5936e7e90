/* SPDX-License-Identifier: MIT */
/*
 * Documents that have all of several terms, and phrases of them: from the rarest term.
 *
 *      lead      [    block    ][    block    ] ...     its blocks make windows
 *      scores     . . o . o . .                         all of a block at once
 *      others         |   |                             in the order of their number
 *                     x   o -> sum, phrases, top
 *
 * As long as any document would be one of the best, those that all lists have are found
 * first (doc_common.h), and scored then; for phrases there is no such beginning. Later a
 * window in which the bounds of all terms together do not reach the threshold is left
 * out unread. In others every posting of the lead is scored, by vectors; a document that
 * the bounds of the other terms could still make one of the best is looked for in their
 * lists, and left as soon as one does not have it, or cannot add enough. Positions are
 * read of documents only whose score is good enough, which is most of what phrases cost.
 */
#include "lib/base/mem.h"
#include "lib/index/query/doc_common.h"
#include "lib/index/query/match.h"
#include "lib/index/query/rank.h"
#include "lib/index/query/rank_batch.h"

/* A block of the rarest term spans so many blocks of another one, and more, that the most
 * of them is hardly less than that of all, which takes no look at them. */
enum { WIDE = 4 };

typedef struct ranker {
    gs_search_plan *plan;
    size_t count;
    size_t *order;            /* of slots, the rarest first */
    gs_length_bounds *others; /* what those from here on in that order can add in the
                                 window */
    bool needs_positions;
    gs_doc_common common;
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

static gs_code open(ranker *r, gs_status *st)
{
    gs_search_plan *const plan = r->plan;
    GS_TRY(gs_doc_common_start(&r->common, plan, st)); /* readers, in order */
    for (size_t i = 0; i < r->count; i++)
        plan->slots[i].part = 0;
    for (size_t i = 0; i < plan->node_count; i++) {
        gs_search_node *const node = &plan->nodes[i];
        r->needs_positions |= gs_query_needs_positions(node->kind);
        if (node->kind == GS_QUERY_TERM)
            node->reader = plan->slots[node->slot].reader;
    }
    return GS_OK;
}

static gs_code open_bounds(ranker *r, gs_status *st)
{
    GS_TRY(gs_search_plan_open_bounds(r->plan, st));
    for (size_t i = 0; i < r->count; i++)
        GS_TRY(gs_search_plan_look_at_short(r->plan, &r->plan->slots[i], st));
    return GS_OK;
}

/* --- while any document would do ---------------------------------------------------- */

/* Those that the lists have in common, of a block. */
static gs_code take_common(ranker *r, gs_status *st)
{
    const gs_doc_common *const c = &r->common;
    double sums[GS_INDEX_BLOCK] = {0};
    uint64_t tfs[GS_INDEX_BLOCK];
    gs_scores scores;
    if (c->count == 0)
        return GS_OK;
    for (size_t slot = 0; slot < r->count; slot++) {
        gs_doc_common_tfs(c, slot, tfs);
        gs_search_plan_score(r->plan, &r->plan->slots[slot], c->docs, tfs, c->count,
                             &scores);
        for (size_t i = 0; i < c->count; i++)
            sums[i] += scores.parts[i];
    }
    for (size_t i = 0; i < c->count; i++)
        GS_TRY(gs_top_docs_add(r->batch.top, c->docs[i], sums[i], st));
    return GS_OK;
}

static gs_code take_first(ranker *r, gs_status *st)
{
    gs_search_plan *const plan = r->plan;
    GS_TRY(gs_mem_grow(&plan->common_tfs, &plan->common_tfs_capacity,
                       r->count * GS_INDEX_BLOCK, "frequencies", st));
    r->common.wants_tfs = true;
    r->common.tfs = plan->common_tfs;
    while (!r->common.has_ended && gs_top_docs_threshold(r->batch.top) < 0) {
        GS_TRY(gs_doc_common_fill(&r->common, st));
        GS_TRY(take_common(r, st));
    }
    return GS_OK;
}

/* --- later -------------------------------------------------------------------------- */

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
        if (i > 0 && slot->info.df / WIDE > slot_of(r, 0)->info.df) {
            slot->window = slot->bound.most;
        } else {
            GS_TRY(gs_block_bound_seek(&slot->bound, from, st));
            GS_TRY(gs_block_bound_over(&slot->bound, *to, &slot->window, st));
        }
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
    if (!r.needs_positions)
        GS_TRY(take_first(&r, st));
    if (r.common.has_ended || has_ended(&r))
        return GS_OK;
    GS_TRY(open_bounds(&r, st));
    for (uint64_t from = reader_of(&r, 0)->doc, to; from != GS_NO_DOC;
         from = to == GS_NO_DOC ? to : to + 1) {
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
