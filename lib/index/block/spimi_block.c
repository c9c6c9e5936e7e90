/* SPDX-License-Identifier: MIT */
#include "lib/index/block/spimi_block.h"

#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/index/block/spimi_entry.h"
#include "lib/index/format/formats.h"
#include "lib/sort/bucket/buckets.h"

enum {
    SLOTS_FIRST = 1 << 11,
    STEP_BYTES =
        2 * GS_SLICE_BYTES_MAX, /* nor takes more of the arena, its entry aside */
    HUGE_MIN = 2 << 20,         /* smaller maps do without huge pages */
    SORT_BYTES = 2 * sizeof(gs_element), /* a term */
    AHEAD_SLOT = 24,                     /* tokens ahead whose slot is asked for, */
    AHEAD_ENTRY = 16,                    /* whose entry is, */
    AHEAD_LIST = 8,                      /* and the end of whose list is */
    RING = 32,                           /* entries that were asked for; a power of two */
};

#define ARENA_BYTES_MAX ((size_t)GS_ARENA_UNIT << 32)

/* --- memory ------------------------------------------------------------------------- */

static gs_code map_slots(gs_spimi_block *b, size_t count, gs_status *st)
{
    const size_t bytes = count * sizeof *b->slots;
    uint64_t *slots = NULL;
    GS_TRY(gs_mem_map(&slots, bytes, bytes >= HUGE_MIN, "hash of terms", st));
    b->slots = slots;
    b->slot_count = count;
    return GS_OK;
}

gs_code gs_spimi_block_new(gs_spimi_block **out, const gs_block_options *options,
                           gs_status *st)
{
    gs_assert(options->memory_bytes >= GS_SPIMI_BYTES_MIN);
    *out = NULL;
    gs_spimi_block *b = NULL;
    GS_TRY(gs_mem_new_apart(&b, sizeof *b, "block of postings", st));
    b->options = *options;
    if (b->options.memory_bytes > ARENA_BYTES_MAX - GS_ARENA_UNIT)
        b->options.memory_bytes = ARENA_BYTES_MAX - GS_ARENA_UNIT;
    b->entry_bytes =
        sizeof(gs_spimi_entry) + (options->is_tuples ? sizeof(gs_spimi_more) : 0);
    GS_TRY_OR_FAIL(
        gs_mem_new(&b->long_lists, sizeof *b->long_lists, "block of postings", st));
    pthread_mutex_init(b->long_lists, NULL);
    const size_t mapped = b->options.memory_bytes + GS_ARENA_SLACK;
    GS_TRY_OR_FAIL(gs_mem_map(&b->arena.data, mapped, true, "block of postings", st));
    b->arena_mapped = mapped;
    GS_TRY_OR_FAIL(map_slots(b, SLOTS_FIRST, st));
    gs_spimi_block_reset(b);
    *out = b;
    return GS_OK;
fail:
    gs_spimi_block_free(b);
    return st->code;
}

static void drop_elements(gs_spimi_block *b)
{
    gs_mem_unmap(b->elements, b->elements_mapped);
    b->elements = NULL;
    b->elements_mapped = 0;
}

void gs_spimi_block_free(gs_spimi_block *b)
{
    if (b == NULL)
        return;
    drop_elements(b);
    gs_mem_unmap(b->arena.data, b->arena_mapped);
    gs_mem_unmap(b->slots, b->slot_count * sizeof *b->slots);
    if (b->long_lists != NULL)
        pthread_mutex_destroy(b->long_lists);
    gs_mem_free(b->long_lists);
    gs_mem_free(b);
}

void gs_spimi_block_reset(gs_spimi_block *b)
{
    drop_elements(b);
    memset(b->slots, 0, b->slot_count * sizeof *b->slots);
    b->term_count = 0;
    b->longest_list = 0;
    b->arena.used = GS_ARENA_UNIT; /* 0 is nowhere */
    const size_t slots_bytes = b->slot_count * sizeof *b->slots;
    b->arena.left = b->options.memory_bytes - slots_bytes;
}

gs_code gs_spimi_block_shrink(gs_spimi_block *b, size_t memory_bytes, gs_status *st)
{
    gs_assert(memory_bytes >= GS_SPIMI_BYTES_MIN);
    if (memory_bytes < b->options.memory_bytes)
        b->options.memory_bytes = memory_bytes;
    /* The pages of all of it come back one by one, those of the rest do not. */
    gs_mem_discard(b->arena.data, b->arena_mapped);
    gs_mem_unmap(b->slots, b->slot_count * sizeof *b->slots);
    b->slots = NULL;
    b->slot_count = 0;
    GS_TRY(map_slots(b, SLOTS_FIRST, st));
    gs_spimi_block_reset(b);
    return GS_OK;
}

