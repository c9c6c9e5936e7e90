/* SPDX-License-Identifier: MIT */
/*
 * Documents that have any of several terms: MaxScore, in windows cut at the ends of
 * blocks.
 *
 * Once k documents are found, the worst of them sets a threshold. Terms that together
 * cannot reach it need not be walked: a document with no other term is not wanted. What
 * is left are the essential terms, the ones that can add most.
 *
 *      documents  0 ........................................................ N
 *      essential  [  block   ][ block ][     block     ][ block ]
 *      windows    |...........|........|................|.......|
 *      others     [ block ][    block    ][ block ][    block     ]
 *
 * A window ends where the first block of an essential term ends. Skip entries bound what
 * each term adds in it, all blocks that the window touches; if the bounds of all together
 * do not reach the threshold, the window is left out unread. Otherwise terms that are not
 * essential by their bounds in the window are asked only for documents that the essential
 * ones make promising, the one that can add most first, and only where the block that
 * would have to be read can make up for what is missing.
 *
 * tests/bench/search_skipping.py, 1 GB of Zipf documents, queries of two to five
 * words: 1.4 % of the postings are scored and 7 % of the blocks read, in a sixteenth to a
 * nineteenth of the processor time of scoring all.
 */
#include "lib/index/query/rank.h"

typedef struct ranker {
    gs_search_plan *plan;
    gs_search_slot *slots;
    size_t count;
    size_t *order;   /* of slots, by what they can add in the window */
    double *sums;    /* of the first so many in that order */
    size_t split;    /* the first essential one */
    uint64_t *heads; /* documents that essential terms are at, in that order */
    size_t *hits;    /* slots that have a part in the present document */
    size_t hit_count;
    bool is_exhaustive;
    gs_top_docs *top;
} ranker;

static gs_posting_list *reader_of(const ranker *r, size_t in_order)
{
    return &r->plan->readers[r->slots[r->order[in_order]].reader];
}

/* By window_most, ascending: mostly as it was in the window before. */
static void sort_order(ranker *r)
{
    for (size_t i = 1; i < r->count; i++) {
        const size_t slot = r->order[i];
        size_t at = i;
        for (; at > 0 &&
               r->slots[r->order[at - 1]].window_most > r->slots[slot].window_most;
             at--)
            r->order[at] = r->order[at - 1];
        r->order[at] = slot;
    }
    r->sums[0] = 0;
    for (size_t i = 0; i < r->count; i++)
        r->sums[i + 1] = r->sums[i] + r->slots[r->order[i]].window_most;
    r->split = 0;
}

/* Terms that together are hopeless need not be walked. */
static void move_split(ranker *r)
{
    while (!r->is_exhaustive && r->split < r->count &&
           gs_rank_is_hopeless(r->top, r->sums[r->split + 1]))
        r->split++;
}

/* Few postings: the best of them is known by looking at all. */
static gs_code look_at_short_list(gs_search_plan *plan, gs_search_slot *slot,
                                  gs_status *st)
{
    gs_posting_list *const list = &plan->readers[slot->reader];
    double most = 0;
    GS_TRY(gs_posting_list_seek(list, 0, st));
    for (size_t i = 0; i < list->count; i++) {
        const uint32_t length = gs_search_plan_length(plan, list->docs[i]);
        const double score = gs_bm25_score(&plan->model, slot->weight,
                                           gs_posting_list_tf(list, i), length);
        most = score > most ? score : most;
    }
    gs_block_bound_know_tail(&slot->bound, most);
    return GS_OK;
}

static gs_code open(ranker *r, gs_status *st)
{
    gs_search_plan *const plan = r->plan;
    GS_TRY(gs_search_plan_open_bounds(plan, st));
    for (size_t i = 0; i < r->count; i++) {
        gs_search_slot *const slot = &r->slots[i];
        GS_TRY(gs_search_plan_open_reader(plan, &slot->info, &slot->reader, st));
        if (slot->info.df < GS_INDEX_BLOCK && !r->is_exhaustive)
            GS_TRY(look_at_short_list(plan, slot, st));
        slot->part = 0;
        slot->window_most = slot->bound.most;
        r->order[i] = i;
    }
    return GS_OK;
}

