/* SPDX-License-Identifier: MIT */
/*
 * Documents that have any of many terms, list after list, over all documents at once.
 *
 *      s0   scores[x] += part    for every x of its list, and a mark in the row of x
 *      s1   ...                  with the same list reader, which so stays in the cache
 *      rows with a mark          go to the best, what exceeds the worst of them
 *
 * gs_rank_many has a reader for each term, thousands of bytes, and goes through all of
 * them for every window of documents. Here a score for every document is what has to be
 * near: 8 bytes each, and no document twice in a list, so no addition waits for another.
 * A document that no list has keeps the score 0, which is why every part must be more.
 * Terms come in their order, so that each score is the same sum as everywhere.
 */
#include <math.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/index/query/rank.h"

enum { ROW_DOCS = 64 };

/* Weights that are not less leave a part above 0, however long the document is. */
#define WEIGHT_MIN 1e-100

struct gs_rank_lists {
    gs_posting_list list;
    double *scores; /* by document; all 0 between queries */
    uint8_t *rows;  /* by ROW_DOCS of them: may there be one? */
};

void gs_rank_lists_free(struct gs_rank_lists *r)
{
    if (r == NULL)
        return;
    gs_posting_list_release(&r->list);
    gs_mem_free(r->scores);
    gs_mem_free(r->rows);
    gs_mem_free(r);
}

bool gs_rank_lists_is_for(const gs_search_plan *plan)
{
    if (gs_index_header_of(plan->index)->documents > GS_RANK_LISTS_DOCS_MAX)
        return false;
    for (size_t i = 0; i < plan->slot_count; i++) {
        if (!(plan->slots[i].weight >= WEIGHT_MIN))
            return false;
    }
    return true;
}

/* Of the first query. */
static gs_code make_room(gs_search_plan *plan, gs_status *st)
{
    const size_t documents = (size_t)gs_index_header_of(plan->index)->documents;
    const size_t rows = documents / ROW_DOCS + 1;
    static const char of_scores[] = "scores of all documents";
    if (plan->lists == NULL)
        GS_TRY(gs_mem_new(&plan->lists, sizeof *plan->lists, of_scores, st));
    struct gs_rank_lists *const r = plan->lists;
    if (r->scores == NULL)
        GS_TRY(gs_mem_new_array(&r->scores, rows * ROW_DOCS, sizeof *r->scores, of_scores,
                                st));
    if (r->rows == NULL)
        GS_TRY(gs_mem_new_array(&r->rows, rows, sizeof *r->rows, of_scores, st));
    return GS_OK;
}

/* A mark is a byte, so that none waits for the one before. */
static void add(const struct gs_rank_lists *r, const uint64_t *restrict docs,
                const double *restrict parts, size_t count)
{
    double *restrict const scores = r->scores;
    uint8_t *restrict const rows = r->rows;
    for (size_t i = 0; i < count; i++) {
        const uint64_t doc = docs[i];
        scores[doc] += parts[i];
        rows[doc / ROW_DOCS] = 1;
    }
}

static gs_code add_list(gs_search_plan *plan, const gs_search_slot *slot, gs_status *st)
{
    struct gs_rank_lists *const r = plan->lists;
    gs_posting_list *const list = &r->list;
    GS_TRY(gs_posting_list_start(list, plan->index, &slot->info, st));
    GS_TRY(gs_posting_list_seek(list, 0, st));
    while (list->doc != GS_NO_DOC) {
        gs_scores scores;
        gs_search_plan_score(plan, slot, list->docs, gs_posting_list_tfs(list),
                             list->count, &scores);
        add(r, list->docs, scores.parts, list->count);
        GS_TRY(gs_posting_list_pass(list, list->count, st));
    }
    plan->stats.blocks_read += list->blocks_read;
    return GS_OK;
}

/* Of a term with one document the dictionary has all. */
static gs_code add_slot(gs_search_plan *plan, const gs_search_slot *slot, gs_status *st)
{
    const gs_term_info *const info = &slot->info;
    const uint64_t doc = info->only_doc;
    if (info->df > 1 || doc >= gs_index_header_of(plan->index)->documents ||
        info->cf > UINT32_MAX)
        return add_list(plan, slot, st); /* which tells what is wrong */
    const double part = gs_scoring_part(&plan->scoring, slot->weight, info->cf,
                                        gs_search_plan_length(plan, doc));
    add(plan->lists, &doc, &part, 1);
    plan->stats.postings_scored++;
    plan->stats.blocks_read++;
    return GS_OK;
}

/* Vectors of the compiler's, of what there is. */
typedef double numbers __attribute__((vector_size(64), aligned(8)));
typedef int64_t answers __attribute__((vector_size(64)));
enum { LANES = sizeof(numbers) / sizeof(double) };

/* Does a score of the row exceed what is not less than 0? */
static bool any_exceeds(const double *scores, double least)
{
    answers found = {0};
    int64_t any = 0;
    for (size_t i = 0; i < ROW_DOCS; i += LANES)
        found |= *(const numbers *)(const void *)(scores + i) > least;
    for (size_t i = 0; i < LANES; i++)
        any |= found[i];
    return any != 0;
}

/* What is as good as the worst of the best may come before it, in another segment. */
static double least_of(const gs_top_docs *top)
{
    const double worst = gs_top_docs_threshold(top);
    return worst > 0 ? nextafter(worst, 0) : 0;
}

static gs_code take_row(double *scores, uint64_t first, gs_top_docs *top, gs_status *st)
{
    if (any_exceeds(scores, least_of(top))) {
        for (uint64_t i = 0; i < ROW_DOCS; i++) {
            if (scores[i] > 0 && scores[i] >= gs_top_docs_threshold(top))
                GS_TRY(gs_top_docs_add(top, first + i, scores[i], st));
        }
    }
    memset(scores, 0, ROW_DOCS * sizeof *scores);
    return GS_OK;
}

static gs_code take_scores(gs_search_plan *plan, gs_top_docs *top, gs_status *st)
{
    struct gs_rank_lists *const r = plan->lists;
    const uint64_t documents = gs_index_header_of(plan->index)->documents;
    for (uint64_t row = 0; row * ROW_DOCS < documents; row++) {
        if (r->rows[row] == 0)
            continue;
        r->rows[row] = 0;
        GS_TRY(take_row(r->scores + row * ROW_DOCS, row * ROW_DOCS, top, st));
    }
    return GS_OK;
}

static gs_code rank_lists(gs_search_plan *plan, gs_top_docs *top, gs_status *st)
{
    for (size_t i = 0; i < plan->slot_count; i++)
        GS_TRY(add_slot(plan, &plan->slots[i], st));
    return take_scores(plan, top, st);
}

gs_code gs_rank_lists(gs_search_plan *plan, gs_top_docs *top, gs_status *st)
{
    gs_assert(gs_rank_lists_is_for(plan));
    const bool has_room = make_room(plan, st) == GS_OK;
    if (has_room)
        GS_NOTED(rank_lists(plan, top, st));
    /* Something may be left of it; and of many segments each would keep its own. */
    if (st->code != GS_OK || plan->all != NULL) {
        gs_rank_lists_free(plan->lists);
        plan->lists = NULL;
    }
    if (has_room || st->code != GS_ERR_NOMEM)
        return st->code;
    gs_status_clear(st); /* the other way needs less */
    return gs_rank_many(plan, top, st);
}
