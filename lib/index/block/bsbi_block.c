/* SPDX-License-Identifier: MIT */
#include "lib/index/block/bsbi_block.h"

#include "gpu/engine/engine.h"
#include "lib/base/assertion.h"
#include "lib/base/mem.h"

/* Tokens ahead whose place in the cache is asked for, and what is found there. */
enum { AHEAD_PLACE = 16, AHEAD_TERM = 8 };

/* How a tuple of 64 bits is cut up. */
typedef struct packing {
    unsigned doc_bits, payload_bits; /* the term has the rest */
} packing;

typedef struct group {
    uint32_t rank;
    uint32_t begin; /* of its tuples */
} group;

struct gs_bsbi_block {
    gs_block_options options;
    gs_term_dictionary *dictionary;
    gs_tuple_sorter *sorter;
    packing narrow;
    bool is_wide, wants_wide;
    void *memory; /* of two halves: tuples, and scratch, then groups */
    void *keys, *scratch;
    size_t mapped_bytes;
    size_t capacity, count;
    uint64_t first_doc;
    gs_term_cache *cache;
    const group *groups;
    size_t group_count;
};

static void choose_capacity(gs_bsbi_block *b)
{
    const gs_tuple_width width = b->is_wide ? GS_TUPLE_128 : GS_TUPLE_64;
    const size_t key_bytes = b->is_wide ? sizeof(gs_u128) : sizeof(uint64_t);
    b->capacity = b->options.memory_bytes / 64 * 64 / 2 / key_bytes;
    const size_t most = gs_tuple_sorter_count_max(b->sorter, width);
    if (b->capacity > most)
        b->capacity = most;
    if (b->capacity > UINT32_MAX)
        b->capacity = UINT32_MAX;
    b->keys = b->memory;
    b->scratch = (uint8_t *)b->memory + b->capacity * key_bytes;
}

gs_code gs_bsbi_block_new(gs_bsbi_block **out, const gs_block_options *options,
                          gs_term_dictionary *dictionary, gs_tuple_sorter *sorter,
                          gs_status *st)
{
    gs_assert(options->memory_bytes >= GS_BSBI_BYTES_MIN);
    *out = NULL;
    gs_bsbi_block *b = NULL;
    GS_TRY(gs_mem_new_apart(&b, sizeof *b, "block of tuples", st));
    b->options = *options;
    b->dictionary = dictionary;
    b->sorter = sorter;
    b->narrow = options->is_tuples       ? (packing){28, 8}
                : options->has_positions ? (packing){20, 20}
                                         : (packing){32, 0};
    b->mapped_bytes = options->memory_bytes / 64 * 64;
    GS_TRY_OR_FAIL(gs_mem_map(&b->memory, b->mapped_bytes, true, "block of tuples", st));
    GS_TRY_OR_FAIL(gs_term_cache_new(&b->cache, st));
    choose_capacity(b);
    *out = b;
    return GS_OK;
fail:
    gs_bsbi_block_free(b);
    return st->code;
}

void gs_bsbi_block_free(gs_bsbi_block *b)
{
    if (b == NULL)
        return;
    gs_mem_unmap(b->memory, b->mapped_bytes);
    gs_term_cache_free(b->cache);
    gs_mem_free(b);
}

bool gs_bsbi_block_is_nearly_full(const gs_bsbi_block *b)
{
    const gs_term_dictionary *const d = b->dictionary;
    return b->count > b->capacity / 4 * 3 ||
           gs_term_dictionary_bytes(d) > gs_term_dictionary_bytes_max(d) / 8 * 7;
}

void gs_bsbi_block_reset(gs_bsbi_block *b, bool new_dictionary)
{
    b->count = 0;
    b->group_count = 0;
    b->groups = NULL;
    if (b->wants_wide) {
        b->is_wide = true;
        b->wants_wide = false;
        choose_capacity(b);
    }
    if (new_dictionary)
        gs_term_cache_reset(b->cache);
}

void gs_bsbi_block_shrink(gs_bsbi_block *b, size_t memory_bytes)
{
    gs_assert(memory_bytes >= GS_BSBI_BYTES_MIN);
    if (memory_bytes < b->options.memory_bytes)
        b->options.memory_bytes = memory_bytes;
    gs_mem_discard(b->memory, b->mapped_bytes);
    gs_bsbi_block_reset(b, false);
    choose_capacity(b);
}

/* --- filling ----------------------------------------------------------------------- */

