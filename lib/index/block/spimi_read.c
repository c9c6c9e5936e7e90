/* SPDX-License-Identifier: MIT */
/*
 * A spimi block that is sorted, read as a term block. Lists that came out of order are
 * put in order here, each when it is opened.
 */
#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/index/block/key_sort.h"
#include "lib/index/block/spimi_entry.h"

enum {
    LONG_LIST = 1 << 16, /* only one such a block is held at a time */
    WEIGH_AHEAD = 16,
};

static const gs_spimi_entry *entry_of(const gs_spimi_block *b, size_t index)
{
    const size_t term_at = (size_t)gs_where_offset(b->elements[index].where);
    return (const gs_spimi_entry *)(const void *)(b->arena.data + term_at -
                                                  b->entry_bytes);
}

static void get_term(const void *block, size_t index, gs_term_view *out)
{
    const gs_spimi_block *const b = block;
    const gs_spimi_entry *const e = entry_of(b, index);
    if (index + 1 < b->term_count)
        __builtin_prefetch(entry_of(b, index + 1));
    __builtin_prefetch(gs_slice_arena_at(&b->arena, e->list.head));
    out->bytes = (const uint8_t *)e + b->entry_bytes;
    out->count = e->term_bytes;
    out->prefix = gs_string_word(out->bytes, out->count, 0);
}

/* A posting takes a byte or two of its list, and the last one stands in the entry. */
static uint64_t weigh_lists(const void *block, size_t begin, size_t end)
{
    const gs_spimi_block *const b = block;
    uint64_t sum = end - begin;
    for (size_t i = begin; i < end; i++) {
        if (i + WEIGH_AHEAD < end)
            __builtin_prefetch(entry_of(b, i + WEIGH_AHEAD));
        sum += gs_slice_list_bytes(&b->arena, &entry_of(b, i)->list);
    }
    return sum;
}

/* The next document and its tf; false at the end. */
static inline bool get_posting(const gs_spimi_block *b, gs_term_reader *r, uint64_t *doc,
                               uint32_t *tf)
{
    if (r->is_done)
        return false;
    *doc = r->doc;
    if (gs_slice_reader_is_end(&r->list)) {
        *tf = r->count; /* the last one's is in the entry */
        r->is_done = true;
        return true;
    }
    const uint64_t x = gs_slice_reader_number(&r->list, &b->arena);
    const uint64_t gap = gs_gap_of(x);
    *tf = gs_gap_is_once(x) ? 1 : (uint32_t)gs_slice_reader_number(&r->list, &b->arena);
    r->doc += b->options.is_tuples ? (uint64_t)gs_unzigzag(gap) : gap;
    return true;
}

/* Memory for `room` elements and as many to sort with: a short list's is kept for the
 * next, a long one waits until no other long one is held. */
static gs_code make_sorted(const gs_spimi_block *b, gs_term_reader *r, size_t room,
                           gs_status *st)
{
    const size_t bytes = room * GS_SPIMI_POSTING_BYTES;
    if (2 * room <= GS_SORTED_KEPT) {
        if (r->kept == NULL)
            GS_TRY(gs_mem_new(&r->kept, GS_SORTED_KEPT * sizeof *r->kept,
                              "postings out of order", st));
        r->sorted = r->kept;
        return GS_OK;
    }
    if (room > LONG_LIST) {
        pthread_mutex_lock(b->long_lists);
        r->held = b->long_lists;
    }
    GS_TRY(gs_mem_map(&r->sorted, bytes, false, "postings out of order", st));
    r->sorted_bytes = bytes;
    return GS_OK;
}

