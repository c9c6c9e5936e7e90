/* SPDX-License-Identifier: MIT */
#include "lib/sort/bucket/bucket_twins.h"

#include "lib/base/assertion.h"
#include "lib/base/mem.h"

enum {
    RECORDS_MIN = 16,
    RECORDS_MAX = 1 << 16, /* the table of more is too large for the cache */
    LOOKS_MAX = 32,        /* at slots: whoever makes hashes meet gains nothing by it */
    FEW = 16,              /* a twin in so many records is not worth it */
    PAUSE_MAX = 64,
    WORDS_BYTES = 16,
};

static inline uint64_t mix(uint64_t hash, uint64_t word)
{
    __extension__ const unsigned __int128 product =
        (unsigned __int128)(hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

static inline uint64_t word_at(const uint8_t *p)
{
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

/* A string whose first bytes, up to `told`, an element's words tell. */
typedef struct string_rest {
    const uint8_t *bytes;
    size_t told, length;
} string_rest;

static inline uint64_t hash_of(const gs_element *e, const string_rest *s)
{
    uint64_t hash = mix(mix(s->length, e->prefix), e->next);
    if (s->length <= s->told)
        return hash;
    for (size_t at = s->told; at + sizeof hash < s->length; at += sizeof hash)
        hash = mix(hash, word_at(s->bytes + at));
    return mix(hash, word_at(s->bytes + s->length - sizeof hash));
}

static inline bool are_twins(const uint8_t *arena, const gs_element *e,
                             const string_rest *s, const gs_element *other)
{
    const uint64_t lengths = (e->where ^ other->where) & GS_WHERE_LENGTH_LONG;
    return e->prefix == other->prefix && e->next == other->next && lengths == 0 &&
           (s->length <= s->told ||
            memcmp(s->bytes + s->told, arena + gs_where_offset(other->where) + s->told,
                   s->length - s->told) == 0);
}

/* False: there is no room for another. */
static inline bool count_another(const uint8_t *arena, uint8_t *heads,
                                 const gs_element *first)
{
    gs_twin_count count = (gs_twin_count)gs_twins_count(arena, first);
    if (++count == 0)
        return false;
    memcpy(heads + gs_where_offset(first->where) - sizeof count, &count, sizeof count);
    return true;
}

/* A table of slots: below `mask` the element's number and one, above it some of its
 * hash. */
typedef struct twin_table {
    uint32_t *slots;
    uint32_t mask;
} twin_table;

/* Counts the record if it is a twin of one that is in the table, and else puts number
 * `kept` there, which it is to be. */
static inline bool is_twin(const twin_table *t, const gs_near_bucket *b,
                           const gs_element *e, size_t kept)
{
    const size_t length = (size_t)(e->where & GS_WHERE_LENGTH_LONG);
    const string_rest s = {b->arena + gs_where_offset(e->where), b->depth + WORDS_BYTES,
                           length};
    const uint64_t hash = hash_of(e, &s);
    const uint32_t tag = (uint32_t)(hash >> 32) & ~t->mask;
    uint32_t at = (uint32_t)hash & t->mask;
    for (unsigned looks = 0; looks < LOOKS_MAX; looks++, at = (at + 1) & t->mask) {
        const uint32_t slot = t->slots[at];
        if (slot == 0) {
            t->slots[at] = tag | (uint32_t)(kept + 1);
            return false;
        }
        const gs_element *const other = &b->elements[(slot & t->mask) - 1];
        if ((slot & ~t->mask) != tag || !are_twins(b->arena, e, &s, other))
            continue;
        if (count_another(b->arena, b->heads, other))
            return true;
        t->slots[at] = tag | (uint32_t)(kept + 1); /* which counts from now on */
        return false;
    }
    return false;
}

static void find_all(const twin_table *t, gs_near_bucket *b)
{
    const gs_twin_count one = 1;
    size_t kept = 0;
    for (size_t i = 0; i < b->count; i++) {
        const gs_element e = b->elements[i];
        if (is_twin(t, b, &e, kept))
            continue;
        memcpy(b->heads + gs_where_offset(e.where) - sizeof one, &one, sizeof one);
        b->elements[kept++] = e;
    }
    b->count = kept;
    b->has_twins = true;
}

static void note(gs_twin_search *t, size_t records, size_t twins)
{
    t->pause = twins >= records / FEW ? 0
               : t->pause == 0        ? 1
               : t->pause < PAUSE_MAX ? 2 * t->pause
                                      : t->pause;
    t->left_of_pause = t->pause;
}

gs_code gs_twins_find(gs_twin_search *t, gs_near_bucket *bucket, gs_status *st)
{
    const size_t count = bucket->count;
    size_t slots = 2 * RECORDS_MIN;
    gs_assert(!bucket->has_twins);
    if (bucket->heads == NULL || bucket->is_settled || !bucket->has_next ||
        count < RECORDS_MIN || count > RECORDS_MAX)
        return GS_OK;
    if (t->left_of_pause > 0) {
        t->left_of_pause--;
        return GS_OK;
    }
    while (slots < 2 * count)
        slots *= 2;
    GS_TRY(gs_mem_grow(&t->slots, &t->capacity, slots, "a table of records", st));
    memset(t->slots, 0, slots * sizeof *t->slots);
    find_all(&(twin_table){t->slots, (uint32_t)slots - 1}, bucket);
    note(t, count, count - bucket->count);
    return GS_OK;
}

void gs_twin_search_release(gs_twin_search *t)
{
    gs_mem_free(t->slots);
    *t = (gs_twin_search){0};
}