bool gs_spimi_block_is_nearly_full(const gs_spimi_block *b)
{
    return b->arena.left < b->options.memory_bytes / 4;
}

/* --- the hash ---------------------------------------------------------------------- */

/* Twice the slots, if the memory allows. */
static gs_code grow_slots(gs_spimi_block *b, bool *grown, gs_status *st)
{
    const size_t old_count = b->slot_count, old_bytes = old_count * sizeof *b->slots;
    uint64_t *const old = b->slots;
    *grown = b->arena.left > 2 * old_bytes + STEP_BYTES;
    if (!*grown)
        return GS_OK;
    GS_TRY(map_slots(b, 2 * old_count, st));
    const size_t mask = b->slot_count - 1;
    for (size_t i = 0; i < old_count; i++) {
        if (old[i] == 0)
            continue;
        size_t at = (size_t)(old[i] >> 32) & mask;
        while (b->slots[at] != 0)
            at = (at + 1) & mask;
        b->slots[at] = old[i];
    }
    gs_mem_unmap(old, old_bytes);
    b->arena.left -= old_bytes;
    return GS_OK;
}

static inline bool is_term(const gs_spimi_block *b, const gs_spimi_entry *e,
                           const gs_token *token)
{
    if (e->term_bytes != token->bytes)
        return false;
    const uint8_t *const term = (const uint8_t *)e + b->entry_bytes;
    /* Both are padded with zeros to 8 bytes. */
    for (size_t at = 0; at < token->bytes; at += 8) {
        if (gs_term_word(term + at) != gs_term_word(token->term + at))
            return false;
    }
    return true;
}

/* Adds a term at a free slot; *out is NULL if the block is full. */
static gs_code add_term(gs_spimi_block *b, size_t slot, const gs_token *token,
                        gs_spimi_entry **out, gs_status *st)
{
    *out = NULL;
    const size_t padded = (token->bytes + 7) / 8 * 8;
    const size_t bytes = b->entry_bytes + padded;
    if (b->arena.left < bytes + SORT_BYTES + STEP_BYTES)
        return GS_OK;
    if (b->term_count >= b->slot_count / 2) {
        bool grown;
        GS_TRY(grow_slots(b, &grown, st));
        if (!grown && b->term_count >= b->slot_count / 8 * 7)
            return GS_OK;
        const size_t mask = b->slot_count - 1;
        slot = token->hash & mask;
        while (b->slots[slot] != 0)
            slot = (slot + 1) & mask;
        if (b->arena.left < bytes + SORT_BYTES + STEP_BYTES)
            return GS_OK;
    }
    const uint32_t where = gs_slice_arena_take(&b->arena, bytes);
    gs_spimi_entry *const e = gs_spimi_entry_at(b, where);
    *e = (gs_spimi_entry){.term_bytes = (uint16_t)token->bytes};
    if (b->options.is_tuples)
        *gs_spimi_more_of(e) = (gs_spimi_more){0};
    memcpy((uint8_t *)e + b->entry_bytes, token->term, padded);
    b->slots[slot] = (uint64_t)token->hash << 32 | where;
    b->term_count++;
    b->arena.left -= SORT_BYTES;
    *out = e;
    return GS_OK;
}

/* The term's entry, perhaps NULL, and then the free slot where it would stand. */
static gs_spimi_entry *find_term(const gs_spimi_block *b, const gs_token *token,
                                 size_t *slot)
{
    const size_t mask = b->slot_count - 1;
    for (size_t i = token->hash & mask;; i = (i + 1) & mask) {
        const uint64_t s = b->slots[i];
        if (s == 0) {
            *slot = i;
            return NULL;
        }
        if ((uint32_t)(s >> 32) == token->hash) {
            gs_spimi_entry *const e = gs_spimi_entry_at(b, (uint32_t)s);
            if (__builtin_expect(is_term(b, e, token), 1))
                return e;
        }
    }
}

/* --- lists -------------------------------------------------------------------------- */

static inline void set_last_doc(gs_spimi_entry *e, uint64_t doc)
{
    e->last_doc = (uint32_t)doc;
    e->last_doc_high = (uint8_t)(doc >> 32);
}