/* Puts a list in order: packed as doc << 24 | tf, a large tf in several pieces. */
static gs_code sort_list(const gs_spimi_block *b, gs_term_reader *r,
                         const gs_spimi_entry *e, gs_status *st)
{
    const gs_spimi_more *const more = (const gs_spimi_more *)(const void *)(e + 1);
    const size_t room = more->element_count;
    GS_TRY(make_sorted(b, r, room, st));
    uint64_t doc;
    uint32_t tf;
    size_t n = 0;
    while (get_posting(b, r, &doc, &tf)) {
        for (uint32_t part; tf > 0; tf -= part) {
            part = tf < GS_SPIMI_TF_MAX ? tf : GS_SPIMI_TF_MAX;
            gs_assert(n < room);
            r->sorted[n++] = doc << GS_SPIMI_TF_BITS | part;
        }
    }
    gs_key_sort_u64(r->sorted, r->sorted + room, n, GS_SPIMI_TF_BITS);
    r->next = 0;
    r->next_end = n;
    r->is_done = false;
    return GS_OK;
}

static gs_code open_list(const void *block, size_t index, gs_term_reader *r,
                         gs_status *st)
{
    const gs_spimi_block *const b = block;
    const gs_spimi_entry *const e = entry_of(b, index);
    gs_term_reader_begin(r);
    r->count = e->count;
    gs_slice_reader_begin(&r->list, &b->arena, &e->list);
    if (e->list.head == 0) {
        r->doc = gs_spimi_last_doc(e);
        return GS_OK;
    }
    r->doc = gs_slice_reader_number(&r->list, &b->arena);
    if (b->options.has_positions)
        r->count = (uint32_t)gs_slice_reader_number(&r->list, &b->arena);
    return e->is_out_of_order ? sort_list(b, r, e, st) : GS_OK;
}

static gs_code read_sorted(gs_term_reader *r, gs_posting_batch *batch, gs_status *st)
{
    while (r->next < r->next_end && batch->count < GS_POSTINGS_MAX) {
        const uint64_t doc = r->sorted[r->next] >> GS_SPIMI_TF_BITS;
        uint64_t tf = 0;
        for (; r->next < r->next_end && r->sorted[r->next] >> GS_SPIMI_TF_BITS == doc;
             r->next++)
            tf += r->sorted[r->next] & GS_SPIMI_TF_MAX;
        if (tf > UINT32_MAX)
            return gs_spimi_fail_tf(doc, st);
        gs_posting_batch_add(batch, doc, (uint32_t)tf);
    }
    return GS_OK;
}

static gs_code read_positions(const gs_spimi_block *b, gs_term_reader *r,
                              gs_posting_batch *batch, gs_status *st)
{
    while (!r->is_done && !gs_posting_batch_is_full(batch)) {
        const uint64_t doc = r->doc;
        uint32_t tf = 0;
        bool is_new = false;
        while (!is_new) {
            GS_TRY(gs_posting_batch_add_position(batch, r->count, st));
            tf++;
            if (gs_slice_reader_is_end(&r->list)) {
                r->is_done = true;
                break;
            }
            const uint64_t x = gs_slice_reader_number(&r->list, &b->arena);
            is_new = (x & 1) != 0;
            r->count = (uint32_t)(x >> 1) + (is_new ? 0 : r->count);
            r->doc += is_new ? gs_slice_reader_number(&r->list, &b->arena) : 0;
        }
        gs_posting_batch_add(batch, doc, tf);
    }
    return GS_OK;
}

static gs_code read_list(const void *block, gs_term_reader *r, gs_posting_batch *batch,
                         gs_status *st)
{
    const gs_spimi_block *const b = block;
    gs_posting_batch_clear(batch);
    if (r->sorted != NULL)
        return read_sorted(r, batch, st);
    if (b->options.has_positions)
        return read_positions(b, r, batch, st);
    uint64_t doc;
    uint32_t tf;
    while (batch->count < GS_POSTINGS_MAX && get_posting(b, r, &doc, &tf))
        gs_posting_batch_add(batch, doc, tf);
    return GS_OK;
}

const gs_term_block_ops gs_spimi_read_ops = {
    .term = get_term, .weigh = weigh_lists, .open = open_list, .read = read_list};
