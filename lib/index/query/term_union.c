/* SPDX-License-Identifier: MIT */
#include "lib/index/query/term_union.h"

#include <string.h>

#include "lib/base/mem.h"

/* Marks may touch a word behind the last. */
enum { WORD_BITS = 64, WORDS_BEHIND = 2 };

typedef struct marker {
    gs_term_union *marks;
    gs_search_plan *plan;
    const gs_query *query;
    gs_term_cursor *terms;
} marker;

void gs_term_union_release(gs_term_union *u)
{
    gs_mem_free(u->bits);
    gs_posting_list_release(&u->list);
    *u = (gs_term_union){0};
}

bool gs_term_union_is_for(const gs_search_plan *plan, const gs_query *query)
{
    bool has_beginning = false;
    if (plan->collection != NULL || plan->gathered != NULL ||
        gs_index_header_of(plan->index)->documents > GS_TERM_UNION_DOCS_MAX)
        return false;
    for (size_t i = 0; i < query->node_count; i++) {
        const gs_query_node *const node = &query->nodes[i];
        if (gs_query_needs_positions(node->kind) || node->role != GS_QUERY_SHOULD)
            return false;
        has_beginning |= node->kind == GS_QUERY_PREFIX;
    }
    return has_beginning;
}

/* The term that the cursor is at. Of one with a single document the dictionary has it. */
static gs_code mark_term(const marker *m, gs_status *st)
{
    const gs_term_info *const info = &m->terms->info;
    gs_search_stats *const stats = &m->plan->stats;
    gs_posting_list *const list = &m->marks->list;
    stats->postings += info->df;
    stats->blocks += (info->df + GS_INDEX_BLOCK - 1) / GS_INDEX_BLOCK;
    GS_TRY(gs_search_plan_check_term(m->plan, info, st));
    if (info->df == 1 && info->only_doc < gs_index_header_of(m->plan->index)->documents) {
        m->marks->bits[info->only_doc / WORD_BITS] |= UINT64_C(1)
                                                      << info->only_doc % WORD_BITS;
        return GS_OK;
    }
    GS_TRY(gs_posting_list_start(list, m->plan->index, info, st));
    GS_TRY(gs_posting_list_mark(list, m->marks->bits, st));
    stats->blocks_read += list->blocks_read;
    return GS_OK;
}

static gs_code mark_beginning(const marker *m, const uint8_t *text, size_t bytes,
                              gs_status *st)
{
    gs_term_cursor *const terms = m->terms;
    GS_TRY(gs_term_cursor_seek(terms, text, bytes, st));
    while (terms->has_term && terms->bytes >= bytes &&
           memcmp(terms->term, text, bytes) == 0) {
        GS_TRY(mark_term(m, st));
        GS_TRY(gs_term_cursor_next(terms, st));
    }
    return GS_OK;
}

/* Whatever is below the node. */
static gs_code mark_node(const marker *m, int at, gs_status *st)
{
    const gs_query_node *const node = &m->query->nodes[at];
    const uint8_t *const text = m->query->text + node->text;
    bool is_found;
    switch (node->kind) {
    case GS_QUERY_TERM:
        GS_TRY(gs_term_cursor_find(m->terms, text, node->bytes, &is_found, st));
        return is_found ? mark_term(m, st) : GS_OK;
    case GS_QUERY_PREFIX: return mark_beginning(m, text, node->bytes, st);
    case GS_QUERY_CLAUSES:
    case GS_QUERY_PHRASE: break;
    }
    for (int i = node->first; i != GS_QUERY_NONE; i = m->query->nodes[i].next)
        GS_TRY(mark_node(m, i, st));
    return GS_OK;
}

gs_code gs_term_union_count(gs_term_union *u, gs_search_plan *plan, const gs_query *query,
                            gs_term_cursor *terms, uint64_t *count, gs_status *st)
{
    const marker m = {u, plan, query, terms};
    const size_t words =
        (size_t)gs_index_header_of(plan->index)->documents / WORD_BITS + 1;
    *count = 0;
    GS_TRY(gs_mem_grow(&u->bits, &u->capacity, words + WORDS_BEHIND,
                       "documents of a query", st));
    memset(u->bits, 0, (words + WORDS_BEHIND) * sizeof *u->bits);
    plan->stats.queries++;
    if (query->root != GS_QUERY_NONE)
        GS_TRY(mark_node(&m, query->root, st));
    for (size_t i = 0; i < words; i++)
        *count += (uint64_t)__builtin_popcountll(u->bits[i]);
    return GS_OK;
}
