/* SPDX-License-Identifier: MIT */
#include "lib/index/query/wide_query.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/index/query/match.h"

enum { WORD_BITS = 64 };

static const char of_query[] = "scores of a query";

/* --- what scores, in which order ---------------------------------------------------- */

static bool begins_so(const gs_search_plan *plan, const gs_search_node *beginning,
                      const uint8_t *term, size_t bytes)
{
    return bytes >= beginning->bytes &&
           memcmp(term, plan->text + beginning->text, beginning->bytes) == 0;
}

/* How much the beginnings count that stand for the term, too; *is_first: none of them,
 * nor the term itself, comes in the query before `order`. */
static double count_beginnings(const gs_wide_query *w, const uint8_t *term, size_t bytes,
                               size_t order, bool *is_first)
{
    double times = 0;
    for (size_t i = 0; i < w->beginning_count; i++) {
        const gs_search_node *const node = &w->plan->nodes[w->beginnings[i]];
        const bool stands = begins_so(w->plan, node, term, bytes);
        times += stands ? node->weight : 0;
        *is_first &= !stands || node->order >= order;
    }
    return times;
}

/* The slot of the term; NULL: it has none. */
static const gs_search_slot *find_slot(const gs_wide_query *w, uint64_t term)
{
    const gs_search_slot *const slots = w->plan->slots;
    size_t first = 0;
    for (size_t n = w->plan->slot_count; n > 0;) {
        const size_t half = n / 2;
        const bool is_less = slots[w->slots[first + half]].term < term;
        first = is_less ? first + half + 1 : first;
        n = is_less ? n - half - 1 : half;
    }
    const bool is_found =
        first < w->plan->slot_count && slots[w->slots[first]].term == term;
    return is_found ? &slots[w->slots[first]] : NULL;
}

static void sort_slots(gs_wide_query *w)
{
    const gs_search_slot *const slots = w->plan->slots;
    for (size_t i = 0; i < w->plan->slot_count; i++) {
        size_t at = i;
        for (; at > 0 && slots[w->slots[at - 1]].term > slots[i].term; at--)
            w->slots[at] = w->slots[at - 1];
        w->slots[at] = i;
    }
}

static size_t order_of(const gs_wide_query *w, const gs_wide_unit *unit)
{
    return unit->is_beginning ? w->plan->nodes[unit->at].order
                              : w->plan->slots[unit->at].order;
}

static void add_unit(gs_wide_query *w, gs_wide_unit unit)
{
    size_t at = w->unit_count++;
    for (; at > 0 && order_of(w, &w->units[at - 1]) > order_of(w, &unit); at--)
        w->units[at] = w->units[at - 1];
    w->units[at] = unit;
}

static gs_code make_units(gs_wide_query *w, gs_status *st)
{
    gs_search_plan *const plan = w->plan;
    for (size_t i = 0; i < plan->node_count; i++) {
        const gs_search_node *const node = &plan->nodes[i];
        if (node->kind != GS_QUERY_PREFIX || !node->is_wanted)
            continue;
        w->beginnings[w->beginning_count++] = i;
        add_unit(w, (gs_wide_unit){.is_beginning = true, .at = i});
    }
    for (size_t i = 0; i < plan->slot_count; i++) {
        gs_search_slot *const slot = &plan->slots[i];
        bool is_first = true;
        const double more = count_beginnings(w, plan->text + slot->text, slot->bytes,
                                             slot->order, &is_first);
        slot->weight = gs_scoring_weight(&plan->scoring, slot->df, slot->times + more);
        GS_TRY(gs_search_plan_open_reader(plan, &slot->info, &slot->reader, st));
        if (is_first)
            add_unit(w, (gs_wide_unit){.is_beginning = false, .at = i});
    }
    sort_slots(w);
    return GS_OK;
}

/* --- lists -------------------------------------------------------------------------- */

static void set_bit(uint64_t *bits, uint64_t at)
{
    bits[at / WORD_BITS] |= UINT64_C(1) << at % WORD_BITS;
}

