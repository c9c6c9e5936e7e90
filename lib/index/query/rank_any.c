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
 * Postings of essential terms are scored a block at a time, by vectors. Of several such
 * terms each adds its scores to those of 2048 documents, and keeps them besides: the few
 * documents that come to the best get theirs added up in the order that makes the score.
 *
 * tests/bench/search_skipping.py, 1 GB of Zipf documents, queries of two to five
 * words: 1.4 % of the postings are scored and 7 % of the blocks read, in a sixteenth to a
 * nineteenth of the processor time of scoring all.
 */
#include "lib/base/mem.h"
#include "lib/index/query/rank.h"
#include "lib/index/query/rank_batch.h"

enum { WORD_BITS = 64, WINDOW_DOCS = 2048, WINDOW_WORDS = WINDOW_DOCS / WORD_BITS };

/* Documents from `base` on. */
typedef struct gs_rank_window {
    uint64_t base;
    uint64_t touched[WINDOW_WORDS];
    double
        sums[WINDOW_DOCS]; /* of what essential terms add; 0 where nothing is touched */
} window;

/* What a slot adds in the window, document after document. */
typedef struct gs_rank_log {
    size_t count;
    uint16_t at[WINDOW_DOCS];
    double parts[WINDOW_DOCS];
} part_log;

typedef struct ranker {
    gs_search_plan *plan;
    gs_search_slot *slots;
    size_t count;
    size_t *order; /* of slots, by what they can add in the window */
    double *sums;  /* of the first so many in that order */
    size_t split;  /* the first essential one */
    window *window;
    part_log *logs; /* of each slot */
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
    r->sums[0] = 0;
    for (size_t i = 0; i < r->count; i++)
        r->sums[i + 1] = r->sums[i] + r->slots[r->order[i]].window_most;
    r->split = 0;
}

/* Terms that together are hopeless need not be walked. */
static void move_split(ranker *r)
{
    while (r->split < r->count &&
           gs_rank_is_hopeless(r->batch.top, r->sums[r->split + 1]))
        r->split++;
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
        slot->window_most = slot->bound.most;
        r->order[i] = i;
    }
    return GS_OK;
}

/* --- one window -------------------------------------------------------------------- */

/* What the slot adds to the document at that place of the window. */
static double logged(const part_log *log, size_t at)
{
    size_t first = 0;
    for (size_t n = log->count; n > 0;) {
        const size_t half = n / 2;
        const bool is_less = log->at[first + half] < at;
        first = is_less ? first + half + 1 : first;
        n = is_less ? n - half - 1 : half;
    }
    return first < log->count && log->at[first] == at ? log->parts[first] : 0;
}

/* Looks the documents of the batch up in the lists that are not essential. */
static gs_code look_up(ranker *r, gs_status *st)
{
    gs_rank_batch *const b = &r->batch;
    for (size_t i = r->split; i-- > 0 && b->count > 0;)
        GS_TRY(gs_rank_batch_look_up(b, r->order[i], r->sums[i], false, st));
    return GS_OK;
}

static bool is_up_to(const gs_posting_list *reader, uint64_t to)
{
    return reader->doc <= to && reader->doc != GS_NO_DOC;
}

/* Scores postings of the block that the term is in, from there up to the document `to`;
 * returns how many. */
static size_t score(ranker *r, size_t in_order, uint64_t to, double *parts)
{
    gs_posting_list *const reader = reader_of(r, in_order);
    const size_t count = gs_posting_list_count_to(reader, to), at = reader->at;
    gs_search_plan_score(r->plan, &r->slots[r->order[in_order]], reader->docs + at,
                         gs_posting_list_tfs(reader) + at, count, parts);
    return count;
}

/* One essential term: those of its postings that the others can make good. */
static gs_code walk_one(ranker *r, uint64_t to, gs_status *st)
{
    gs_posting_list *const reader = reader_of(r, r->split);
    const size_t slot = r->order[r->split];
    while (is_up_to(reader, to)) {
        double parts[GS_INDEX_BLOCK];
        uint8_t which[GS_INDEX_BLOCK];
        const size_t count = score(r, r->split, to, parts);
        const size_t picked = gs_score_pick(parts, count, r->sums[r->split],
                                            gs_top_docs_threshold(r->batch.top), which);
        for (size_t i = 0; i < picked; i++) {
            gs_rank_batch_add(&r->batch, reader->docs[reader->at + which[i]],
                              parts[which[i]]);
            *gs_rank_batch_part(&r->batch, slot, i) = parts[which[i]];
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
    window *const w = r->window;
    part_log *const log = &r->logs[r->order[in_order]];
    gs_posting_list *const reader = reader_of(r, in_order);
    log->count = 0;
    while (is_up_to(reader, to)) {
        double *const parts = log->parts + log->count;
        const uint64_t *const docs = reader->docs + reader->at;
        const size_t count = score(r, in_order, to, parts);
        for (size_t i = 0; i < count; i++) {
            const size_t at = (size_t)(docs[i] - w->base);
            w->sums[at] += parts[i];
            w->touched[at / WORD_BITS] |= UINT64_C(1) << (at % WORD_BITS);
            log->at[log->count + i] = (uint16_t)at;
        }
        log->count += count;
        GS_TRY(gs_posting_list_pass(reader, count, st));
    }
    return GS_OK;
}

/* The essential terms' parts of a document of the window are in the logs. */
static void find_parts(ranker *r, size_t in_batch)
{
    gs_rank_batch *const b = &r->batch;
    const size_t at = (size_t)(b->docs[in_batch] - r->window->base);
    for (size_t i = r->split; i < r->count; i++)
        *gs_rank_batch_part(b, r->order[i], in_batch) = logged(&r->logs[r->order[i]], at);
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
    const double others = r->sums[r->split];
    for (size_t word = 0; word < WINDOW_WORDS; word++) {
        for (uint64_t bits = w->touched[word]; bits != 0; bits &= bits - 1) {
            const size_t at = word * WORD_BITS + (size_t)__builtin_ctzll(bits);
            const double sum = w->sums[at];
            w->sums[at] = 0;
            if (gs_rank_is_hopeless(r->batch.top, sum + others))
                continue;
            gs_rank_batch_add(&r->batch, w->base + at, sum);
            if (r->batch.count == GS_RANK_BATCH)
                GS_TRY(settle(r, st));
        }
        w->touched[word] = 0;
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
        const uint64_t doc = first_doc(r, to), last = doc + (WINDOW_DOCS - 1);
        if (doc == GS_NO_DOC)
            return GS_OK;
        r->window->base = doc;
        for (size_t i = r->split; i < r->count; i++)
            GS_TRY(add_term(r, i, last < to ? last : to, st));
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
    r.plan = plan;
    r.slots = plan->slots;
    r.count = plan->slot_count;
    r.order = plan->order;
    r.sums = plan->sums;
    if (r.count == 0)
        return GS_OK;
    GS_TRY(make_room(&r, top, st));
    GS_TRY(open(&r, st));
    return rank_in_windows(&r, st);
}
