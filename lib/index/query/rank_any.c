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
 * Bounds are by the length of the document (lib/index/read/length_bound.h): a long one,
 * which is where terms come often, adds less for it. So each document is held against
 * what the other terms can add to one of its length.
 *
 * Postings of essential terms are scored a block at a time, by vectors. Of several such
 * terms each adds its scores to those of 2048 documents (score_window.h), and keeps them
 * besides: the few documents that come to the best get theirs added up in the order that
 * makes the score.
 *
 * tests/bench/search_skipping.py, 1 GB of Zipf documents, queries of two to five
 * words: 1.4 % of the postings are scored and 7 % of the blocks read, in a sixteenth to a
 * nineteenth of the processor time of scoring all.
 */
#include <string.h>

#include "lib/base/mem.h"
#include "lib/index/query/rank.h"
#include "lib/index/query/rank_batch.h"
#include "lib/index/query/score_window.h"

/* Documents, and those of them that may be among the best. */
typedef struct gs_rank_window {
    gs_score_window scores;
    uint16_t picked[GS_WINDOW_PICK_ROOM];
    float sums[GS_WINDOW_PICK_ROOM];
} window;

typedef struct ranker {
    gs_search_plan *plan;
    gs_search_slot *slots;
    size_t count;
    size_t *order;      /* of slots, by what they can add in the window */
    size_t *list_order; /* and in all of their lists, which stays as it is */
    gs_length_bounds *list_sums;
    size_t list_split;
    gs_length_bounds *sums; /* of the first so many in that order */
    size_t split;           /* the first essential one */
    window *window;
    gs_score_log *logs; /* of each slot */
    gs_rank_batch batch;
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
    gs_length_bounds_set(&r->sums[0], 0);
    for (size_t i = 0; i < r->count; i++)
        gs_length_bounds_add(&r->sums[i + 1], &r->sums[i], &r->slots[r->order[i]].window);
    r->split = 0;
}

/* Terms that together are hopeless need not be walked. */
static void move(const ranker *r, const gs_length_bounds *sums, size_t *split)
{
    while (*split < r->count && gs_rank_are_hopeless(r->batch.top, &sums[*split + 1]))
        ++*split;
}

static void move_split(ranker *r)
{
    move(r, r->sums, &r->split);
}

/* By what whole lists can add. */
static void sort_lists(ranker *r)
{
    for (size_t i = 0; i < r->count; i++) {
        gs_search_slot *const slot = &r->slots[i];
        slot->window = slot->bound.most;
        slot->window_most = gs_length_bounds_most(&slot->window);
    }
    sort_order(r);
    memcpy(r->list_order, r->order, r->count * sizeof *r->order);
    memcpy(r->list_sums, r->sums, (r->count + 1) * sizeof *r->sums);
    r->list_split = 0;
}

static gs_code open(ranker *r, gs_status *st)
{
    gs_search_plan *const plan = r->plan;
    GS_TRY(gs_search_plan_open_bounds(plan, st));
    for (size_t i = 0; i < r->count; i++) {
        gs_search_slot *const slot = &r->slots[i];
        GS_TRY(gs_search_plan_open_reader(plan, &slot->info, &slot->reader, st));
        GS_TRY(gs_search_plan_look_at_short(plan, slot, st));
        slot->part = 0;
        r->order[i] = i;
    }
    return GS_OK;
}

/* --- one window -------------------------------------------------------------------- */

/* Looks the documents of the batch up in the lists that are not essential. */
static gs_code look_up(ranker *r, gs_status *st)
{
    gs_rank_batch *const b = &r->batch;
    for (size_t i = r->split; i-- > 0 && b->count > 0;)
        GS_TRY(gs_rank_batch_look_up(b, r->order[i], &r->sums[i], false, st));
    return GS_OK;
}

static bool is_up_to(const gs_posting_list *reader, uint64_t to)
{
    return reader->doc <= to && reader->doc != GS_NO_DOC;
}

/* Scores postings of the block that the term is in, from there up to the document `to`;
 * returns how many. */
