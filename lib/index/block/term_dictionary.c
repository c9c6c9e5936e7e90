/* SPDX-License-Identifier: MIT */
/*
 * Terms lie in an arena whose addresses never change. A number is published by putting it
 * in a slot after its term is in place, so that a thread which finds the number finds the
 * term too. When the slots of a shard are too few, more of them take their place; the old
 * ones stay until no other thread is using the dictionary, since one may be looking
 * there. A thread that finds nothing, in old slots or new ones, looks again under the
 * lock before it adds the term. A cache holds numbers that its thread has found that way.
 */
#include "lib/index/block/term_dictionary.h"

#include <pthread.h>
#include <stdatomic.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/sort/bucket/buckets.h"
#include "lib/sort/record/records.h"

enum {
    SHARDS = 64,
    SHARD_SHIFT = 26, /* the top bits of the hash choose the shard */
    SLOTS_FIRST = 64,
    CACHE_SLOTS = 1 << 15,
    SORT_BYTES = 2 * sizeof(gs_element), /* for each new term when ranking */
    TERM_LENGTH_BITS = 16,
    UNIT = 8, /* of places in the arena, so that 32 bits reach 32 GiB */
    ARENA_SLACK = 64,
};

#define TERMS_MAX (UINT32_MAX - 1)
#define BYTES_MAX (((size_t)UNIT << 32) - ARENA_SLACK)

/* In front of a term in the arena, at a multiple of UNIT but not at 0. */
typedef struct term_head {
    uint32_t id;
    uint32_t bytes;
} term_head;

typedef struct slot_table {
    struct slot_table *older; /* whose place it took */
    size_t slot_count;
    _Atomic uint64_t slots[]; /* hash << 32 | where the head is / UNIT; 0: free */
} slot_table;

typedef struct shard {
    /* For whoever adds a term; guards what follows. */
    GS_MEM_APART pthread_mutex_t mutex;
    _Atomic(slot_table *) table; /* read without it; NULL: none yet */
    size_t count;
} shard;

/* What each look needs is apart from what each new term writes, so that a thread which
 * adds terms does not take lines of the cache from those which find theirs. */
struct gs_term_dictionary {
    GS_MEM_APART size_t memory_bytes;
    uint8_t *arena;
    size_t mapped_bytes; /* each of the maps is as large as the whole might be */
    uint64_t *places;    /* of terms by id: offset << 16 | length */
    uint32_t *ranks, *order;
    size_t term_capacity;
    GS_MEM_APART atomic_size_t arena_used;
    atomic_size_t held_bytes;
    _Atomic uint32_t term_count;
    uint32_t ranked_count;
    shard shards[SHARDS];
};

struct gs_term_cache {
    uint64_t slots[CACHE_SLOTS]; /* as in a slot_table */
};

/* --- memory ------------------------------------------------------------------------ */

static size_t table_bytes(size_t slot_count)
{
    return sizeof(slot_table) + slot_count * sizeof(uint64_t);
}

/* Frees a table and all it took the place of; the bytes. */
static size_t free_tables(slot_table *table)
{
    size_t freed = 0;
    while (table != NULL) {
        slot_table *const older = table->older;
        const size_t bytes = table_bytes(table->slot_count);
        gs_mem_unmap(table, bytes);
        freed += bytes;
        table = older;
    }
    return freed;
}

static void release_shards(gs_term_dictionary *d)
{
    for (unsigned i = 0; i < SHARDS; i++) {
        shard *const s = &d->shards[i];
        (void)free_tables(atomic_load(&s->table));
        atomic_store(&s->table, NULL);
        s->count = 0;
    }
}

/* No other thread is using the dictionary. */
static void drop_old_tables(gs_term_dictionary *d)
{
    for (unsigned i = 0; i < SHARDS; i++) {
        slot_table *const table = atomic_load(&d->shards[i].table);
        if (table == NULL)
            continue;
        atomic_fetch_sub(&d->held_bytes, free_tables(table->older));
        table->older = NULL;
    }
}