/* Asks for memory that the tokens behind this one will need. */
static inline void look_ahead(const gs_bsbi_block *b, const gs_token *token, size_t left)
{
    if (left > AHEAD_PLACE)
        gs_term_cache_prefetch(b->cache, token + AHEAD_PLACE);
    if (left > AHEAD_TERM)
        gs_term_dictionary_prefetch(b->dictionary, b->cache, token + AHEAD_TERM);
}

static inline gs_u128 pack_wide(uint32_t id, uint64_t doc, uint32_t payload)
{
    return (gs_u128){.hi = (uint64_t)id << 32 | doc >> 8,
                     .lo = (doc & 0xff) << 56 | payload};
}

/* False if it does not fit: then the block goes wide, at once if it is empty. */
static bool put(gs_bsbi_block *b, uint32_t id, uint64_t doc, uint32_t payload)
{
    if (!b->is_wide) {
        const packing *const p = &b->narrow;
        const unsigned term_shift = p->doc_bits + p->payload_bits;
        const bool fits = doc >> p->doc_bits == 0 && payload >> p->payload_bits == 0 &&
                          (uint64_t)id >> (64 - term_shift) == 0;
        if (fits) {
            uint64_t *const keys = b->keys;
            keys[b->count++] =
                (uint64_t)id << term_shift | doc << p->payload_bits | payload;
            return true;
        }
        b->wants_wide = true;
        if (b->count > 0)
            return false;
        gs_bsbi_block_reset(b, false);
    }
    gs_u128 *const keys = b->keys;
    keys[b->count++] = pack_wide(id, doc, payload);
    return true;
}

gs_code gs_bsbi_block_add(gs_bsbi_block *b, uint64_t first_doc, const gs_token *tokens,
                          size_t count, size_t *taken, gs_status *st)
{
    const bool has_positions = b->options.has_positions;
    if (b->count == 0 && count > 0)
        b->first_doc = first_doc + tokens[0].document;
    size_t i = 0;
    for (; i < count && b->count < b->capacity; i++) {
        const uint64_t local = first_doc + tokens[i].document - b->first_doc;
        /* Too many documents for narrow tuples: a new block counts from its own first. */
        if (!b->is_wide && local >> b->narrow.doc_bits != 0)
            break;
        look_ahead(b, &tokens[i], count - i);
        uint32_t id;
        GS_TRY(gs_term_dictionary_id(b->dictionary, b->cache, &tokens[i], &id, st));
        if (id == GS_TERM_ID_NONE ||
            !put(b, id, local, has_positions ? tokens[i].position : 0))
            break;
    }
    *taken = i;
    return GS_OK;
}

gs_code gs_bsbi_block_add_tuples(gs_bsbi_block *b, const gs_tuple *tuples, size_t count,
                                 size_t *taken, gs_status *st)
{
    size_t i = 0;
    b->first_doc = 0;
    for (; i < count && b->count < b->capacity; i++) {
        if (i + AHEAD_PLACE < count)
            gs_term_cache_prefetch(b->cache, &tuples[i + AHEAD_PLACE].term);
        if (i + AHEAD_TERM < count)
            gs_term_dictionary_prefetch(b->dictionary, b->cache,
                                        &tuples[i + AHEAD_TERM].term);
        uint32_t id;
        GS_TRY(gs_term_dictionary_id(b->dictionary, b->cache, &tuples[i].term, &id, st));
        if (id == GS_TERM_ID_NONE || !put(b, id, tuples[i].doc, tuples[i].tf))
            break;
    }
    *taken = i;
    return GS_OK;
}

/* --- reading ------------------------------------------------------------------------ */

static inline uint64_t doc_at(const gs_bsbi_block *b, size_t i)
{
    if (b->is_wide) {
        const gs_u128 *const key = (const gs_u128 *)b->keys + i;
        return b->first_doc + ((key->hi & UINT32_MAX) << 8 | key->lo >> 56);
    }
    const uint64_t key = ((const uint64_t *)b->keys)[i];
    const uint64_t doc = key >> b->narrow.payload_bits;
    return b->first_doc + (doc & ((UINT64_C(1) << b->narrow.doc_bits) - 1));
}

static inline uint32_t payload_at(const gs_bsbi_block *b, size_t i)
{
    if (b->is_wide)
        return (uint32_t)((const gs_u128 *)b->keys)[i].lo;
    const uint64_t key = ((const uint64_t *)b->keys)[i];
    return (uint32_t)(key & ((UINT64_C(1) << b->narrow.payload_bits) - 1));
}

static inline uint32_t term_at(const gs_bsbi_block *b, size_t i)
{
    if (b->is_wide)
        return (uint32_t)(((const gs_u128 *)b->keys)[i].hi >> 32);
    return (uint32_t)(((const uint64_t *)b->keys)[i] >>
                      (b->narrow.doc_bits + b->narrow.payload_bits));
}