/* --- one window -------------------------------------------------------------------- */

/* What the term can add to the document, as far as is known without another block. */
static gs_code probe(ranker *r, size_t in_order, uint64_t doc, double *most,
                     gs_status *st)
{
    gs_search_slot *const slot = &r->slots[r->order[in_order]];
    const gs_posting_skip *skip;
    *most = slot->window_most;
    GS_TRY(gs_posting_list_peek(reader_of(r, in_order), doc, &skip, st));
    if (skip == NULL)
        return GS_OK; /* if the block is there, looking is cheaper */
    if (slot->probed != skip->impacts) {
        slot->probed = skip->impacts;
        slot->probed_most = gs_block_bound_entry(&slot->bound, skip);
    }
    *most = slot->probed_most < *most ? slot->probed_most : *most;
    return GS_OK;
}

/* The document's essential terms are in the parts already, `part` together. */
static gs_code settle(ranker *r, uint64_t doc, double part, gs_status *st)
{
    gs_search_plan *const plan = r->plan;
    for (size_t i = r->split; i-- > 0;) {
        gs_posting_list *const reader = reader_of(r, i);
        gs_search_slot *const slot = &r->slots[r->order[i]];
        double most = 0;
        bool is_hopeless = gs_rank_is_hopeless(r->top, part + r->sums[i + 1]);
        if (!is_hopeless) {
            GS_TRY(probe(r, i, doc, &most, st));
            is_hopeless = gs_rank_is_hopeless(r->top, part + r->sums[i] + most);
        }
        if (is_hopeless) {
            gs_search_plan_forget(plan);
            return GS_OK;
        }
        GS_TRY(gs_posting_list_seek(reader, doc, st));
        if (reader->doc == doc) {
            slot->part = gs_search_plan_part(plan, slot, reader);
            part += slot->part;
        }
    }
    return gs_top_docs_add(r->top, doc, gs_search_plan_sum(plan), st);
}

/* One essential term: its postings one after the other. */
static gs_code walk_one(ranker *r, uint64_t to, gs_status *st)
{
    gs_posting_list *const reader = reader_of(r, r->split);
    gs_search_slot *const slot = &r->slots[r->order[r->split]];
    while (reader->doc <= to && reader->doc != GS_NO_DOC) {
        const double part = gs_search_plan_part(r->plan, slot, reader);
        if (!gs_rank_is_hopeless(r->top, part + r->sums[r->split])) {
            slot->part = part;
            GS_TRY(settle(r, reader->doc, part, st));
            move_split(r);
            if (r->split == r->count)
                return GS_OK;
        }
        GS_TRY(gs_posting_list_next(reader, st));
    }
    return GS_OK;
}

static uint64_t first_head(const ranker *r)
{
    uint64_t first = GS_NO_DOC;
    for (size_t i = r->split; i < r->count; i++)
        first = r->heads[i] < first ? r->heads[i] : first;
    return first;
}

/* Takes the document from all essential terms that are at it: their parts of its score.
 * *next is the first document of any of them behind it. */
static gs_code take_parts(ranker *r, uint64_t doc, double *part, uint64_t *next,
                          gs_status *st)
{
    *part = 0;
    *next = GS_NO_DOC;
    r->hit_count = 0;
    for (size_t i = r->split; i < r->count; i++) {
        if (r->heads[i] == doc) {
            gs_posting_list *const reader = reader_of(r, i);
            gs_search_slot *const slot = &r->slots[r->order[i]];
            slot->part = gs_search_plan_part(r->plan, slot, reader);
            *part += slot->part;
            r->hits[r->hit_count++] = r->order[i];
            GS_TRY(gs_posting_list_next(reader, st));
            r->heads[i] = reader->doc;
        }
        *next = r->heads[i] < *next ? r->heads[i] : *next;
    }
    return GS_OK;
}

