/* SPDX-License-Identifier: MIT */
#include "lib/index/query/doc_common.h"

#include <string.h>

#include "lib/base/assertion.h"

static gs_posting_list *list_of(const gs_doc_common *c, size_t in_order)
{
    gs_search_plan *const plan = c->plan;
    return &plan->readers[plan->slots[plan->order[in_order]].reader];
}

/* Of a block: to unpack all its frequencies is cheaper than one by one. */
enum { MANY_TFS = 12 };

gs_code gs_doc_common_start(gs_doc_common *c, gs_search_plan *plan, gs_status *st)
{
    gs_assert(plan->slot_count > 0);
    c->plan = plan;
    c->has_ended = c->wants_tfs = false;
    c->count = c->at = 0;
    for (size_t i = 0; i < plan->slot_count; i++) {
        gs_search_slot *const slot = &plan->slots[i];
        size_t at = i;
        GS_TRY(gs_search_plan_open_reader(plan, &slot->info, &slot->reader, st));
        for (; at > 0 && plan->slots[plan->order[at - 1]].info.df > slot->info.df; at--)
            plan->order[at] = plan->order[at - 1];
        plan->order[at] = i;
    }
    return gs_posting_list_seek(list_of(c, 0), 0, st);
}

/* How many documents, from one that the block holds on, it holds. */
static size_t count_held(const gs_doc_common *c, const gs_posting_list *list, size_t from)
{
    const uint64_t last = list->docs[list->count - 1];
    size_t to = from + 1;
    while (to < c->count && c->docs[to] <= last)
        to++;
    return to - from;
}

/* How often the documents from one place on, which are at those places of the list's
 * block, have the term. */
static void note_tfs(gs_doc_common *c, size_t in_order, const uint8_t *places,
                     size_t from)
{
    gs_posting_list *const list = list_of(c, in_order);
    uint64_t *const row = c->tfs + c->plan->order[in_order] * GS_INDEX_BLOCK;
    if (c->count - from >= MANY_TFS)
        (void)gs_posting_list_tfs(list);
    for (size_t i = from; i < c->count; i++)
        row[c->ids[i]] = gs_posting_list_one_tf(list, places[i]);
}

static gs_code keep_those_of(gs_doc_common *c, size_t in_order, gs_status *st)
{
    gs_posting_list *const list = list_of(c, in_order);
    const size_t count = c->count;
    uint8_t places[GS_INDEX_BLOCK], kept_places[GS_INDEX_BLOCK];
    size_t kept = 0;
    for (size_t i = 0, held; i < count; i += held) {
        const size_t before = kept;
        if (!gs_posting_list_holds(list, c->docs[i])) {
            GS_TRY(gs_posting_list_seek(list, c->docs[i], st));
            if (list->doc == GS_NO_DOC) {
                c->has_ended = true;
                break;
            }
        }
        held = count_held(c, list, i);
        gs_posting_list_places(list, c->docs + i, held, places);
        for (size_t k = 0; k < held; k++) { /* no branch on what is there */
            const uint64_t doc = c->docs[i + k];
            c->docs[kept] = doc;
            c->ids[kept] = c->ids[i + k];
            kept_places[kept] = places[k];
            kept += list->docs[places[k]] == doc;
        }
        c->count = kept;
        if (c->wants_tfs)
            note_tfs(c, in_order, kept_places, before);
        c->count = count;
    }
    c->count = kept;
    return GS_OK;
}

/* What is left of the block of the shortest list. */
gs_code gs_doc_common_fill(gs_doc_common *c, gs_status *st)
{
    gs_posting_list *const lead = list_of(c, 0);
    c->count = c->at = 0;
    if (lead->doc == GS_NO_DOC) {
        c->has_ended = true;
        return GS_OK;
    }
    const size_t begin = lead->at, count = lead->count - begin;
    memcpy(c->docs, lead->docs + begin, count * sizeof *c->docs);
    for (size_t i = 0; i < count; i++)
        c->ids[i] = (uint8_t)(begin + i);
    c->count = count;
    for (size_t i = 1; i < c->plan->slot_count && c->count > 0; i++)
        GS_TRY(keep_those_of(c, i, st));
    if (c->wants_tfs)
        note_tfs(c, 0, c->ids, 0);
    return gs_posting_list_pass(lead, count, st);
}

void gs_doc_common_tfs(const gs_doc_common *c, size_t slot, uint64_t *tfs)
{
    const uint64_t *const row = c->tfs + slot * GS_INDEX_BLOCK;
    for (size_t i = 0; i < c->count; i++)
        tfs[i] = row[c->ids[i]];
}

gs_code gs_doc_common_next(gs_doc_common *c, uint64_t *doc, gs_status *st)
{
    while (c->at == c->count && !c->has_ended)
        GS_TRY(gs_doc_common_fill(c, st));
    *doc = c->at < c->count ? c->docs[c->at++] : GS_NO_DOC;
    return GS_OK;
}

gs_code gs_doc_common_count(gs_doc_common *c, uint64_t *count, gs_status *st)
{
    for (*count = 0; !c->has_ended; *count += c->count)
        GS_TRY(gs_doc_common_fill(c, st));
    return GS_OK;
}