/* The term comes in `doc`, which is not the list's last. */
static inline void change_doc(gs_spimi_block *b, gs_spimi_entry *e, uint64_t doc)
{
    const uint64_t last = gs_spimi_last_doc(e);
    uint64_t gap = doc - last;
    if (e->list.head == 0)
        gs_slice_list_put_slow(&b->arena, &e->list, last, false,
                               0); /* there is no slice yet */
    if (b->options.is_tuples) {
        e->is_out_of_order |= doc < last;
        gap = gs_zigzag((int64_t)gap);
    }
    gs_slice_list_put(&b->arena, &e->list, gs_gap_head(gap, e->count == 1), e->count != 1,
                      e->count);
    set_last_doc(e, doc);
}

static inline void add_position(gs_spimi_block *b, gs_spimi_entry *e, uint64_t doc,
                                uint32_t position)
{
    const uint64_t last = gs_spimi_last_doc(e);
    if (e->list.head == 0)
        gs_slice_list_put_slow(&b->arena, &e->list, last, true, e->count);
    const bool is_new = doc != last;
    const uint64_t step = is_new ? position : position - e->count;
    gs_slice_list_put(&b->arena, &e->list, step << 1 | is_new, is_new, doc - last);
    set_last_doc(e, doc);
    e->count = position;
}

/* --- adding ------------------------------------------------------------------------- */

/* The memory of a token is met in three steps, each a likely cache miss: its slot, its
 * entry, the end of its list. They are asked for some tokens ahead, one step at a time;
 * what the second finds is remembered until the token's turn. */
typedef struct look_ahead {
    const gs_token *tokens;
    size_t count;
    uint32_t found[RING]; /* 0: no entry yet, as it seemed */
} look_ahead;

static inline void ask_slot(const gs_spimi_block *b, const look_ahead *l, size_t i)
{
    if (i < l->count)
        __builtin_prefetch(&b->slots[l->tokens[i].hash & (b->slot_count - 1)]);
}

static inline void ask_entry(const gs_spimi_block *b, look_ahead *l, size_t i)
{
    if (i >= l->count)
        return;
    const size_t mask = b->slot_count - 1;
    const uint32_t hash = l->tokens[i].hash;
    size_t at = hash & mask;
    while (b->slots[at] != 0 && (uint32_t)(b->slots[at] >> 32) != hash)
        at = (at + 1) & mask;
    const uint32_t where = (uint32_t)b->slots[at];
    l->found[i % RING] = where;
    __builtin_prefetch(gs_spimi_entry_at(b, where));
}

static inline void ask_list(const gs_spimi_block *b, const look_ahead *l, size_t i)
{
    if (i >= l->count || l->found[i % RING] == 0)
        return;
    const gs_spimi_entry *const e = gs_spimi_entry_at(b, l->found[i % RING]);
    __builtin_prefetch(gs_slice_list_end(&b->arena, &e->list), 1);
}

static inline void look_ahead_begin(const gs_spimi_block *b, look_ahead *l,
                                    const gs_token *tokens, size_t count)
{
    l->tokens = tokens;
    l->count = count;
    for (size_t i = 0; i < AHEAD_SLOT; i++)
        ask_slot(b, l, i);
    for (size_t i = 0; i < AHEAD_ENTRY; i++)
        ask_entry(b, l, i);
    for (size_t i = 0; i < AHEAD_LIST; i++)
        ask_list(b, l, i);
}

/* The entry of token i, perhaps NULL, and then the free slot where it would stand. */
static inline gs_spimi_entry *look_ahead_take(const gs_spimi_block *b, look_ahead *l,
                                              size_t i, size_t *slot)
{
    ask_slot(b, l, i + AHEAD_SLOT);
    ask_entry(b, l, i + AHEAD_ENTRY);
    ask_list(b, l, i + AHEAD_LIST);
    /* Asking for a later entry has not overwritten this: the ring is longer. */
    const uint32_t where = l->found[i % RING];
    if (where != 0) {
        gs_spimi_entry *const e = gs_spimi_entry_at(b, where);
        if (__builtin_expect(is_term(b, e, &l->tokens[i]), 1))
            return e;
    }
    return find_term(b, &l->tokens[i], slot);
}

gs_code gs_spimi_block_add(gs_spimi_block *b, uint64_t first_doc, const gs_token *tokens,
                           size_t count, size_t *taken, gs_status *st)
{
    const bool has_positions = b->options.has_positions;
    look_ahead ahead;
    look_ahead_begin(b, &ahead, tokens, count);
    size_t i = 0;
    for (; i < count && b->arena.left >= STEP_BYTES; i++) {
        const gs_token *const token = &tokens[i];
        const uint64_t doc = first_doc + token->document;
        size_t slot = 0;
        gs_spimi_entry *e = look_ahead_take(b, &ahead, i, &slot);
        if (e == NULL) {
            GS_TRY(add_term(b, slot, token, &e, st));
            if (e == NULL)
                break;
            set_last_doc(e, doc);
            e->count = has_positions ? token->position : 1;
        } else if (has_positions) {
            add_position(b, e, doc, token->position);
        } else if (gs_spimi_last_doc(e) == doc) {
            e->count++;
        } else {
            change_doc(b, e, doc);
            e->count = 1;
        }
    }
    *taken = i;
    return GS_OK;
}

