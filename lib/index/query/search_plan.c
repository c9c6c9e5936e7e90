/* SPDX-License-Identifier: MIT */
#include "lib/index/query/search_plan.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/index/query/wide_query.h"

typedef struct planner {
    gs_search_plan *plan;
    const gs_query *query;
    gs_term_cursor *terms;
} planner;

/* Of so many documents with such lengths, which may be more than the index has. */
static void set_scoring(gs_search_plan *plan, double k1, double b, uint64_t documents,
                        uint64_t length_sum)
{
    const gs_index_header *const h = gs_index_header_of(plan->index);
    plan->scoring = (gs_scoring){
        .kind = h->has_impacts ? GS_SCORING_IMPACTS : GS_SCORING_BM25,
        .bm25 = gs_bm25_make(k1, plan->lengths != NULL ? b : 0, documents, length_sum),
    };
    /* Classes of lengths may be around any length: here those of this index. */
    gs_length_scale_make(&plan->scale, &plan->scoring,
                         h->documents > 0 ? (double)h->length_sum / (double)h->documents
                                          : 1);
}

void gs_search_plan_init(gs_search_plan *plan, const gs_index *index,
                         gs_segment_terms *all, gs_doc_presence *presence, double k1,
                         double b)
{
    const gs_index_header *const h = gs_index_header_of(index);
    *plan = (gs_search_plan){.index = index,
                             .all = all,
                             .presence = presence,
                             .lengths =
                                 h->has_impacts ? NULL : gs_index_document_lengths(index),
                             .length_pages = gs_index_pages(index, GS_INDEX_DOCUMENTS),
                             .score_way = gs_score_best_way(),
                             .root = GS_QUERY_NONE};
    set_scoring(plan, k1, b, all != NULL ? all->segments->documents : h->documents,
                all != NULL ? all->segments->length_sum : h->length_sum);
}

void gs_search_plan_set_collection(gs_search_plan *plan, double k1, double b,
                                   const gs_collection_stats *collection)
{
    plan->collection = collection;
    set_scoring(plan, k1, b, collection->documents, collection->length_sum);
}

gs_code gs_search_plan_check_term(const gs_search_plan *plan, const gs_term_info *info,
                                  gs_status *st)
{
    return info->df <= gs_index_header_of(plan->index)->documents
               ? GS_OK
               : gs_index_damaged(plan->index, GS_INDEX_TERMS,
                                  "a term has more documents than there are", st);
}

gs_code gs_search_plan_df(const gs_search_plan *plan, const gs_term_cursor *term,
                          size_t column, uint64_t *df, gs_status *st)
{
    *df = term->info.df;
    if (plan->all != NULL)
        GS_TRY(gs_segment_terms_df(plan->all, term->term, term->bytes, df, st));
    if (plan->gathered != NULL)
        return gs_collection_stats_note(plan->gathered, term->term, term->bytes, *df, st);
    if (plan->collection == NULL ||
        gs_collection_stats_find(plan->collection, term->term, term->bytes, df))
        return GS_OK;
    return GS_FAIL(st, GS_ERR_ARG, 0, "column %zu: the statistics do not know the term",
                   column);
}

void gs_search_plan_check_length(gs_search_plan *plan, uint64_t doc)
{
    gs_status st = {.code = GS_OK};
    const uint8_t *const at = (const uint8_t *)&plan->lengths[doc];
    GS_NOTED(gs_index_compare_pages(plan->index, GS_INDEX_DOCUMENTS, at,
                                    at + sizeof *plan->lengths, &st));
    gs_status_keep_first(&plan->damage, &st);
}

void gs_search_plan_score(gs_search_plan *plan, const gs_search_slot *slot,
                          const uint64_t *docs, const uint64_t *tfs, size_t count,
                          gs_scores *out)
{
    const gs_score_rule rule = {&plan->scoring, slot->weight, plan->lengths,
                                plan->scale.first};
    for (size_t i = 0; plan->lengths != NULL && !plan->knows_lengths && i < count; i++)
        (void)gs_search_plan_length(plan, docs[i]);
    gs_score_block(plan->score_way, &rule, docs, tfs, count, out);
    plan->stats.postings_scored += count;
}

