/* SPDX-License-Identifier: MIT */
#include "lib/join/band_right.h"

#include <string.h>

#include "lib/base/mem.h"
#include "lib/join/join_pair.h"

/* Lines that are longer, or add more, are cut again for each partner. */
enum { MADE_OF_MAX = 1 << 20, MADE_MAX = 1 << 22 };

/* --- adding --------------------------------------------------------------------- */

/* What the line adds to pairs, if it is not too much; *is_made says so. */
static gs_code make_parts(gs_band_right *right, const uint8_t *line, size_t bytes,
                          bool *is_made, gs_status *st)
{
    const gs_join_format *const f = right->format;
    *is_made = false;
    if (bytes > MADE_OF_MAX)
        return GS_OK;
    GS_TRY(gs_join_fields_cut(&right->fields, &f->options->sort.order, line, bytes, st));
    GS_TRY(gs_join_pair_make_right(f, &right->fields, &right->kept, st));
    *is_made = right->kept.used <= MADE_MAX;
    if (!*is_made)
        gs_join_text_release(&right->kept);
    return GS_OK;
}

/* On the shelf, and a block that it begins in the index. */
static gs_code put_on_shelf(gs_band_right *right, gs_join_number number,
                            uint64_t made_bytes, gs_status *st)
{
    gs_band_kept_head head = {.made_bytes = made_bytes};
    memcpy(head.number, &number, sizeof head.number);
    const gs_join_kept both = {.key = (const uint8_t *)&head,
                               .key_bytes = sizeof head,
                               .line = right->kept.data,
                               .line_bytes = right->kept.used};
    const uint64_t before = right->shelf.line_count;
    GS_TRY(gs_join_shelf_add(&right->shelf, &both, st));
    if (right->shelf.block_count == right->index_count)
        return GS_OK;
    GS_TRY(gs_mem_grow(&right->index, &right->index_capacity, right->index_count + 1,
                       "index of kept lines", st));
    right->index[right->index_count++] = (gs_band_entry){number, before};
    return GS_OK;
}

gs_code gs_band_right_add(gs_band_right *right, gs_join_number number,
                          const uint8_t *line, size_t bytes, gs_status *st)
{
    const gs_join_options *const o = right->format->options;
    gs_join_text *const kept = &right->kept;
    bool is_made = false;
    kept->used = 0;
    if (o->shows_pairs)
        GS_TRY(make_parts(right, line, bytes, &is_made, st));
    const size_t made_bytes = kept->used;
    if (o->shows_unpaired[GS_JOIN_RIGHT] || (o->shows_pairs && !is_made)) {
        GS_TRY(gs_join_text_room(kept, bytes, st));
        if (bytes > 0)
            memcpy(kept->data + kept->used, line, bytes);
        kept->used += bytes;
    }
    return put_on_shelf(right, number, is_made ? made_bytes : GS_BAND_NOT_MADE, st);
}

gs_code gs_band_right_end(gs_band_right *right, gs_status *st)
{
    enum { BITS = 64 };
    gs_join_fields_release(&right->fields);
    gs_join_text_release(&right->kept);
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
    gs_join_fields_release(&right->fields);
    gs_join_text_release(&right->kept);
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
