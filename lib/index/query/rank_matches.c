/* SPDX-License-Identifier: MIT */
/*
 * The documents that match, one after the other, scored where that may pay: in windows as
 * for terms alone (rank_any.c), that end with the blocks of the rarest term that must
 * match. A window that cannot hold any of the best is left out before it is matched.
 */
#include "lib/index/query/match.h"
#include "lib/index/query/rank.h"

typedef struct ranker {
    gs_search_plan *plan;
    gs_top_docs *top;
    bool is_exhaustive;
    gs_search_slot *lead; /* whose blocks make windows; NULL: no term scores */
    bool has_window;
    uint64_t to;          /* where the window ends */
    gs_length_bounds sum; /* bounds scores in it */
} ranker;

/* A term that must match in any case is at the match already: its reader serves to score
 * too. */
static void share_readers(gs_search_plan *plan, int at)
{
    for (int i = plan->nodes[at].first; i != GS_QUERY_NONE; i = plan->nodes[i].next) {
        const gs_search_node *const node = &plan->nodes[i];
        if (node->role != GS_QUERY_MUST)
            continue;
        switch (node->kind) {
        case GS_QUERY_PHRASE: share_readers(plan, i); break;
        case GS_QUERY_TERM:
            if (node->slot != SIZE_MAX)
                plan->slots[node->slot].reader = node->reader;
            break;
        case GS_QUERY_PREFIX:
        case GS_QUERY_CLAUSES: break; /* what is in them may be without a match */
        }
    }
}

/* The rarest term that must match, or else the rarest of all. */
static gs_search_slot *pick_lead(gs_search_plan *plan)
{
    gs_search_slot *lead = NULL;
    for (size_t i = 0; i < plan->slot_count; i++) {
        gs_search_slot *const slot = &plan->slots[i];
        const bool must = slot->reader != SIZE_MAX;
        const bool lead_must = lead != NULL && lead->reader != SIZE_MAX;
        if (lead == NULL || (must && !lead_must) ||
            (must == lead_must && slot->info.df < lead->info.df))
            lead = slot;
    }
    return lead;
}

static gs_code open(ranker *r, gs_status *st)
{
    gs_search_plan *const plan = r->plan;
    GS_TRY(gs_match_open(plan, st));
    if (plan->root != GS_QUERY_NONE)
        share_readers(plan, plan->root);
    r->lead = pick_lead(plan);
    for (size_t i = 0; i < plan->slot_count; i++) {
        gs_search_slot *const slot = &plan->slots[i];
        if (slot->reader == SIZE_MAX)
            GS_TRY(gs_search_plan_open_reader(plan, &slot->info, &slot->reader, st));
    }
    return gs_search_plan_open_bounds(plan, st);
}

static gs_code cut_window(ranker *r, uint64_t from, gs_status *st)
{
    gs_search_plan *const plan = r->plan;
    r->to = GS_NO_DOC;
    gs_length_bounds_set(&r->sum, 0);
    r->has_window = true;
    if (r->lead != NULL) {
        GS_TRY(gs_block_bound_seek(&r->lead->bound, from, st));
        r->to = gs_rank_window_end(from, r->lead->bound.last, plan->slot_count);
    }
    for (size_t i = 0; i < plan->slot_count; i++) {
        gs_search_slot *const slot = &plan->slots[i];
        gs_length_bounds most;
        GS_TRY(gs_block_bound_seek(&slot->bound, from, st));
        GS_TRY(gs_block_bound_over(&slot->bound, r->to, &most, st));
        gs_length_bounds_add(&r->sum, &r->sum, &most);
    }
    return GS_OK;
}

/* The first document from `doc` on that is not in a hopeless window. */
static gs_code skip_windows(ranker *r, uint64_t *doc, gs_status *st)
{
    while (!r->is_exhaustive && *doc != GS_NO_DOC) {
        if (!r->has_window || *doc > r->to)
            GS_TRY(cut_window(r, *doc, st));
        if (!gs_rank_are_hopeless(r->top, &r->sum))
            break;
        *doc = r->to == GS_NO_DOC ? GS_NO_DOC : r->to + 1;
    }
    return GS_OK;
}

static gs_code score(ranker *r, uint64_t doc, gs_status *st)
{
    gs_search_plan *const plan = r->plan;
    for (size_t i = 0; i < plan->slot_count; i++) {
        gs_search_slot *const slot = &plan->slots[i];
        gs_posting_list *const reader = &plan->readers[slot->reader];
        GS_TRY(gs_posting_list_seek(reader, doc, st));
        slot->part = reader->doc == doc ? gs_search_plan_part(plan, slot, reader) : 0;
    }
    return gs_top_docs_add(r->top, doc, gs_search_plan_sum(plan), st);
}

gs_code gs_rank_matches(gs_search_plan *plan, bool is_exhaustive, gs_top_docs *top,
                        gs_status *st)
{
    ranker r = {.plan = plan, .top = top, .is_exhaustive = is_exhaustive};
    GS_TRY(open(&r, st));
    for (uint64_t doc = 0;;) {
        GS_TRY(skip_windows(&r, &doc, st));
        GS_TRY(gs_match_seek(plan, doc, &doc, st));
        if (doc == GS_NO_DOC)
            return GS_OK;
        if (!is_exhaustive && doc > r.to)
            continue; /* the window of this one comes first */
        GS_TRY(score(&r, doc, st));
        doc++;
    }
}