/* Documents of the window that the list has. */
static gs_code mark(const gs_wide_query *w, gs_posting_list *list, uint64_t *bits,
                    gs_status *st)
{
    GS_TRY(gs_posting_list_seek(list, w->base, st));
    while (list->doc < w->end) {
        const size_t count = gs_posting_list_count_to(list, w->end - 1);
        for (size_t i = 0; i < count; i++)
            set_bit(bits, list->docs[list->at + i] - w->base);
        GS_TRY(gs_posting_list_pass(list, count, st));
    }
    return GS_OK;
}

/* Adds to their scores, too. */
static gs_code add_list(gs_wide_query *w, const gs_search_slot *slot,
                        gs_posting_list *list, gs_status *st)
{
    GS_TRY(gs_posting_list_seek(list, w->base, st));
    while (list->doc < w->end) {
        gs_scores scores;
        const size_t count = gs_posting_list_count_to(list, w->end - 1), at = list->at;
        gs_search_plan_score(w->plan, slot, list->docs + at,
                             gs_posting_list_tfs(list) + at, count, &scores);
        for (size_t i = 0; i < count; i++)
            w->scores[list->docs[at + i] - w->base] += scores.parts[i];
        for (size_t i = 0; w->plan->is_any_of && i < count; i++)
            set_bit(w->levels[0], list->docs[at + i] - w->base);
        GS_TRY(gs_posting_list_pass(list, count, st));
    }
    return GS_OK;
}

/* --- beginnings --------------------------------------------------------------------- */

static gs_code start_list(gs_wide_query *w, gs_status *st)
{
    w->plan->stats.blocks_read += w->list.blocks_read;
    GS_TRY(gs_search_plan_check_term(w->plan, &w->plan->terms->info, st));
    return gs_posting_list_start(&w->list, w->plan->index, &w->plan->terms->info, st);
}

/* A term of the beginning; if it scores somewhere before, it does not so here. */
static gs_code add_term(gs_wide_query *w, const gs_search_node *beginning, gs_status *st)
{
    gs_search_plan *const plan = w->plan;
    const gs_term_cursor *const terms = plan->terms;
    const gs_search_slot *const own = find_slot(w, gs_term_cursor_number(terms));
    bool is_first = own == NULL || own->order > beginning->order;
    const double times =
        count_beginnings(w, terms->term, terms->bytes, beginning->order, &is_first);
    uint64_t df;
    if (!is_first)
        return GS_OK;
    GS_TRY(gs_search_plan_df(plan, terms, 0, &df, st));
    const gs_search_slot slot = {
        .weight = gs_scoring_weight(&plan->scoring, df,
                                    times + (own != NULL ? own->times : 0))};
    GS_TRY(start_list(w, st));
    return add_list(w, &slot, &w->list, st);
}

/* Its terms add to the scores or, if there are bits, are marked. */
static gs_code walk_beginning(gs_wide_query *w, const gs_search_node *node,
                              uint64_t *bits, gs_status *st)
{
    gs_term_cursor *const terms = w->plan->terms;
    GS_TRY(gs_term_cursor_seek(terms, w->plan->text + node->text, node->bytes, st));
    while (terms->has_term && begins_so(w->plan, node, terms->term, terms->bytes)) {
        if (bits == NULL) {
            GS_TRY(add_term(w, node, st));
        } else {
            GS_TRY(start_list(w, st));
            GS_TRY(mark(w, &w->list, bits, st));
        }
        GS_TRY(gs_term_cursor_next(terms, st));
    }
    return GS_OK;
}

static gs_code add_scores(gs_wide_query *w, gs_status *st)
{
    gs_search_plan *const plan = w->plan;
    memset(w->scores, 0, w->words * WORD_BITS * sizeof *w->scores);
    for (size_t i = 0; i < w->unit_count; i++) {
        const gs_wide_unit *const unit = &w->units[i];
        const gs_search_slot *const slot = &plan->slots[unit->at];
        if (unit->is_beginning)
            GS_TRY(walk_beginning(w, &plan->nodes[unit->at], NULL, st));
        else
            GS_TRY(add_list(w, slot, &plan->readers[slot->reader], st));
    }
    return GS_OK;
}

