/* SPDX-License-Identifier: MIT */
#include "lib/index/query/rank_batch.h"

#include "lib/base/mem.h"
#include "lib/index/query/rank.h"

/* Postings of documents of the batch. */
typedef struct hits {
    size_t count;
    uint8_t at[GS_RANK_BATCH]; /* places of the batch */
    uint64_t docs[GS_RANK_BATCH], tfs[GS_RANK_BATCH];
} hits;

gs_code gs_rank_batch_open(gs_rank_batch *b, gs_search_plan *plan, gs_top_docs *top,
                           gs_status *st)
{
    GS_TRY(gs_mem_grow(&plan->batch_parts, &plan->batch_parts_capacity,
                       plan->slot_count * GS_RANK_BATCH, "scores", st));
    b->plan = plan;
    b->top = top;
    b->count = 0;
    b->parts = plan->batch_parts;
    return GS_OK;
}

/* Whether the document is still of interest, by what is known without another block. */
static inline gs_code is_promising(const gs_rank_batch *b, gs_search_slot *slot,
                                   uint64_t doc, double others, bool *out, gs_status *st)
{
    const gs_posting_list *const reader = &b->plan->readers[slot->reader];
    double most;
    *out = !gs_rank_is_hopeless(b->top, others + slot->window_most);
    if (!*out || (reader->count > 0 && reader->docs[reader->count - 1] >= doc))
        return GS_OK; /* if the block is there, looking is cheaper */
    GS_TRY(gs_search_plan_probe(b->plan, slot, doc, &most, st));
    *out = !gs_rank_is_hopeless(b->top, others + most);
    return GS_OK;
}

static gs_code find(gs_rank_batch *b, gs_search_slot *slot, double rest, bool must,
                    hits *h, gs_status *st)
{
    gs_posting_list *const reader = &b->plan->readers[slot->reader];
    size_t left = 0;
    h->count = 0;
    for (size_t i = 0; i < b->count; i++) {
        const uint64_t doc = b->docs[i];
        bool is_wanted;
        GS_TRY(is_promising(b, slot, doc, b->sums[i] + rest, &is_wanted, st));
        if (!is_wanted)
            continue;
        GS_TRY(gs_posting_list_seek(reader, doc, st));
        const bool is_hit = reader->doc == doc;
        if (must && !is_hit)
            continue;
        b->docs[left] = doc;
        b->sums[left] = b->sums[i];
        b->ids[left] = b->ids[i];
        if (is_hit) {
            h->at[h->count] = (uint8_t)left;
            h->docs[h->count] = doc;
            h->tfs[h->count++] = gs_posting_list_tf(reader, reader->at);
        }
        left++;
    }
    b->count = left;
    return GS_OK;
}

gs_code gs_rank_batch_look_up(gs_rank_batch *b, size_t slot, double rest, bool must,
                              gs_status *st)
{
    hits h;
    double parts[GS_RANK_BATCH];
    GS_TRY(find(b, &b->plan->slots[slot], rest, must, &h, st));
    gs_search_plan_score(b->plan, &b->plan->slots[slot], h.docs, h.tfs, h.count, parts);
    for (size_t i = 0; !must && i < b->count; i++)
        *gs_rank_batch_part(b, slot, i) = 0;
    for (size_t i = 0; i < h.count; i++) {
        b->sums[h.at[i]] += parts[i];
        *gs_rank_batch_part(b, slot, h.at[i]) = parts[i];
    }
    return GS_OK;
}

gs_code gs_rank_batch_take(gs_rank_batch *b, size_t at, gs_status *st)
{
    double score = 0;
    for (size_t slot = 0; slot < b->plan->slot_count; slot++)
        score += *gs_rank_batch_part(b, slot, at);
    return gs_top_docs_add(b->top, b->docs[at], score, st);
}

gs_code gs_rank_batch_finish(gs_rank_batch *b, gs_status *st)
{
    for (size_t i = 0; i < b->count; i++) {
        if (!gs_rank_is_hopeless(b->top, b->sums[i]))
            GS_TRY(gs_rank_batch_take(b, i, st));
    }
    return GS_OK;
}
