/* SPDX-License-Identifier: MIT */
#include "lib/index/read/block_bound.h"

/* The most of more blocks than these is hardly less than that of the list. */
enum { BLOCKS_MAX = 8 };

/* Goes to the next block; what it can add is not known then. */
static gs_code next_block(gs_block_bound *b, gs_status *st)
{
    b->is_known = false;
    if (gs_posting_skips_has_next(&b->skips)) {
        GS_TRY(gs_posting_skips_next(&b->skips, &b->skip, st));
        b->last = b->skip.last_doc;
        return GS_OK;
    }
    b->last = UINT64_MAX;
    if (b->is_tail || b->skips.left == 0)
        gs_length_bounds_set(&b->block_most, 0);
    else
        b->block_most = b->tail_most;
    b->is_tail = b->is_known = true;
    return GS_OK;
}

void gs_block_bound_entry(const gs_block_bound *b, const gs_posting_skip *skip,
                          gs_length_bounds *most)
{
    gs_length_bounds_of(most, b->scale, b->weight, skip->impacts, skip->impact_count);
}

static void know_block(gs_block_bound *b)
{
    if (!b->is_known)
        gs_block_bound_entry(b, &b->skip, &b->block_most);
    b->is_known = true;
}

/* Little is known then: no posting has more than what is left of all frequencies once
 * each other one has its least, and tf / (tf + x) is at most 1. */
static float most_without_block(gs_scoring_kind kind, float weight,
                                const gs_term_info *info)
{
    switch (kind) {
    case GS_SCORING_IMPACTS: return weight * (float)(info->cf - info->df + 1);
    case GS_SCORING_BM25: break;
    }
    return weight;
}

gs_code gs_block_bound_start(gs_block_bound *b, const gs_index *index,
                             const gs_term_info *info, const gs_length_scale *scale,
                             float weight, gs_status *st)
{
    b->scale = scale;
    b->weight = weight;
    b->is_known = b->is_tail = false;
    b->last = 0;
    GS_TRY(gs_posting_skips_start(&b->skips, index, info, st));
    if (b->skips.impact_count > 0)
        gs_length_bounds_of(&b->most, scale, weight, b->skips.impacts,
                            b->skips.impact_count);
    else
        gs_length_bounds_set(&b->most, most_without_block(scale->kind, weight, info));
    b->tail_most = b->most;
    return next_block(b, st);
}

gs_code gs_block_bound_seek(gs_block_bound *b, uint64_t doc, gs_status *st)
{
    while (b->last < doc)
        GS_TRY(next_block(b, st));
    return GS_OK;
}

gs_code gs_block_bound_over(gs_block_bound *b, uint64_t to, gs_length_bounds *most,
                            gs_status *st)
{
    know_block(b);
    *most = b->block_most;
    for (unsigned i = 0; b->last < to; i++) {
        if (i == BLOCKS_MAX) {
            *most = b->most;
            break;
        }
        GS_TRY(next_block(b, st));
        know_block(b);
        gs_length_bounds_join(most, &b->block_most);
    }
    return GS_OK;
}