static size_t score(ranker *r, size_t in_order, uint64_t to, gs_scores *scores)
{
    gs_posting_list *const reader = reader_of(r, in_order);
    const size_t count = gs_posting_list_count_to(reader, to), at = reader->at;
    gs_search_plan_score(r->plan, &r->slots[r->order[in_order]], reader->docs + at,
                         gs_posting_list_tfs(reader) + at, count, scores);
    return count;
}

/* One essential term: those of its postings that the others can make good. */
static gs_code walk_one(ranker *r, uint64_t to, gs_status *st)
{
    gs_posting_list *const reader = reader_of(r, r->split);
    const size_t slot = r->order[r->split];
    while (is_up_to(reader, to)) {
        gs_scores scores;
        uint8_t which[GS_INDEX_BLOCK];
        const size_t count = score(r, r->split, to, &scores);
        const size_t picked =
            gs_score_pick(r->plan->score_way, &scores, count, &r->sums[r->split],
                          gs_top_docs_threshold(r->batch.top), which);
        for (size_t i = 0; i < picked; i++) {
            const size_t at = which[i];
            gs_rank_batch_add(&r->batch, reader->docs[reader->at + at], scores.parts[at],
                              scores.classes[at]);
            *gs_rank_batch_part(&r->batch, slot, i) = scores.parts[at];
        }
        GS_TRY(gs_posting_list_pass(reader, count, st));
        if (picked == 0)
            continue;
        GS_TRY(look_up(r, st));
        GS_TRY(gs_rank_batch_finish(&r->batch, st));
        gs_rank_batch_clear(&r->batch);
        move_split(r);
        if (r->split == r->count)
            return GS_OK;
    }
    return GS_OK;
}

/* Adds what an essential term adds in the window up to `to`. */
static gs_code add_term(ranker *r, size_t in_order, uint64_t to, gs_status *st)
{
    gs_score_log *const log = &r->logs[r->order[in_order]];
    gs_posting_list *const reader = reader_of(r, in_order);
    log->count = 0;
    while (is_up_to(reader, to)) {
        gs_scores scores;
        const uint64_t *const docs = reader->docs + reader->at;
        const size_t count = score(r, in_order, to, &scores);
        gs_score_window_add(&r->window->scores, log, docs, &scores, count);
        GS_TRY(gs_posting_list_pass(reader, count, st));
    }
    return GS_OK;
}

/* The essential terms' parts of a document of the window are in the logs. */
static void find_parts(ranker *r, size_t in_batch)
{
    gs_rank_batch *const b = &r->batch;
    const size_t at = (size_t)(b->docs[in_batch] - r->window->scores.base);
    for (size_t i = r->split; i < r->count; i++)
        *gs_rank_batch_part(b, r->order[i], in_batch) =
            gs_score_log_part(&r->logs[r->order[i]], at);
}

/* Documents of the window: the logs are asked only for those that come to the best. */
static gs_code settle(ranker *r, gs_status *st)
{
    gs_rank_batch *const b = &r->batch;
    GS_TRY(look_up(r, st));
    for (size_t i = 0; i < b->count; i++) {
        if (gs_rank_is_hopeless(b->top, b->sums[i]))
            continue;
        find_parts(r, i);
        GS_TRY(gs_rank_batch_take(b, i, st));
    }
    gs_rank_batch_clear(b);
    return GS_OK;
}

static gs_code take_window(ranker *r, gs_status *st)
{
    window *const w = r->window;
    double least[GS_LENGTH_CLASSES];
    gs_rank_batch_need(&r->batch, &r->sums[r->split], least);
    const size_t picked = gs_score_window_pick(
        r->plan->score_way, &w->scores, r->count - r->split, least, w->picked, w->sums);
    for (size_t i = 0; i < picked; i++) {
        const uint8_t length_class = w->scores.classes[w->picked[i]];
        const double sum = (double)w->sums[i];
        if (sum <= least[length_class])
            continue; /* by now */
        gs_rank_batch_add(&r->batch, w->scores.base + w->picked[i], sum, length_class);
        if (r->batch.count < GS_RANK_BATCH)
            continue;
        GS_TRY(settle(r, st));
        gs_rank_batch_need(&r->batch, &r->sums[r->split], least);
    }
    return settle(r, st);
}