/* Several essential terms: the first document of any of them, and so on. */
static gs_code walk_several(ranker *r, uint64_t to, gs_status *st)
{
    for (size_t i = r->split; i < r->count; i++)
        r->heads[i] = reader_of(r, i)->doc;
    for (uint64_t doc = first_head(r), next; doc <= to && doc != GS_NO_DOC; doc = next) {
        double part;
        GS_TRY(take_parts(r, doc, &part, &next, st));
        if (gs_rank_is_hopeless(r->top, part + r->sums[r->split])) {
            while (r->hit_count > 0)
                r->slots[r->hits[--r->hit_count]].part = 0;
            continue;
        }
        const size_t before = r->split;
        GS_TRY(settle(r, doc, part, st));
        move_split(r);
        if (r->split != before)
            next = first_head(r);
    }
    return GS_OK;
}

static gs_code walk(ranker *r, uint64_t from, uint64_t to, gs_status *st)
{
    for (size_t i = r->split; i < r->count; i++) {
        gs_posting_list *const reader = reader_of(r, i);
        GS_TRY(gs_posting_list_seek(reader, from, st));
    }
    if (r->split + 1 == r->count)
        return walk_one(r, to, st);
    return walk_several(r, to, st);
}

/* --- windows ----------------------------------------------------------------------- */

/* Bounds what every term can add from `from` up to where the window ends. */
static gs_code cut_window(ranker *r, uint64_t from, uint64_t *to, gs_status *st)
{
    *to = GS_NO_DOC;
    for (size_t i = 0; i < r->count; i++) {
        gs_search_slot *const slot = &r->slots[i];
        GS_TRY(gs_block_bound_seek(&slot->bound, from, st));
    }
    for (size_t i = r->split; i < r->count; i++) {
        const gs_block_bound *const b = &r->slots[r->order[i]].bound;
        *to = b->last < *to ? b->last : *to;
    }
    *to = gs_rank_window_end(from, *to, r->count);
    for (size_t i = 0; i < r->count; i++) {
        gs_search_slot *const slot = &r->slots[i];
        GS_TRY(gs_block_bound_over(&slot->bound, *to, &slot->window_most, st));
        if (r->plan->readers[slot->reader].doc == GS_NO_DOC)
            slot->window_most = 0;
    }
    return GS_OK;
}

/* Everything as one window. */
static gs_code rank_all(ranker *r, gs_status *st)
{
    sort_order(r);
    return walk(r, 0, GS_NO_DOC, st);
}

static gs_code rank_in_windows(ranker *r, gs_status *st)
{
    for (uint64_t from = 0, to; from != GS_NO_DOC; from = to == GS_NO_DOC ? to : to + 1) {
        /* Which terms are essential, as far as whole lists tell. */
        for (size_t i = 0; i < r->count; i++)
            r->slots[i].window_most = r->slots[i].bound.most;
        sort_order(r);
        move_split(r);
        if (r->split == r->count)
            return GS_OK;
        GS_TRY(cut_window(r, from, &to, st));
        sort_order(r);
        move_split(r);
        if (r->split < r->count)
            GS_TRY(walk(r, from, to, st));
    }
    return GS_OK;
}

gs_code gs_rank_any(gs_search_plan *plan, bool is_exhaustive, gs_top_docs *top,
                    gs_status *st)
{
    ranker r = {.plan = plan,
                .slots = plan->slots,
                .count = plan->slot_count,
                .order = plan->order,
                .sums = plan->sums,
                .heads = plan->heads,
                .hits = plan->hits,
                .is_exhaustive = is_exhaustive,
                .top = top};
    if (r.count == 0)
        return GS_OK;
    GS_NOTED(open(&r, st));
    if (st->code == GS_OK)
        GS_NOTED(is_exhaustive ? rank_all(&r, st) : rank_in_windows(&r, st));
    return st->code;
}
