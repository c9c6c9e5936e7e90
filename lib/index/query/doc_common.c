/* SPDX-License-Identifier: MIT */
#include "lib/index/query/doc_common.h"

#include <string.h>

#include "lib/base/assertion.h"

static gs_posting_list *list_of(const gs_doc_common *c, size_t in_order)
{
    gs_search_plan *const plan = c->plan;
    return &plan->readers[plan->slots[plan->order[in_order]].reader];
}

gs_code gs_doc_common_start(gs_doc_common *c, gs_search_plan *plan, gs_status *st)
{
    gs_assert(plan->slot_count > 0);
    c->plan = plan;
    c->has_ended = false;
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

static gs_code keep_those_of(gs_doc_common *c, gs_posting_list *list, gs_status *st)
{
    uint8_t places[GS_INDEX_BLOCK];
    size_t kept = 0;
    for (size_t i = 0, held; i < c->count; i += held) {
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
            kept += list->docs[places[k]] == doc;
        }
    }
    c->count = kept;
    return GS_OK;
}

/* What is left of the block of the shortest list. */
static gs_code fill(gs_doc_common *c, gs_status *st)
{
    gs_posting_list *const lead = list_of(c, 0);
    c->count = c->at = 0;
    if (lead->doc == GS_NO_DOC) {
        c->has_ended = true;
        return GS_OK;
    }
    c->count = lead->count - lead->at;
    memcpy(c->docs, lead->docs + lead->at, c->count * sizeof *c->docs);
    GS_TRY(gs_posting_list_pass(lead, c->count, st));
    for (size_t i = 1; i < c->plan->slot_count && c->count > 0; i++)
        GS_TRY(keep_those_of(c, list_of(c, i), st));
    return GS_OK;
}

gs_code gs_doc_common_next(gs_doc_common *c, uint64_t *doc, gs_status *st)
{
    while (c->at == c->count && !c->has_ended)
        GS_TRY(fill(c, st));
    *doc = c->at < c->count ? c->docs[c->at++] : GS_NO_DOC;
    return GS_OK;
}

gs_code gs_doc_common_count(gs_doc_common *c, uint64_t *count, gs_status *st)
{
    for (*count = 0; !c->has_ended; *count += c->count)
        GS_TRY(fill(c, st));
    return GS_OK;
}