gs_code gs_term_dictionary_new(gs_term_dictionary **out, size_t memory_bytes,
                               gs_status *st)
{
    gs_assert(memory_bytes >= GS_DICTIONARY_BYTES_MIN && memory_bytes <= BYTES_MAX);
    *out = NULL;
    gs_term_dictionary *d = NULL;
    GS_TRY(gs_mem_new_apart(&d, sizeof *d, "dictionary of terms", st));
    d->memory_bytes = memory_bytes;
    d->mapped_bytes = memory_bytes + ARENA_SLACK;
    /* A term takes at least what is counted for it besides its bytes. */
    const size_t least = sizeof *d->places + 2 * sizeof *d->ranks + SORT_BYTES;
    d->term_capacity = memory_bytes / least + 1;
    if (d->term_capacity > TERMS_MAX)
        d->term_capacity = TERMS_MAX;
    for (unsigned i = 0; i < SHARDS; i++)
        pthread_mutex_init(&d->shards[i].mutex, NULL);
    GS_TRY_OR_FAIL(
        gs_mem_map(&d->arena, d->mapped_bytes, false, "dictionary of terms", st));
    GS_TRY_OR_FAIL(gs_mem_map(&d->places, d->term_capacity * sizeof *d->places, false,
                              "dictionary of terms", st));
    GS_TRY_OR_FAIL(gs_mem_map(&d->ranks, d->term_capacity * sizeof *d->ranks, false,
                              "dictionary of terms", st));
    GS_TRY_OR_FAIL(gs_mem_map(&d->order, d->term_capacity * sizeof *d->order, false,
                              "dictionary of terms", st));
    atomic_store(&d->arena_used, UNIT); /* 0 is nowhere */
    *out = d;
    return GS_OK;
fail:
    gs_term_dictionary_free(d);
    return st->code;
}

void gs_term_dictionary_free(gs_term_dictionary *d)
{
    if (d == NULL)
        return;
    release_shards(d);
    for (unsigned i = 0; i < SHARDS; i++)
        pthread_mutex_destroy(&d->shards[i].mutex);
    gs_mem_unmap(d->arena, d->mapped_bytes);
    gs_mem_unmap(d->places, d->term_capacity * sizeof *d->places);
    gs_mem_unmap(d->ranks, d->term_capacity * sizeof *d->ranks);
    gs_mem_unmap(d->order, d->term_capacity * sizeof *d->order);
    gs_mem_free(d);
}

void gs_term_dictionary_reset(gs_term_dictionary *d)
{
    release_shards(d);
    gs_mem_discard(d->arena, d->mapped_bytes);
    atomic_store(&d->arena_used, UNIT); /* 0 is nowhere */
    atomic_store(&d->held_bytes, 0);
    atomic_store(&d->term_count, 0);
    d->ranked_count = 0;
}

gs_code gs_term_cache_new(gs_term_cache **out, gs_status *st)
{
    GS_TRY(gs_mem_new(out, sizeof(gs_term_cache), "cache of terms", st));
    return GS_OK;
}

void gs_term_cache_free(gs_term_cache *cache)
{
    gs_mem_free(cache);
}

void gs_term_cache_reset(gs_term_cache *cache)
{
    memset(cache->slots, 0, sizeof cache->slots);
}

/* --- looking up --------------------------------------------------------------------- */

size_t gs_term_dictionary_count(const gs_term_dictionary *d)
{
    return atomic_load(&d->term_count);
}

size_t gs_term_dictionary_bytes(const gs_term_dictionary *d)
{
    return atomic_load(&d->held_bytes);
}

size_t gs_term_dictionary_bytes_max(const gs_term_dictionary *d)
{
    return d->memory_bytes;
}

const uint32_t *gs_term_dictionary_ranks(const gs_term_dictionary *d)
{
    return d->ranks;
}

const uint32_t *gs_term_dictionary_order(const gs_term_dictionary *d)
{
    return d->order;
}

const uint8_t *gs_term_dictionary_term(const gs_term_dictionary *d, uint32_t id,
                                       size_t *bytes)
{
    const uint64_t place = d->places[id];
    *bytes = (size_t)(place & ((1 << TERM_LENGTH_BITS) - 1));
    return d->arena + (place >> TERM_LENGTH_BITS);
}

/* The head of the term that a slot leads to. */
static inline const term_head *head_of(const gs_term_dictionary *d, uint64_t slot)
{
    return (const term_head *)(const void *)(d->arena + (size_t)(uint32_t)slot * UNIT);
}

