/* SPDX-License-Identifier: MIT */
#include "lib/join/band_right.h"

#include <string.h>

#include "lib/base/mem.h"

gs_code gs_band_right_end(gs_band_right *right, gs_status *st)
{
    enum { BITS = 64 };
    if (!right->format->options->shows_unpaired[GS_JOIN_RIGHT])
        return GS_OK;
    return gs_mem_new_array(&right->seen, right->shelf.line_count / BITS + 1,
                            sizeof *right->seen, "bits of lines", st);
}

void gs_band_right_release(gs_band_right *right)
{
    gs_join_shelf_release(&right->shelf);
    gs_mem_free(right->index);
    gs_mem_free(right->seen);
}

size_t gs_band_right_bytes(const gs_band_right *right)
{
    const size_t bits = right->seen != NULL ? right->shelf.line_count / 8 : 0;
    return atomic_load(&right->shelf.store->held_bytes) + bits +
           right->index_capacity * sizeof *right->index +
           right->shelf.block_capacity * sizeof *right->shelf.blocks;
}

/* --- places --------------------------------------------------------------------- */

/* The last block from the place's own on that begins with a smaller number; else that. */
static size_t block_before(const gs_band_place *p, const gs_band_right *right,
                           gs_join_number number)
{
    size_t low = p->block, high = right->index_count;
    while (low + 1 < high) {
        const size_t middle = low + (high - low) / 2;
        if (right->index[middle].number < number)
            low = middle;
        else
            high = middle;
    }
    return low;
}

gs_code gs_band_place_seek(gs_band_place *p, const gs_band_right *right,
                           gs_join_number number, gs_status *st)
{
    const bool is_further =
        p->block + 1 < right->index_count && right->index[p->block + 1].number < number;
    if (is_further) {
        p->block = block_before(p, right, number);
        p->at = 0;
        p->line = right->index[p->block].line;
        p->is_loaded = false;
    }
    for (;;) {
        GS_TRY(gs_band_place_load(p, right, st));
        if (!p->has_line || p->number >= number)
            return GS_OK;
        gs_band_place_step(p);
    }
}

void gs_band_place_go_to(gs_band_place *p, const gs_band_place *other)
{
    p->block = other->block;
    p->at = other->at;
    p->line = other->line;
    p->is_loaded = false;
}

void gs_band_place_release(gs_band_place *p)
{
    gs_join_reader_release(&p->reader);
}