void gs_search_plan_release(gs_search_plan *plan)
{
    for (size_t i = 0; i < plan->reader_capacity; i++)
        gs_posting_list_release(&plan->readers[i]);
    gs_mem_free(plan->readers);
    gs_mem_free(plan->slots);
    gs_mem_free(plan->nodes);
    gs_mem_free(plan->order);
    gs_mem_free(plan->sums);
    gs_mem_free(plan->window);
    gs_mem_free(plan->logs);
    gs_mem_free(plan->batch_parts);
    gs_mem_free(plan->common_tfs);
    gs_wide_query_close(plan);
    gs_rank_lists_free(plan->lists);
    *plan = (gs_search_plan){0};
}

static const char of_plan[] = "plan of a query";

static gs_code add_node(gs_search_plan *plan, gs_query_kind kind, int *out, gs_status *st)
{
    GS_TRY(gs_mem_grow(&plan->nodes, &plan->node_capacity, plan->node_count + 1, of_plan,
                       st));
    *out = (int)plan->node_count++;
    plan->nodes[*out] = (gs_search_node){.kind = kind,
                                         .first = GS_QUERY_NONE,
                                         .last = GS_QUERY_NONE,
                                         .next = GS_QUERY_NONE,
                                         .slot = SIZE_MAX};
    return GS_OK;
}

static void append(gs_search_plan *plan, int parent, int child, gs_query_role role)
{
    gs_search_node *const p = &plan->nodes[parent];
    plan->nodes[child].role = role;
    if (p->last == GS_QUERY_NONE)
        p->first = child;
    else
        plan->nodes[p->last].next = child;
    p->last = child;
}

/* The slot of the term that the cursor is at: one of the first `known`, if the query has
 * wanted it before, or a new one. */
static gs_code want(gs_search_plan *plan, const gs_term_cursor *term,
                    const gs_query_node *from, size_t known, size_t *out, gs_status *st)
{
    const uint64_t number = gs_term_cursor_number(term);
    for (size_t i = 0; i < known; i++) {
        if (plan->slots[i].term == number) {
            plan->slots[i].times += from->weight;
            *out = i;
            return GS_OK;
        }
    }
    GS_TRY(gs_mem_grow(&plan->slots, &plan->slot_capacity, plan->slot_count + 1, of_plan,
                       st));
    *out = plan->slot_count++;
    plan->slots[*out] = (gs_search_slot){
        .term = number, .info = term->info, .times = from->weight, .reader = SIZE_MAX};
    plan->slots[*out].order = plan->wanted_count++;
    return gs_search_plan_df(plan, term, from->column, &plan->slots[*out].df, st);
}

/* --- nodes ------------------------------------------------------------------------- */

static gs_code too_many(const gs_query_node *from, gs_status *st)
{
    (void)GS_FAIL(st, GS_ERR_ARG, 0,
                  "column %zu: with this the query has more than %d terms", from->column,
                  GS_SEARCH_TERMS_MAX);
    return st->code;
}

/* Does any document have the term that the cursor is at? One that only deleted documents
 * have still lies in the dictionary, but the index is to look as one of what is left: the
 * term neither counts nor is told of. */
static gs_code is_left(const planner *p, bool *out, gs_status *st)
{
    const gs_search_plan *const plan = p->plan;
    uint64_t df;
    *out = true;
    if (!plan->has_deleted)
        return GS_OK;
    GS_TRY(gs_search_plan_check_term(plan, &p->terms->info, st));
    GS_TRY(gs_segment_terms_df(plan->all, p->terms->term, p->terms->bytes, &df, st));
    *out = df > 0;
    return GS_OK;
}

/* A leaf of the term that the cursor is at, or of none if it is not known. Only the first
 * `known_slots` slots can hold this term already. */
static gs_code add_leaf(const planner *p, const gs_query_node *from, bool is_known,
                        bool is_wanted, size_t known_slots, int *out, gs_status *st)
{
    gs_search_plan *const plan = p->plan;
    GS_TRY(add_node(plan, GS_QUERY_TERM, out, st));
    if (++plan->leaf_count > GS_SEARCH_TERMS_MAX && plan->is_wide)
        return too_many(from, st); /* otherwise the plan is made anew */
    gs_search_node *const node = &plan->nodes[*out];
    node->offset = from->offset;
    node->is_known = is_known;
    if (!is_known)
        return GS_OK;
    node->info = p->terms->info;
    node->cost = node->info.df;
    GS_TRY(gs_search_plan_check_term(plan, &node->info, st));
    if (!is_wanted)
        return GS_OK;
    GS_TRY(want(plan, p->terms, from, known_slots, &node->slot, st));
    plan->slots[node->slot].text = from->text;
    plan->slots[node->slot].bytes = from->bytes;
    return GS_OK;
}