static inline bool is_term(const gs_term_dictionary *d, uint64_t slot,
                           const gs_token *term)
{
    if ((uint32_t)(slot >> 32) != term->hash)
        return false;
    const term_head *const head = head_of(d, slot);
    if (head->bytes != term->bytes)
        return false;
    const uint8_t *const known = (const uint8_t *)(head + 1);
    for (size_t at = 0; at < term->bytes; at += 8) {
        if (gs_term_word(known + at) != gs_term_word(term->term + at))
            return false;
    }
    return true;
}

/* Counts bytes against the limit; false if they are not there. */
static bool hold(gs_term_dictionary *d, size_t bytes)
{
    const size_t before = atomic_fetch_add(&d->held_bytes, bytes);
    if (before + bytes <= d->memory_bytes)
        return true;
    atomic_fetch_sub(&d->held_bytes, bytes);
    return false;
}

static inline uint64_t slot_at(const slot_table *table, size_t at)
{
    return atomic_load_explicit(&table->slots[at], memory_order_acquire);
}

static gs_code grow_shard(gs_term_dictionary *d, shard *s, bool *is_full, gs_status *st)
{
    slot_table *const old = atomic_load(&s->table);
    const size_t old_count = old != NULL ? old->slot_count : 0;
    const size_t count = old != NULL ? 2 * old_count : SLOTS_FIRST;
    *is_full = !hold(d, table_bytes(count));
    if (*is_full)
        return GS_OK;
    slot_table *table = NULL;
    GS_TRY(gs_mem_map(&table, table_bytes(count), false, "dictionary of terms", st));
    table->older = old;
    table->slot_count = count;
    for (size_t i = 0; i < old_count; i++) {
        const uint64_t slot = slot_at(old, i);
        if (slot == 0)
            continue;
        size_t at = (size_t)(slot >> 32) & (count - 1);
        while (slot_at(table, at) != 0)
            at = (at + 1) & (count - 1);
        atomic_store_explicit(&table->slots[at], slot, memory_order_relaxed);
    }
    atomic_store_explicit(&s->table, table, memory_order_release);
    return GS_OK;
}

/* The term's slot, or 0, and then *at is the free one where it would stand. */
static inline uint64_t find_term(const gs_term_dictionary *d, const slot_table *table,
                                 const gs_token *term, size_t *at)
{
    const size_t mask = table->slot_count - 1;
    for (*at = term->hash & mask;; *at = (*at + 1) & mask) {
        const uint64_t slot = slot_at(table, *at);
        if (slot == 0 || is_term(d, slot, term))
            return slot;
    }
}

/* Puts a new term into the arena; what its slot will hold, or 0 if there is no room. */
static uint64_t add_term(gs_term_dictionary *d, const gs_token *term)
{
    const size_t padded = sizeof(term_head) + (term->bytes + 7) / 8 * 8;
    const size_t counted = padded + sizeof *d->places + 2 * sizeof *d->ranks + SORT_BYTES;
    if (!hold(d, counted))
        return 0;
    const size_t at = atomic_fetch_add(&d->arena_used, padded);
    const uint32_t id = atomic_fetch_add(&d->term_count, 1);
    gs_assert(id < d->term_capacity && at + padded <= d->mapped_bytes);
    const term_head head = {id, term->bytes};
    memcpy(d->arena + at, &head, sizeof head);
    memcpy(d->arena + at + sizeof head, term->term, padded - sizeof head);
    d->places[id] = (uint64_t)(at + sizeof head) << TERM_LENGTH_BITS | term->bytes;
    return (uint64_t)term->hash << 32 | at / UNIT;
}

/* The term's slot, made if it has none; 0 if there is no room. */
static gs_code slot_locked(gs_term_dictionary *d, shard *s, const gs_token *term,
                           uint64_t *slot, gs_status *st)
{
    bool is_full = false;
    slot_table *table = atomic_load(&s->table);
    if (table == NULL || s->count >= table->slot_count / 2)
        GS_TRY(grow_shard(d, s, &is_full, st));
    table = atomic_load(&s->table);
    if (table == NULL)
        return GS_OK;
    size_t at;
    *slot = find_term(d, table, term, &at);
    if (*slot != 0 || (is_full && s->count >= table->slot_count / 8 * 7))
        return GS_OK;
    *slot = add_term(d, term);
    if (*slot != 0) {
        atomic_store_explicit(&table->slots[at], *slot, memory_order_release);
        s->count++;
    }
    return GS_OK;
}

static inline const slot_table *table_of(const shard *s)
{
    return atomic_load_explicit(&s->table, memory_order_acquire);
}

