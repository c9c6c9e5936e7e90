/* SPDX-License-Identifier: MIT */
#include "lib/index/read/block_bound.h"

/* The most of more blocks than these is hardly less than that of the list. */
enum { BLOCKS_MAX = 8 };

static double bound_of(const gs_block_bound *b, const uint8_t *impacts, unsigned count)
{
    double most = 0;
    for (unsigned i = 0; i < count; i++) {
        const gs_impact impact = gs_impact_at(impacts, i);
        const double score = gs_bm25_score(b->model, b->weight, gs_code_number(impact.tf),
                                           gs_code_number(impact.length));
        most = score > most ? score : most;
        if (impact.tf == UINT8_MAX) /* that code is for all frequencies from there on */
            most = b->weight;
    }
    return most;
}

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
    b->block_most = b->is_tail || b->skips.left == 0 ? 0 : b->tail_most;
    b->is_tail = b->is_known = true;
    return GS_OK;
}

double gs_block_bound_entry(const gs_block_bound *b, const gs_posting_skip *skip)
{
    return bound_of(b, skip->impacts, skip->impact_count);
}

static void know_block(gs_block_bound *b)
{
    if (!b->is_known)
        b->block_most = gs_block_bound_entry(b, &b->skip);
    b->is_known = true;
}

gs_code gs_block_bound_start(gs_block_bound *b, const gs_index *index,
                             const gs_term_info *info, const gs_bm25 *model,
                             double weight, gs_status *st)
{
    *b = (gs_block_bound){.model = model, .weight = weight};
    GS_TRY(gs_posting_skips_start(&b->skips, index, info, st));
    /* Without a block nothing is known: tf / (tf + x) is at most 1. */
    b->most = b->skips.impact_count > 0
                  ? bound_of(b, b->skips.impacts, b->skips.impact_count)
                  : weight;
    b->tail_most = b->most;
    return next_block(b, st);
}

gs_code gs_block_bound_seek(gs_block_bound *b, uint64_t doc, gs_status *st)
{
    while (b->last < doc)
        GS_TRY(next_block(b, st));
    return GS_OK;
}

gs_code gs_block_bound_over(gs_block_bound *b, uint64_t to, double *most, gs_status *st)
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
        *most = b->block_most > *most ? b->block_most : *most;
    }
    return GS_OK;
}