/* --- bits --------------------------------------------------------------------------- */

static gs_code clear(gs_wide_query *w, size_t level, gs_status *st)
{
    if (level == w->level_count) {
        GS_TRY(gs_mem_grow(&w->levels, &w->level_capacity, level + 1, of_query, st));
        w->levels[level] = NULL;
        GS_TRY(
            gs_mem_new(&w->levels[level], w->words * sizeof **w->levels, of_query, st));
        w->level_count++;
    }
    memset(w->levels[level], 0, w->words * sizeof **w->levels);
    return GS_OK;
}

static gs_code mark_phrase(const gs_wide_query *w, int at, uint64_t *bits, gs_status *st)
{
    for (uint64_t doc = w->base;; doc++) {
        GS_TRY(gs_match_seek_node(w->plan, at, doc, &doc, st));
        if (doc >= w->end)
            return GS_OK;
        set_bit(bits, doc - w->base);
    }
}

static gs_code mark_present(const gs_wide_query *w, uint64_t *bits, gs_status *st)
{
    for (uint64_t doc = w->base;; doc++) {
        GS_TRY(gs_doc_presence_next(w->plan->presence, doc, &doc, st));
        if (doc >= w->end)
            return GS_OK;
        set_bit(bits, doc - w->base);
    }
}

static gs_code work_out(gs_wide_query *w, int at, size_t level, gs_status *st);

typedef enum { BITS_AND, BITS_OR, BITS_AND_NOT } bits_way;

/* With all children of that role. */
static gs_code combine(gs_wide_query *w, int list, size_t level, gs_query_role role,
                       bits_way way, gs_status *st)
{
    for (int i = w->plan->nodes[list].first; i != GS_QUERY_NONE;
         i = w->plan->nodes[i].next) {
        if (w->plan->nodes[i].role != role)
            continue;
        GS_TRY(work_out(w, i, level + 1, st));
        uint64_t *const to = w->levels[level];
        const uint64_t *const with = w->levels[level + 1];
        for (size_t k = 0; k < w->words; k++)
            to[k] = way == BITS_AND  ? to[k] & with[k]
                    : way == BITS_OR ? to[k] | with[k]
                                     : to[k] & ~with[k];
    }
    return GS_OK;
}

static __attribute__((noinline)) gs_code work_out_clauses(gs_wide_query *w, int at,
                                                          size_t level, gs_status *st)
{
    const gs_search_node *const node = &w->plan->nodes[at];
    if (node->has_must) {
        memset(w->levels[level], 0xff, w->words * sizeof **w->levels);
        GS_TRY(combine(w, at, level, GS_QUERY_MUST, BITS_AND, st));
    } else if (node->has_should) {
        GS_TRY(combine(w, at, level, GS_QUERY_SHOULD, BITS_OR, st));
    } else if (node->first != GS_QUERY_NONE) {
        GS_TRY(mark_present(w, w->levels[level], st));
    }
    return combine(w, at, level, GS_QUERY_MUST_NOT, BITS_AND_NOT, st);
}

/* Which documents of the window match the node: the bits of the level. */
static gs_code work_out(gs_wide_query *w, int at, size_t level, gs_status *st)
{
    const gs_search_node *const node = &w->plan->nodes[at];
    GS_TRY(clear(w, level, st));
    switch (node->kind) {
    case GS_QUERY_TERM:
        return node->is_known
                   ? mark(w, &w->plan->readers[node->reader], w->levels[level], st)
                   : GS_OK;
    case GS_QUERY_PREFIX: return walk_beginning(w, node, w->levels[level], st);
    case GS_QUERY_PHRASE: return mark_phrase(w, at, w->levels[level], st);
    case GS_QUERY_CLAUSES: break;
    }
    return work_out_clauses(w, at, level, st);
}

/* --- windows ------------------------------------------------------------------------ */

void gs_wide_query_close(gs_search_plan *plan)
{
    gs_wide_query *const w = plan->wide;
    if (w == NULL)
        return;
    for (size_t i = 0; i < w->level_count; i++)
        gs_mem_free(w->levels[i]);
    gs_mem_free(w->levels);
    gs_mem_free(w->scores);
    gs_mem_free(w->units);
    gs_mem_free(w->beginnings);
    gs_mem_free(w->slots);
    gs_posting_list_release(&w->list);
    gs_mem_free(w);
    plan->wide = NULL;
}

