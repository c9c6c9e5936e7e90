/* SPDX-License-Identifier: MIT */
#include "lib/index/reorder/list_reorder.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/cancel.h"
#include "lib/base/mem.h"
#include "lib/index/reorder/place_sort.h"

struct gs_list_reorder {
    gs_list_reorder_options options;
    bool has_positions;
    unsigned place_bits;
    gs_posting_list list;
    /* Of the index, from where pages of what was read have not been let go. */
    const uint8_t *held_terms, *held_postings, *held_positions;
    uint64_t from, to; /* places that are wanted now, without `to` */
    bool is_full;      /* there are more of them than there is room for */

    uint64_t *items, *spare; /* places above, numbers of postings below */
    uint32_t *tfs;           /* by number */
    uint64_t *begins;        /* of positions, by number; only if they are kept */
    size_t count, capacity;
    uint32_t *positions;
    size_t position_count, position_room, position_capacity;
};

/* --- life -------------------------------------------------------------------------- */

static gs_code make_room(gs_list_reorder *l, gs_status *st)
{
    const gs_list_reorder_options *const o = &l->options;
    const size_t share = l->has_positions ? o->memory_bytes / 2 : o->memory_bytes;
    const size_t item_bytes = 2 * sizeof *l->items + sizeof *l->tfs +
                              (l->has_positions ? sizeof *l->begins : 0);
    l->capacity = share / item_bytes;
    if (l->capacity > o->doc_count)
        l->capacity = o->doc_count;
    GS_TRY(gs_mem_new_array(&l->items, l->capacity, sizeof *l->items, "a list", st));
    GS_TRY(gs_mem_new_array(&l->spare, l->capacity, sizeof *l->spare, "a list", st));
    GS_TRY(gs_mem_new_array(&l->tfs, l->capacity, sizeof *l->tfs, "a list", st));
    if (!l->has_positions)
        return GS_OK;
    l->position_room = share / sizeof *l->positions;
    return gs_mem_new_array(&l->begins, l->capacity, sizeof *l->begins, "a list", st);
}

gs_code gs_list_reorder_new(gs_list_reorder **out, const gs_list_reorder_options *options,
                            gs_status *st)
{
    gs_assert(options->memory_bytes >= GS_LIST_REORDER_BYTES_MIN);
    *out = NULL;
    gs_list_reorder *l = NULL;
    GS_TRY(gs_mem_new(&l, sizeof *l, "a list", st));
    l->options = *options;
    l->has_positions = gs_index_header_of(options->index)->has_positions;
    while (options->doc_count >> l->place_bits != 0)
        l->place_bits++;
    GS_TRY_OR_FAIL(make_room(l, st));
    *out = l;
    return GS_OK;
fail:
    gs_list_reorder_free(l);
    return st->code;
}

void gs_list_reorder_free(gs_list_reorder *l)
{
    if (l == NULL)
        return;
    gs_posting_list_release(&l->list);
    gs_mem_free(l->items);
    gs_mem_free(l->spare);
    gs_mem_free(l->tfs);
    gs_mem_free(l->begins);
    gs_mem_free(l->positions);
    gs_mem_free(l);
}

/* --- reading ----------------------------------------------------------------------- */

/* Of a posting that is the only one wanted there may be as many as it has. */
static gs_code keep_positions(gs_list_reorder *l, size_t at, gs_status *st)
{
    gs_posting_list *const list = &l->list;
    GS_TRY(gs_posting_list_positions(list, at, st));
    l->is_full = l->position_count + list->position_count > l->position_room &&
                 l->to - l->from > 1;
    if (l->is_full)
        return GS_OK;
    GS_TRY(gs_mem_grow(&l->positions, &l->position_capacity,
                       l->position_count + list->position_count, "positions", st));
    memcpy(l->positions + l->position_count, list->positions,
           list->position_count * sizeof *l->positions);
    l->begins[l->count] = l->position_count;
    l->position_count += list->position_count;
    return GS_OK;
}

static gs_code keep(gs_list_reorder *l, size_t at, uint64_t place, gs_status *st)
{
    l->is_full = l->count == l->capacity;
    if (!l->is_full && l->has_positions)
        GS_TRY(keep_positions(l, at, st));
    if (l->is_full)
        return GS_OK;
    l->items[l->count] = place << 32 | l->count;
    l->tfs[l->count] = (uint32_t)l->list.tfs[at];
    l->count++;
    return GS_OK;
}

static gs_code take_block(gs_list_reorder *l, gs_status *st)
{
    for (size_t i = 0; i < l->list.count && !l->is_full; i++) {
        const uint64_t place = l->options.places[l->list.docs[i]];
        if (place >= l->from && place < l->to)
            GS_TRY(keep(l, i, place, st));
    }
    return GS_OK;
}

/* Gathers the postings of the places wanted, as far as there is room. */
static gs_code gather(gs_list_reorder *l, const gs_term_cursor *term, gs_status *st)
{
    gs_posting_list *const list = &l->list;
    l->count = l->position_count = 0;
    l->is_full = false;
    GS_TRY(gs_posting_list_start(list, l->options.index, &term->info, st));
    gs_index_pass(&l->held_terms, term->p);
    while (!l->is_full) {
        GS_TRY(gs_posting_list_block(list, st));
        if (list->count == 0)
            break;
        GS_TRY(take_block(l, st));
        gs_index_pass(&l->held_postings, list->p);
        if (l->has_positions)
            gs_index_pass(&l->held_positions, list->next_places);
    }
    return gs_cancel_check(l->options.cancel, st);
}

/* --- writing ----------------------------------------------------------------------- */

static gs_code put(gs_list_reorder *l, gs_index_part *part, gs_status *st)
{
    uint64_t docs[GS_INDEX_BLOCK];
    uint32_t tfs[GS_INDEX_BLOCK];
    const size_t most = l->has_positions ? 1 : GS_INDEX_BLOCK;
    gs_place_sort(l->items, l->spare, l->count, l->place_bits);
    for (size_t at = 0, n; at < l->count; at += n) {
        const uint32_t *positions = NULL;
        n = l->count - at < most ? l->count - at : most;
        for (size_t i = 0; i < n; i++) {
            const uint32_t number = (uint32_t)l->items[at + i];
            docs[i] = l->items[at + i] >> 32;
            tfs[i] = l->tfs[number];
            positions = l->has_positions ? l->positions + l->begins[number] : NULL;
        }
        GS_TRY(gs_index_part_postings(part, docs, tfs, n, positions, st));
    }
    return GS_OK;
}

gs_code gs_list_reorder_term(gs_list_reorder *l, const gs_term_cursor *term,
                             gs_index_part *part, gs_status *st)
{
    uint64_t cf = 0, width = l->options.doc_count;
    GS_TRY(gs_index_part_term(part, term->term, term->bytes, st));
    for (l->from = 0; l->from < l->options.doc_count;) {
        l->to = l->from + width;
        GS_TRY(gather(l, term, st));
        if (l->is_full) {
            width = (width + 1) / 2; /* a place has room by itself */
            continue;
        }
        GS_TRY(put(l, part, st));
        for (size_t i = 0; i < l->count; i++)
            cf += l->tfs[i];
        l->from = l->to;
    }
    return cf == term->info.cf ? GS_OK
                               : gs_index_damaged(l->options.index, GS_INDEX_POSTINGS,
                                                  "a term's counts are wrong", st);
}
