/* SPDX-License-Identifier: MIT */
#include "lib/stream/sliding_block.h"

bool gs_sliding_kind_has_ranks(gs_sliding_kind kind)
{
    switch (kind) {
    case GS_SLIDING_RANKS:
    case GS_SLIDING_SUMS:
    case GS_SLIDING_SUMS_AND_RANKS: return true;
    case GS_SLIDING_NUMBERS:
    case GS_SLIDING_TEXTS: break;
    }
    return false;
}

bool gs_sliding_kind_is_of_texts(gs_sliding_kind kind)
{
    switch (kind) {
    case GS_SLIDING_TEXTS: return true;
    case GS_SLIDING_RANKS:
    case GS_SLIDING_NUMBERS:
    case GS_SLIDING_SUMS:
    case GS_SLIDING_SUMS_AND_RANKS: break;
    }
    return false;
}

void gs_sliding_block_release(gs_sliding_kind kind, gs_sliding_block *b)
{
    switch (kind) {
    case GS_SLIDING_RANKS: gs_rank_summary_release(&b->ranks); break;
    case GS_SLIDING_NUMBERS: gs_count_summary_release(&b->numbers); break;
    case GS_SLIDING_TEXTS: gs_text_counts_release(&b->texts); break;
    case GS_SLIDING_SUMS:
    case GS_SLIDING_SUMS_AND_RANKS: gs_pair_facts_release(&b->pairs); break;
    }
}

void gs_sliding_block_clear(gs_sliding_kind kind, gs_sliding_block *b)
{
    switch (kind) {
    case GS_SLIDING_RANKS: b->ranks.count = b->ranks.values = 0; break;
    case GS_SLIDING_NUMBERS:
        b->numbers.count = b->numbers.values = b->numbers.lost = 0;
        break;
    case GS_SLIDING_TEXTS: gs_text_counts_reset(&b->texts); break;
    case GS_SLIDING_SUMS:
    case GS_SLIDING_SUMS_AND_RANKS:
        b->pairs.values = b->pairs.ranks.values = 0;
        b->pairs.x_sum = b->pairs.sums.totals[0] = b->pairs.sums.totals[1] = 0;
        b->pairs.ranks.count = b->pairs.sums.count = 0;
        break;
    }
}

size_t gs_sliding_block_bytes(gs_sliding_kind kind, const gs_sliding_block *b)
{
    switch (kind) {
    case GS_SLIDING_RANKS: return b->ranks.capacity * sizeof(gs_rank_entry);
    case GS_SLIDING_NUMBERS: return gs_count_summary_bytes(&b->numbers);
    case GS_SLIDING_TEXTS: return gs_text_counts_bytes(&b->texts);
    case GS_SLIDING_SUMS:
    case GS_SLIDING_SUMS_AND_RANKS: break;
    }
    return b->pairs.ranks.capacity * sizeof(gs_rank_entry) +
           b->pairs.sums.capacity * sizeof(gs_sum_entry);
}

uint64_t gs_sliding_block_values(gs_sliding_kind kind, const gs_sliding_block *b)
{
    switch (kind) {
    case GS_SLIDING_RANKS: return b->ranks.values;
    case GS_SLIDING_NUMBERS: return b->numbers.values;
    case GS_SLIDING_TEXTS: return b->texts.values;
    case GS_SLIDING_SUMS:
    case GS_SLIDING_SUMS_AND_RANKS: break;
    }
    return b->pairs.values;
}

void gs_sliding_block_swap(gs_sliding_block *a, gs_sliding_block *b)
{
    const gs_sliding_block other = *a;
    *a = *b;
    *b = other;
}

gs_code gs_sliding_block_take(gs_sliding_kind kind, gs_number_type type,
                              gs_sliding_block *b, const gs_window *w, gs_status *st)
{
    switch (kind) {
    case GS_SLIDING_RANKS:
        return gs_rank_summary_take(&b->ranks, w->keys, w->count, 1, st);
    case GS_SLIDING_NUMBERS:
        return gs_count_summary_take(&b->numbers, w->keys, w->count, st);
    case GS_SLIDING_SUMS:
    case GS_SLIDING_SUMS_AND_RANKS:
        return gs_pair_facts_take(&b->pairs, type, w, kind == GS_SLIDING_SUMS_AND_RANKS,
                                  &b->pairs.sums, st);
    case GS_SLIDING_TEXTS: break;
    }
    gs_text_counts_reset(&b->texts);
    return gs_text_counts_add_all(&b->texts, w->texts, w->ends, w->count, st);
}