/* The first document of an essential term; GS_NO_DOC: none up to `to`. */
static uint64_t first_doc(const ranker *r, uint64_t to)
{
    uint64_t first = GS_NO_DOC;
    for (size_t i = r->split; i < r->count; i++) {
        const uint64_t doc = reader_of(r, i)->doc;
        first = doc < first ? doc : first;
    }
    return first <= to ? first : GS_NO_DOC;
}

/* Essential terms one after the other in windows of so many documents, until there is but
 * one of them. */
static gs_code walk(ranker *r, uint64_t from, uint64_t to, gs_status *st)
{
    for (size_t i = r->split; i < r->count; i++) {
        gs_posting_list *const reader = reader_of(r, i);
        GS_TRY(gs_posting_list_seek(reader, from, st));
    }
    while (r->split + 1 < r->count) {
        const uint64_t doc = first_doc(r, to);
        if (doc == GS_NO_DOC)
            return GS_OK;
        const uint64_t docs = to - doc < GS_WINDOW_DOCS ? to - doc + 1 : GS_WINDOW_DOCS;
        gs_score_window_begin(&r->window->scores, doc);
        for (size_t i = r->split; i < r->count; i++)
            GS_TRY(add_term(r, i, doc + docs - 1, st));
        GS_TRY(take_window(r, st));
        move_split(r);
    }
    return r->split < r->count ? walk_one(r, to, st) : GS_OK;
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
    for (size_t i = r->list_split; i < r->count; i++) {
        const gs_block_bound *const b = &r->slots[r->list_order[i]].bound;
        *to = b->last < *to ? b->last : *to;
    }
    *to = gs_rank_window_end(from, *to, r->count);
    for (size_t i = 0; i < r->count; i++) {
        gs_search_slot *const slot = &r->slots[i];
        GS_TRY(gs_block_bound_over(&slot->bound, *to, &slot->window, st));
        if (r->plan->readers[slot->reader].doc == GS_NO_DOC)
            gs_length_bounds_set(&slot->window, 0);
        slot->window_most = gs_length_bounds_most(&slot->window);
    }
    return GS_OK;
}

static gs_code rank_in_windows(ranker *r, gs_status *st)
{
    sort_lists(r);
    for (uint64_t from = 0, to; from != GS_NO_DOC; from = to == GS_NO_DOC ? to : to + 1) {
        move(r, r->list_sums, &r->list_split);
        if (r->list_split == r->count)
            return GS_OK;
        GS_TRY(cut_window(r, from, &to, st));
        sort_order(r);
        move_split(r);
        if (r->split < r->count)
            GS_TRY(walk(r, from, to, st));
    }
    return GS_OK;
}

static gs_code make_room(ranker *r, gs_top_docs *top, gs_status *st)
{
    gs_search_plan *const plan = r->plan;
    if (plan->window == NULL)
        GS_TRY(gs_mem_new(&plan->window, sizeof *plan->window, "scores", st));
    GS_TRY(gs_mem_grow(&plan->logs, &plan->log_capacity, r->count, "scores", st));
    r->window = plan->window;
    r->logs = plan->logs;
    *r->window = (window){0}; /* a query that failed may have left something */
    return gs_rank_batch_open(&r->batch, plan, top, st);
}

gs_code gs_rank_any(gs_search_plan *plan, gs_top_docs *top, gs_status *st)
{
    ranker r;
    if (plan->slot_count == 0)
        return GS_OK; /* and there is no room */
    r.plan = plan;
    r.slots = plan->slots;
    r.count = plan->slot_count;
    r.order = plan->order;
    r.list_order = plan->order + r.count;
    r.sums = plan->sums;
    r.list_sums = plan->sums + r.count + 1;
    GS_TRY(make_room(&r, top, st));
    GS_TRY(open(&r, st));
    return rank_in_windows(&r, st);
}
