/* SPDX-License-Identifier: MIT */
#include "lib/index/query/match.h"

gs_code gs_match_open(gs_search_plan *plan, gs_status *st)
{
    for (size_t i = 0; i < plan->node_count; i++) {
        gs_search_node *const node = &plan->nodes[i];
        node->is_set = false;
        if (node->kind == GS_QUERY_TERM && node->is_known)
            GS_TRY(gs_search_plan_open_reader(plan, &node->info, &node->reader, st));
    }
    return GS_OK;
}

static gs_code seek(gs_search_plan *plan, int at, uint64_t doc, gs_status *st);

/* The next document that all that must match have. */
static gs_code seek_all(gs_search_plan *plan, int list, uint64_t *doc, gs_status *st)
{
    gs_search_node *const nodes = plan->nodes;
    for (int i = nodes[list].first; i != GS_QUERY_NONE;) {
        if (nodes[i].role != GS_QUERY_MUST)
            break; /* they come first */
        GS_TRY(seek(plan, i, *doc, st));
        const bool agrees = nodes[i].doc == *doc;
        *doc = nodes[i].doc;
        if (*doc == GS_NO_DOC)
            break;
        i = agrees || i == nodes[list].first ? nodes[i].next : nodes[list].first;
    }
    return GS_OK;
}

static gs_code seek_any(gs_search_plan *plan, int list, uint64_t *doc, gs_status *st)
{
    gs_search_node *const nodes = plan->nodes;
    uint64_t first = GS_NO_DOC;
    for (int i = nodes[list].first; i != GS_QUERY_NONE; i = nodes[i].next) {
        if (nodes[i].role != GS_QUERY_SHOULD)
            continue;
        if (!nodes[i].is_set || nodes[i].doc < *doc)
            GS_TRY(seek(plan, i, *doc, st));
        first = nodes[i].doc < first ? nodes[i].doc : first;
    }
    *doc = first;
    return GS_OK;
}

static gs_code has_excluded(gs_search_plan *plan, int list, uint64_t doc, bool *out,
                            gs_status *st)
{
    gs_search_node *const nodes = plan->nodes;
    *out = false;
    for (int i = nodes[list].first; i != GS_QUERY_NONE && !*out; i = nodes[i].next) {
        if (nodes[i].role != GS_QUERY_MUST_NOT)
            continue;
        GS_TRY(seek(plan, i, doc, st));
        *out = nodes[i].doc == doc;
    }
    return GS_OK;
}

/* Not part of seek, and neither is seek_phrase: most calls of seek are for terms,
 * which then need no guarded stack. */
static __attribute__((noinline)) gs_code seek_clauses(gs_search_plan *plan, int at,
                                                      uint64_t doc, gs_status *st)
{
    gs_search_node *const node = &plan->nodes[at];
    const uint64_t documents = gs_index_header_of(plan->index)->documents;
    for (;; doc++) {
        bool is_excluded;
        if (node->has_must)
            GS_TRY(seek_all(plan, at, &doc, st));
        else if (node->has_should || node->first == GS_QUERY_NONE)
            GS_TRY(seek_any(plan, at, &doc, st));
        else
            GS_TRY(gs_doc_presence_next(plan->presence, doc, &doc, st));
        if (doc >= documents) {
            node->doc = GS_NO_DOC;
            return GS_OK;
        }
        GS_TRY(has_excluded(plan, at, doc, &is_excluded, st));
        if (!is_excluded) {
            node->doc = doc;
            return GS_OK;
        }
    }
}

/* --- phrases ----------------------------------------------------------------------- */

/* Is there a place for the phrase's first term from which every other one is as far as in
 * the phrase? Places ascend, so all lists are walked once. */
gs_code gs_match_is_in_a_row(gs_search_plan *plan, int at, bool *out, gs_status *st)
{
    gs_search_node *const nodes = plan->nodes;
    const int first = nodes[at].first;
    *out = false;
    for (int i = first; i != GS_QUERY_NONE; i = nodes[i].next) {
        gs_posting_list *const r = &plan->readers[nodes[i].reader];
        GS_TRY(gs_posting_list_positions(r, r->at, st));
        nodes[i].walked = 0;
    }
    uint64_t start = 0; /* of the phrase, if every term agrees */
    for (int i = first; i != GS_QUERY_NONE;) {
        const gs_posting_list *const r = &plan->readers[nodes[i].reader];
        const uint64_t tf = r->position_count;
        uint64_t *const k = &nodes[i].walked;
        while (*k < tf && r->positions[*k] < start + nodes[i].offset)
            (*k)++;
        if (*k == tf)
            return GS_OK;
        const uint64_t place = r->positions[*k] - (uint64_t)nodes[i].offset;
        if (place != start) {
            start = place; /* the others have to agree to that */
            i = first;
            continue;
        }
        i = nodes[i].next;
    }
    *out = true;
    return GS_OK;
}

static __attribute__((noinline)) gs_code seek_phrase(gs_search_plan *plan, int at,
                                                     uint64_t doc, gs_status *st)
{
    for (;; doc++) {
        bool is_there;
        GS_TRY(seek_all(plan, at, &doc, st));
        plan->nodes[at].doc = doc;
        if (doc == GS_NO_DOC)
            return GS_OK;
        GS_TRY(gs_match_is_in_a_row(plan, at, &is_there, st));
        if (is_there)
            return GS_OK;
    }
}

static gs_code seek(gs_search_plan *plan, int at, uint64_t doc, gs_status *st)
{
    gs_search_node *const node = &plan->nodes[at];
    if (node->is_set && doc <= node->doc)
        return GS_OK; /* the same as before */
    node->is_set = true;
    switch (node->kind) {
    case GS_QUERY_TERM:
        if (!node->is_known) {
            node->doc = GS_NO_DOC;
            return GS_OK;
        }
        GS_TRY(gs_posting_list_seek(&plan->readers[node->reader], doc, st));
        node->doc = plan->readers[node->reader].doc;
        return GS_OK;
    case GS_QUERY_PHRASE: return seek_phrase(plan, at, doc, st);
    case GS_QUERY_PREFIX:
    case GS_QUERY_CLAUSES: break;
    }
    return seek_clauses(plan, at, doc, st);
}

gs_code gs_match_seek_node(gs_search_plan *plan, int at, uint64_t doc, uint64_t *match,
                           gs_status *st)
{
    GS_TRY(seek(plan, at, doc, st));
    *match = plan->nodes[at].doc;
    return GS_OK;
}

gs_code gs_match_seek(gs_search_plan *plan, uint64_t doc, uint64_t *match, gs_status *st)
{
    *match = GS_NO_DOC;
    if (plan->root == GS_QUERY_NONE || doc == GS_NO_DOC)
        return GS_OK;
    GS_TRY(seek(plan, plan->root, doc, st));
    *match = plan->nodes[plan->root].doc;
    return GS_OK;
}