static gs_code append_pairs(gs_pair_facts *both, const gs_pair_facts *to,
                            const gs_pair_facts *from, gs_status *st)
{
    GS_TRY(gs_sum_summary_merge(&both->sums, &to->sums, &from->sums, st));
    GS_TRY(gs_rank_summary_merge(&both->ranks, &to->ranks, &from->ranks, st));
    both->values = 0;
    both->x_sum = 0;
    gs_pair_facts_add(both, to);
    gs_pair_facts_add(both, from);
    return GS_OK;
}

gs_code gs_sliding_block_append(gs_sliding_kind kind, gs_sliding_block *to,
                                const gs_sliding_block *from, gs_sliding_block *spare,
                                gs_status *st)
{
    switch (kind) {
    case GS_SLIDING_RANKS:
        GS_TRY(gs_rank_summary_merge(&spare->ranks, &to->ranks, &from->ranks, st));
        break;
    case GS_SLIDING_NUMBERS:
        GS_TRY(gs_count_summary_merge(&spare->numbers, &to->numbers, &from->numbers, st));
        break;
    case GS_SLIDING_TEXTS: return gs_text_counts_merge(&to->texts, &from->texts, st);
    case GS_SLIDING_SUMS:
    case GS_SLIDING_SUMS_AND_RANKS:
        GS_TRY(append_pairs(&spare->pairs, &to->pairs, &from->pairs, st));
        break;
    }
    gs_sliding_block_swap(to, spare);
    return GS_OK;
}

gs_code gs_sliding_block_prune(gs_sliding_kind kind, gs_sliding_block *b, uint64_t parts,
                               uint64_t sum_parts, gs_status *st)
{
    switch (kind) {
    case GS_SLIDING_RANKS: gs_rank_summary_prune(&b->ranks, parts); break;
    case GS_SLIDING_NUMBERS: return gs_count_summary_prune(&b->numbers, parts, st);
    case GS_SLIDING_TEXTS: return gs_text_counts_prune(&b->texts, parts, st);
    case GS_SLIDING_SUMS:
    case GS_SLIDING_SUMS_AND_RANKS:
        gs_rank_summary_prune(&b->pairs.ranks, parts);
        gs_sum_summary_prune(&b->pairs.sums, sum_parts);
        break;
    }
    return GS_OK;
}

gs_code gs_sliding_block_store(gs_sliding_kind kind, gs_sliding_block *to,
                               const gs_sliding_block *from, gs_status *st)
{
    switch (kind) {
    case GS_SLIDING_RANKS: return gs_rank_summary_copy(&to->ranks, &from->ranks, st);
    case GS_SLIDING_NUMBERS:
        return gs_count_summary_copy(&to->numbers, &from->numbers, st);
    case GS_SLIDING_TEXTS: return gs_text_counts_store(&to->texts, &from->texts, st);
    case GS_SLIDING_SUMS:
    case GS_SLIDING_SUMS_AND_RANKS: break;
    }
    to->pairs.values = 0;
    to->pairs.x_sum = 0;
    gs_pair_facts_add(&to->pairs, &from->pairs);
    GS_TRY(gs_rank_summary_copy(&to->pairs.ranks, &from->pairs.ranks, st));
    return gs_sum_summary_copy(&to->pairs.sums, &from->pairs.sums, st);
}

gs_code gs_sliding_block_trim(gs_sliding_kind kind, gs_sliding_block *b, gs_status *st)
{
    switch (kind) {
    case GS_SLIDING_RANKS: return gs_rank_summary_trim(&b->ranks, st);
    case GS_SLIDING_NUMBERS: return gs_count_summary_trim(&b->numbers, st);
    case GS_SLIDING_TEXTS: return gs_text_counts_trim(&b->texts, st);
    case GS_SLIDING_SUMS:
    case GS_SLIDING_SUMS_AND_RANKS: break;
    }
    return gs_rank_summary_trim(&b->pairs.ranks, st);
}

void gs_sliding_block_rank(gs_sliding_kind kind, gs_sliding_block *b)
{
    switch (kind) {
    case GS_SLIDING_NUMBERS: gs_count_summary_rank(&b->numbers); break;
    case GS_SLIDING_TEXTS: gs_text_counts_rank(&b->texts); break;
    case GS_SLIDING_RANKS:
    case GS_SLIDING_SUMS:
    case GS_SLIDING_SUMS_AND_RANKS: break;
    }
}