static gs_code make_room(gs_wide_query *w, gs_status *st)
{
    const gs_search_plan *const plan = w->plan;
    const size_t units = plan->slot_count + plan->node_count;
    GS_TRY(gs_mem_new(&w->units, units * sizeof *w->units, of_query, st));
    GS_TRY(gs_mem_new(&w->beginnings, units * sizeof *w->beginnings, of_query, st));
    GS_TRY(gs_mem_new(&w->slots, units * sizeof *w->slots, of_query, st));
    if (w->has_scores)
        GS_TRY(gs_mem_new(&w->scores, w->words * WORD_BITS * sizeof *w->scores, of_query,
                          st));
    return clear(w, 0, st);
}

gs_code gs_wide_query_open(gs_search_plan *plan, bool has_scores, gs_status *st)
{
    const uint64_t documents = gs_index_header_of(plan->index)->documents;
    gs_wide_query *w = NULL;
    gs_assert(plan->is_wide);
    gs_wide_query_close(plan);
    GS_TRY(gs_mem_new(&w, sizeof *w, of_query, st));
    *w = (gs_wide_query){.plan = plan, .has_scores = has_scores};
    plan->wide = w;
    w->words = documents < GS_WIDE_DOCS ? (size_t)documents / WORD_BITS + 1
                                        : GS_WIDE_DOCS / WORD_BITS;
    GS_TRY(make_room(w, st));
    GS_TRY(gs_match_open(plan, st));
    return has_scores ? make_units(w, st) : GS_OK;
}

gs_code gs_wide_query_next(gs_wide_query *w, gs_status *st)
{
    const uint64_t documents = gs_index_header_of(w->plan->index)->documents;
    uint64_t base = w->end;
    w->base = GS_NO_DOC;
    if (base >= documents)
        return GS_OK;
    /* Documents of tuples may lie far apart. */
    GS_TRY(gs_doc_presence_next(w->plan->presence, base, &base, st));
    if (base >= documents)
        return GS_OK;
    w->base = base;
    w->end =
        documents - base < w->words * WORD_BITS ? documents : base + w->words * WORD_BITS;
    GS_TRY(clear(w, 0, st));
    if (w->has_scores)
        GS_TRY(add_scores(w, st));
    return w->has_scores && w->plan->is_any_of ? GS_OK
                                               : work_out(w, w->plan->root, 0, st);
}

uint64_t gs_wide_query_match(const gs_wide_query *w, uint64_t doc)
{
    uint64_t at = doc - w->base;
    while (doc < w->end && at < w->end - w->base) {
        const uint64_t left = w->levels[0][at / WORD_BITS] >> at % WORD_BITS;
        if (left != 0) {
            const uint64_t match = w->base + at + (uint64_t)__builtin_ctzll(left);
            return match < w->end ? match : GS_NO_DOC;
        }
        at = (at / WORD_BITS + 1) * WORD_BITS;
    }
    return GS_NO_DOC;
}

static gs_code rank_windows(gs_wide_query *w, gs_top_docs *top, gs_status *st)
{
    for (;;) {
        GS_TRY(gs_wide_query_next(w, st));
        if (w->base == GS_NO_DOC)
            return GS_OK;
        for (uint64_t doc = w->base; (doc = gs_wide_query_match(w, doc)) != GS_NO_DOC;
             doc++)
            GS_TRY(gs_top_docs_add(top, doc, w->scores[doc - w->base], st));
    }
}

gs_code gs_rank_wide(gs_search_plan *plan, gs_top_docs *top, gs_status *st)
{
    if (gs_wide_query_open(plan, true, st) == GS_OK)
        GS_NOTED(rank_windows(plan->wide, top, st));
    if (plan->wide != NULL)
        plan->stats.blocks_read += plan->wide->list.blocks_read;
    gs_wide_query_close(plan);
    return st->code;
}