gs_code gs_spimi_fail_tf(uint64_t doc, gs_status *st)
{
    return GS_FAIL(st, GS_ERR_LIMIT, 0,
                   "a term comes more than 2^32 - 1 times in document %llu",
                   (unsigned long long)doc);
}

/* Counts the elements that a posting takes when its list is sorted; false if the memory
 * for that is not there. */
static bool count_elements(gs_spimi_block *b, gs_spimi_entry *e, uint32_t tf)
{
    gs_spimi_more *const more = gs_spimi_more_of(e);
    const uint64_t count = more->element_count + (tf - 1) / GS_SPIMI_TF_MAX + 1;
    if (count > b->longest_list) {
        const uint64_t bytes = (count - b->longest_list) * GS_SPIMI_POSTING_BYTES;
        if (b->arena.left < bytes + STEP_BYTES)
            return false;
        b->arena.left -= bytes;
        b->longest_list = count;
    }
    more->element_count = count;
    return true;
}

static gs_code add_tuple(gs_spimi_block *b, const gs_tuple *tuple, bool *is_taken,
                         gs_status *st)
{
    size_t slot = 0;
    gs_spimi_entry *e = find_term(b, &tuple->term, &slot);
    const bool is_new = e == NULL;
    *is_taken = false;
    if (is_new)
        GS_TRY(add_term(b, slot, &tuple->term, &e, st));
    if (e == NULL || !count_elements(b, e, tuple->tf))
        return GS_OK;
    *is_taken = true;
    if (is_new) {
        set_last_doc(e, tuple->doc);
        e->count = tuple->tf;
    } else if (gs_spimi_last_doc(e) == tuple->doc) {
        if (__builtin_add_overflow(e->count, tuple->tf, &e->count))
            return gs_spimi_fail_tf(tuple->doc, st);
    } else {
        change_doc(b, e, tuple->doc);
        e->count = tuple->tf;
    }
    return GS_OK;
}

gs_code gs_spimi_block_add_tuples(gs_spimi_block *b, const gs_tuple *tuples, size_t count,
                                  size_t *taken, gs_status *st)
{
    bool is_taken = true;
    size_t i = 0;
    for (; i < count && b->arena.left >= STEP_BYTES; i++) {
        if (i + AHEAD_SLOT < count)
            __builtin_prefetch(
                &b->slots[tuples[i + AHEAD_SLOT].term.hash & (b->slot_count - 1)]);
        GS_TRY(add_tuple(b, &tuples[i], &is_taken, st));
        if (!is_taken)
            break;
    }
    *taken = i;
    return GS_OK;
}

/* --- sorting ----------------------------------------------------------------------- */

gs_code gs_spimi_block_sort(gs_spimi_block *b, gs_term_block *view, gs_status *st)
{
    static const gs_record_layout layout = {0};
    drop_elements(b);
    *view = (gs_term_block){&gs_spimi_read_ops, b, b->term_count};
    if (b->term_count == 0)
        return GS_OK;
    const size_t bytes = b->term_count * SORT_BYTES;
    GS_TRY(gs_mem_map(&b->elements, bytes, true, "sort of terms", st));
    b->elements_mapped = bytes;
    size_t n = 0;
    for (size_t i = 0; i < b->slot_count; i++) {
        if (b->slots[i] == 0)
            continue;
        const uint32_t where = (uint32_t)b->slots[i];
        const size_t term_at = (size_t)where * GS_ARENA_UNIT + b->entry_bytes;
        const uint8_t *const term = b->arena.data + term_at;
        const size_t term_bytes = gs_spimi_entry_at(b, where)->term_bytes;
        b->elements[n++] = (gs_element){.prefix = gs_string_word(term, term_bytes, 0),
                                        .next = gs_string_word(term, term_bytes, 8),
                                        .where = gs_where_pack(term_at, term_bytes)};
    }
    gs_assert(n == b->term_count);
    gs_tie_sort(&layout, b->arena.data, b->elements, b->elements + n, n, 0, true);
    return GS_OK;
}