void gs_term_cache_prefetch(const gs_term_cache *cache, const gs_token *term)
{
    __builtin_prefetch(&cache->slots[term->hash % CACHE_SLOTS]);
}

void gs_term_dictionary_prefetch(const gs_term_dictionary *d, const gs_term_cache *cache,
                                 const gs_token *term)
{
    const uint64_t cached = cache->slots[term->hash % CACHE_SLOTS];
    if (cached != 0 && (uint32_t)(cached >> 32) == term->hash) {
        __builtin_prefetch(head_of(d, cached));
        return;
    }
    const slot_table *const table = table_of(&d->shards[term->hash >> SHARD_SHIFT]);
    if (table != NULL)
        __builtin_prefetch(&table->slots[term->hash & (table->slot_count - 1)]);
}

gs_code gs_term_dictionary_id(gs_term_dictionary *d, gs_term_cache *cache,
                              const gs_token *term, uint32_t *id, gs_status *st)
{
    uint64_t *const cached = &cache->slots[term->hash % CACHE_SLOTS];
    if (*cached == 0 || !is_term(d, *cached, term)) {
        shard *const s = &d->shards[term->hash >> SHARD_SHIFT];
        const slot_table *const table = table_of(s);
        size_t at;
        uint64_t slot = table != NULL ? find_term(d, table, term, &at) : 0;
        if (slot == 0) {
            pthread_mutex_lock(&s->mutex);
            const gs_code code = slot_locked(d, s, term, &slot, st);
            pthread_mutex_unlock(&s->mutex);
            GS_TRY(code);
        }
        *id = GS_TERM_ID_NONE;
        if (slot == 0)
            return GS_OK;
        *cached = slot;
    }
    *id = head_of(d, *cached)->id;
    return GS_OK;
}

static uint32_t id_at(const uint8_t *term)
{
    term_head head;
    memcpy(&head, term - sizeof head, sizeof head);
    return head.id;
}

/* --- ranking ------------------------------------------------------------------------ */

static gs_element element_of(const gs_term_dictionary *d, uint32_t id)
{
    size_t bytes;
    const uint8_t *const term = gs_term_dictionary_term(d, id, &bytes);
    return (gs_element){.prefix = gs_string_word(term, bytes, 0),
                        .next = gs_string_word(term, bytes, 8),
                        .where = gs_where_pack((size_t)(term - d->arena), bytes)};
}

/* Is the term of `id` before the one of the element? (Sorting has replaced its prefix.)
 */
static bool is_before(const gs_term_dictionary *d, uint32_t id, const gs_element *e)
{
    size_t bytes;
    const uint8_t *const term = gs_term_dictionary_term(d, id, &bytes);
    return gs_string_compare(term, bytes, d->arena + gs_where_offset(e->where),
                             (size_t)(e->where & GS_WHERE_LENGTH_LONG), 0) < 0;
}

/* Puts the sorted new terms into the order of the old ones, from the back, so that
 * nothing is written over before it is read. */
static void merge_order(gs_term_dictionary *d, const gs_element *elements,
                        size_t new_count)
{
    size_t left = d->ranked_count, more = new_count, to = left + more;
    while (more > 0) {
        const gs_element *const last = &elements[more - 1];
        if (left > 0 && !is_before(d, d->order[left - 1], last)) {
            d->order[--to] = d->order[--left];
        } else {
            d->order[--to] = id_at(d->arena + gs_where_offset(last->where));
            more--;
        }
    }
}

gs_code gs_term_dictionary_rank(gs_term_dictionary *d, gs_status *st)
{
    static const gs_record_layout layout = {0};
    drop_old_tables(d);
    const uint32_t count = atomic_load(&d->term_count);
    const size_t more = count - d->ranked_count;
    if (more == 0)
        return GS_OK;
    gs_element *elements = NULL;
    GS_TRY(gs_mem_map(&elements, more * SORT_BYTES, true, "sort of terms", st));
    for (size_t i = 0; i < more; i++)
        elements[i] = element_of(d, d->ranked_count + (uint32_t)i);
    gs_tie_sort(&layout, d->arena, elements, elements + more, more, 0, true);
    merge_order(d, elements, more);
    gs_mem_unmap(elements, more * SORT_BYTES);
    for (uint32_t rank = 0; rank < count; rank++)
        d->ranks[d->order[rank]] = rank;
    d->ranked_count = count;
    return GS_OK;
}