/* A beginning whose terms are looked for later. */
static gs_code add_wide_prefix(const planner *p, const gs_query_node *from,
                               bool is_wanted, int *out, gs_status *st)
{
    gs_search_plan *const plan = p->plan;
    GS_TRY(add_node(plan, GS_QUERY_PREFIX, out, st));
    gs_search_node *const node = &plan->nodes[*out];
    node->text = from->text;
    node->bytes = from->bytes;
    node->weight = from->weight;
    node->is_wanted = is_wanted;
    node->order = is_wanted ? plan->wanted_count++ : 0;
    node->cost = gs_index_header_of(plan->index)->documents;
    return GS_OK;
}

static gs_code add_prefix(const planner *p, const gs_query_node *from, bool is_wanted,
                          int *out, gs_status *st)
{
    const uint8_t *const prefix = p->query->text + from->text;
    const size_t slots =
        p->plan->slot_count; /* the terms that follow are all different */
    GS_TRY(add_node(p->plan, GS_QUERY_CLAUSES, out, st));
    GS_TRY(gs_term_cursor_seek(p->terms, prefix, from->bytes, st));
    while (p->plan->leaf_count <= GS_SEARCH_TERMS_MAX && p->terms->has_term &&
           p->terms->bytes >= from->bytes &&
           memcmp(p->terms->term, prefix, from->bytes) == 0) {
        int leaf;
        bool counts;
        GS_TRY(is_left(p, &counts, st));
        if (counts) {
            GS_TRY(add_leaf(p, from, true, is_wanted, slots, &leaf, st));
            append(p->plan, *out, leaf, GS_QUERY_SHOULD);
        }
        GS_TRY(gs_term_cursor_next(p->terms, st));
    }
    return GS_OK;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* About how many documents match a list of clauses or a phrase. */
static void estimate(gs_search_plan *plan, int at)
{
    gs_search_node *const node = &plan->nodes[at];
    const uint64_t all = gs_index_header_of(plan->index)->documents;
    uint64_t must = all, should = 0;
    for (int i = node->first; i != GS_QUERY_NONE; i = plan->nodes[i].next) {
        const gs_search_node *const child = &plan->nodes[i];
        node->has_must |= child->role == GS_QUERY_MUST;
        node->has_should |= child->role == GS_QUERY_SHOULD;
        if (child->role == GS_QUERY_MUST)
            must = least(must, child->cost);
        else if (child->role == GS_QUERY_SHOULD)
            should = least(all, should + child->cost);
    }
    node->cost = node->has_should && !node->has_must ? should : must;
}

/* What must match, the rarest first; then what must not; then what should. */
static bool comes_before(const gs_search_node *a, const gs_search_node *b)
{
    static const int rank[] = {
        [GS_QUERY_MUST] = 0, [GS_QUERY_MUST_NOT] = 1, [GS_QUERY_SHOULD] = 2};
    if (a->role != b->role)
        return rank[a->role] < rank[b->role];
    return a->role == GS_QUERY_MUST && a->cost < b->cost;
}

/* Takes the list apart and puts it together sorted, run by run. */
static int sort_children(gs_search_node *nodes, int first)
{
    if (first == GS_QUERY_NONE || nodes[first].next == GS_QUERY_NONE)
        return first;
    int slow = first, fast = nodes[first].next;
    while (fast != GS_QUERY_NONE && nodes[fast].next != GS_QUERY_NONE) {
        slow = nodes[slow].next;
        fast = nodes[nodes[fast].next].next;
    }
    int b = nodes[slow].next, head = GS_QUERY_NONE, tail = GS_QUERY_NONE;
    nodes[slow].next = GS_QUERY_NONE;
    int a = sort_children(nodes, first);
    b = sort_children(nodes, b);
    while (a != GS_QUERY_NONE || b != GS_QUERY_NONE) {
        const bool takes_b = a == GS_QUERY_NONE ||
                             (b != GS_QUERY_NONE && comes_before(&nodes[b], &nodes[a]));
        int *const from = takes_b ? &b : &a;
        if (tail == GS_QUERY_NONE)
            head = *from;
        else
            nodes[tail].next = *from;
        tail = *from;
        *from = nodes[*from].next;
    }
    return head;
}

static gs_code add_tree(const planner *p, int from, bool is_wanted, int *out,
                        gs_status *st);

static gs_code add_children(const planner *p, const gs_query_node *from, bool is_wanted,
                            int *out, gs_status *st)
{
    GS_TRY(add_node(p->plan, from->kind, out, st));
    for (int i = from->first; i != GS_QUERY_NONE; i = p->query->nodes[i].next) {
        const gs_query_role role = p->query->nodes[i].role;
        int child;
        /* Each has a reader, whose places are compared with those of the others. */
        gs_assert(!gs_query_needs_positions(from->kind) ||
                  p->query->nodes[i].kind == GS_QUERY_TERM);
        GS_TRY(add_tree(p, i, is_wanted && role != GS_QUERY_MUST_NOT, &child, st));
        append(p->plan, *out, child, role);
    }
    return GS_OK;
}

static gs_code add_tree(const planner *p, int from, bool is_wanted, int *out,
                        gs_status *st)
{
    const gs_query_node *const q = &p->query->nodes[from];
    bool found;
    switch (q->kind) {
    case GS_QUERY_TERM:
        GS_TRY(gs_term_cursor_find(p->terms, p->query->text + q->text, q->bytes, &found,
                                   st));
        if (found)
            GS_TRY(is_left(p, &found, st));
        return add_leaf(p, q, found, is_wanted, p->plan->slot_count, out, st);
    case GS_QUERY_PREFIX:
        if (p->plan->is_wide)
            return add_wide_prefix(p, q, is_wanted, out, st);
        GS_TRY(add_prefix(p, q, is_wanted, out, st));
        estimate(p->plan, *out); /* its terms are in order */
        return GS_OK;
    case GS_QUERY_PHRASE:
    case GS_QUERY_CLAUSES: GS_TRY(add_children(p, q, is_wanted, out, st)); break;
    }
    estimate(p->plan, *out);
    gs_search_node *const nodes = p->plan->nodes;
    nodes[*out].first = sort_children(nodes, nodes[*out].first);
    return GS_OK;
}

/* Nothing that must or must not, all the way down? */
static bool is_any_of(const gs_search_plan *plan)
{
    for (size_t i = 0; i < plan->node_count; i++) {
        const gs_search_node *const node = &plan->nodes[i];
        if (gs_query_needs_positions(node->kind) || node->role != GS_QUERY_SHOULD)
            return false;
    }
    return true;
}

/* Nothing but what must, all the way down, and all of it known? */
static bool is_all_of(const gs_search_plan *plan)
{
    for (size_t i = 0; i < plan->node_count; i++) {
        const gs_search_node *const node = &plan->nodes[i];
        bool has_all = false;
        switch (node->kind) {
        case GS_QUERY_TERM: has_all = node->is_known; break;
        case GS_QUERY_PREFIX: break; /* which has any of its terms */
        case GS_QUERY_PHRASE:
        case GS_QUERY_CLAUSES: has_all = node->first != GS_QUERY_NONE; break;
        }
        if (!has_all || ((int)i != plan->root && node->role != GS_QUERY_MUST))
            return false;
    }
    return true;
}

static gs_code make_room(gs_search_plan *plan, gs_status *st)
{
    const size_t count = 2 * (plan->slot_count + 1);
    GS_TRY(gs_mem_resize(&plan->order, count * sizeof *plan->order, of_plan, st));
    GS_TRY(gs_mem_resize(&plan->sums, count * sizeof *plan->sums, of_plan, st));
    return GS_OK;
}

/* Once they are, they stay known. */
static bool knows_lengths(const gs_search_plan *plan)
{
    const uint64_t end =
        sizeof(gs_index_head) +
        gs_index_header_of(plan->index)->documents * sizeof *plan->lengths;
    for (uint64_t at = 0; at < end; at += GS_SUM_PAGE_BYTES) {
        if (!gs_page_checks_know_at(plan->length_pages, at))
            return false;
    }
    return true;
}

static void forget(gs_search_plan *plan)
{
    plan->slot_count = plan->node_count = plan->leaf_count = plan->reader_count = 0;
    plan->wanted_count = 0;
    plan->root = GS_QUERY_NONE;
}

gs_code gs_search_plan_make(gs_search_plan *plan, const gs_query *query,
                            gs_term_cursor *terms, gs_status *st)
{
    const planner p = {plan, query, terms};
    plan->text = query->text;
    plan->terms = terms;
    plan->is_wide = false;
    forget(plan);
    plan->is_any_of = true;
    plan->is_all_of = false;
    gs_status_clear(&plan->damage);
    if (plan->lengths != NULL && !plan->knows_lengths)
        plan->knows_lengths = knows_lengths(plan);
    plan->stats.queries++;
    if (query->root == GS_QUERY_NONE)
        return GS_OK;
    GS_TRY(add_tree(&p, query->root, true, &plan->root, st));
    if (plan->leaf_count > GS_SEARCH_TERMS_MAX) {
        if (plan->collection != NULL || plan->gathered != NULL)
            return GS_FAIL(st, GS_ERR_ARG, 0,
                           "the query has more than %d terms, which statistics of "
                           "several indexes are not for",
                           GS_SEARCH_TERMS_MAX);
        plan->is_wide = true;
        forget(plan);
        GS_TRY(add_tree(&p, query->root, true, &plan->root, st));
    }
    plan->is_any_of = is_any_of(plan);
    plan->is_all_of = is_all_of(plan);
    for (size_t i = 0; i < plan->slot_count; i++) {
        gs_search_slot *const slot = &plan->slots[i];
        slot->weight = gs_scoring_weight(&plan->scoring, slot->df, slot->times);
        plan->stats.postings += slot->info.df;
        plan->stats.blocks += (slot->info.df + GS_INDEX_BLOCK - 1) / GS_INDEX_BLOCK;
    }
    return make_room(plan, st);
}

/* --- readers ----------------------------------------------------------------------- */

gs_code gs_search_plan_open_reader(gs_search_plan *plan, const gs_term_info *info,
                                   size_t *out, gs_status *st)
{
    GS_TRY(gs_mem_grow(&plan->readers, &plan->reader_capacity, plan->reader_count + 1,
                       of_plan, st));
    GS_TRY(
        gs_posting_list_start(&plan->readers[plan->reader_count], plan->index, info, st));
    *out = plan->reader_count++;
    return GS_OK;
}

gs_code gs_search_plan_open_bounds(gs_search_plan *plan, gs_status *st)
{
    for (size_t i = 0; i < plan->slot_count; i++) {
        gs_search_slot *const slot = &plan->slots[i];
        slot->probed = NULL;
        GS_TRY(gs_block_bound_start(
            &slot->bound, plan->index, &slot->info, &plan->scale,
            gs_length_bound_weight(slot->weight, plan->slot_count), st));
    }
    return GS_OK;
}

void gs_search_plan_count(gs_search_plan *plan)
{
    for (size_t i = 0; i < plan->reader_count; i++)
        plan->stats.blocks_read += plan->readers[i].blocks_read;
}

/* Few postings: the best of them is known by looking at all. */
gs_code gs_search_plan_look_at_short(gs_search_plan *plan, gs_search_slot *slot,
                                     gs_status *st)
{
    gs_posting_list *const list = &plan->readers[slot->reader];
    gs_scores scores;
    gs_length_bounds most = {{0}};
    if (slot->info.df >= GS_INDEX_BLOCK)
        return GS_OK;
    GS_TRY(gs_posting_list_seek(list, 0, st));
    gs_search_plan_score(plan, slot, list->docs, gs_posting_list_tfs(list), list->count,
                         &scores);
    plan->stats.postings_scored -= list->count; /* not for any document yet */
    for (size_t i = 0; i < list->count; i++) {
        float *const at = &most.most[scores.classes[i]];
        const float part = gs_length_bound_weight(scores.parts[i], plan->slot_count);
        *at = part > *at ? part : *at;
    }
    gs_block_bound_know_tail(&slot->bound, &most);
    return GS_OK;
}

gs_code gs_search_plan_probe(gs_search_plan *plan, gs_search_slot *slot, uint64_t doc,
                             const gs_length_bounds **most, gs_status *st)
{
    const gs_posting_skip *skip;
    *most = NULL;
    GS_TRY(gs_posting_list_peek(&plan->readers[slot->reader], doc, &skip, st));
    if (skip == NULL)
        return GS_OK; /* if the block is there, looking is cheaper */
    if (slot->probed != skip->impacts) {
        slot->probed = skip->impacts;
        gs_block_bound_entry(&slot->bound, skip, &slot->probed_most);
    }
    *most = &slot->probed_most;
    return GS_OK;
}