static void get_term(const void *block, size_t index, gs_term_view *out)
{
    const gs_bsbi_block *const b = block;
    const gs_term_dictionary *const d = b->dictionary;
    const uint32_t id = gs_term_dictionary_order(d)[b->groups[index].rank];
    out->bytes = gs_term_dictionary_term(d, id, &out->count);
    out->prefix = gs_string_word(out->bytes, out->count, 0);
}

static size_t group_begin(const gs_bsbi_block *b, size_t index)
{
    return index < b->group_count ? b->groups[index].begin : b->count;
}

static uint64_t weigh_groups(const void *block, size_t begin, size_t end)
{
    return group_begin(block, end) - group_begin(block, begin);
}

static gs_code open_group(const void *block, size_t index, gs_term_reader *r,
                          gs_status *st)
{
    (void)st;
    const gs_bsbi_block *const b = block;
    *r = (gs_term_reader){.next = group_begin(b, index),
                          .next_end = group_begin(b, index + 1)};
    return GS_OK;
}

static gs_code read_group(const void *block, gs_term_reader *r, gs_posting_batch *batch,
                          gs_status *st)
{
    const gs_bsbi_block *const b = block;
    const bool is_tuples = b->options.is_tuples;
    gs_posting_batch_clear(batch);
    while (r->next < r->next_end && !gs_posting_batch_is_full(batch)) {
        const uint64_t doc = doc_at(b, r->next);
        uint64_t tf = 0;
        for (; r->next < r->next_end && doc_at(b, r->next) == doc; r->next++) {
            tf += is_tuples ? payload_at(b, r->next) : 1;
            if (b->options.has_positions)
                GS_TRY(gs_posting_batch_add_position(batch, payload_at(b, r->next), st));
        }
        if (tf > UINT32_MAX)
            return GS_FAIL(st, GS_ERR_LIMIT, 0,
                           "a term comes more than 2^32 - 1 times in document %llu",
                           (unsigned long long)doc);
        gs_posting_batch_add(batch, doc, (uint32_t)tf);
    }
    return GS_OK;
}

/* --- sorting ------------------------------------------------------------------------ */

static void replace_ids(gs_bsbi_block *b)
{
    const uint32_t *const ranks = gs_term_dictionary_ranks(b->dictionary);
    if (b->is_wide) {
        gs_u128 *const keys = b->keys;
        for (size_t i = 0; i < b->count; i++)
            keys[i].hi =
                (uint64_t)ranks[keys[i].hi >> 32] << 32 | (keys[i].hi & UINT32_MAX);
        return;
    }
    const unsigned shift = b->narrow.doc_bits + b->narrow.payload_bits;
    uint64_t *const keys = b->keys;
    for (size_t i = 0; i < b->count; i++)
        keys[i] = (uint64_t)ranks[keys[i] >> shift] << shift |
                  (keys[i] & ((UINT64_C(1) << shift) - 1));
}

/* Where each term's tuples begin, written over the scratch: never more than tuples. */
static void find_groups(gs_bsbi_block *b)
{
    group *const groups = b->scratch;
    size_t n = 0;
    uint32_t last = 0;
    for (size_t i = 0; i < b->count; i++) {
        const uint32_t rank = term_at(b, i);
        if (i == 0 || rank != last)
            groups[n++] = (group){rank, (uint32_t)i};
        last = rank;
    }
    b->groups = groups;
    b->group_count = n;
}

/* Tuples of text come with ascending documents, so that a stable sort need only look at
 * their terms; ready ones come as they like. */
static unsigned lowest_bit(const gs_bsbi_block *b)
{
    if (b->is_wide)
        return b->options.is_tuples ? 56 : 96;
    return b->narrow.payload_bits + (b->options.is_tuples ? 0 : b->narrow.doc_bits);
}

gs_code gs_bsbi_block_sort(gs_bsbi_block *b, gs_term_block *view, gs_status *st)
{
    static const gs_term_block_ops ops = {
        .term = get_term, .weigh = weigh_groups, .open = open_group, .read = read_group};
    gs_tuples tuples = {.width = b->is_wide ? GS_TUPLE_128 : GS_TUPLE_64,
                        .keys = b->keys,
                        .scratch = b->scratch,
                        .count = b->count};
    replace_ids(b);
    GS_TRY(gs_tuple_sorter_run(b->sorter, &tuples, lowest_bit(b), st));
    b->keys = tuples.keys;
    b->scratch = tuples.scratch;
    find_groups(b);
    *view = (gs_term_block){&ops, b, b->group_count};
    return GS_OK;
}
