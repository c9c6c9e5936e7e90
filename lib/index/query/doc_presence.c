/* SPDX-License-Identifier: MIT */
#include "lib/index/query/doc_presence.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/index/read/readers.h"

enum {
    CHUNK_DOCS = 1 << 16,
    FEW_MAX = 1024,    /* numbers that are kept as they are: a quarter of the bits */
    TABLE_ITEMS = 256, /* to begin with */
};

/* Numbers, in order, or bits. */
typedef struct chunk {
    uint32_t number; /* docID / CHUNK_DOCS */
    uint32_t count, capacity;
    uint16_t *few;
    uint64_t *bits; /* NULL: there are few */
} chunk;

_Static_assert(GS_INDEX_DOCS_MAX / CHUNK_DOCS <= UINT32_MAX / 2, "chunks have numbers");

struct gs_doc_presence {
    const gs_index *index;
    atomic_bool is_known; /* what follows does not change any more */
    pthread_mutex_t mutex;
    chunk *chunks; /* in order once all are known */
    size_t chunk_count, chunk_capacity;
    uint32_t *table; /* until then: 1 + place in chunks, by a hash of the number */
    size_t table_items;
};

gs_code gs_doc_presence_new(gs_doc_presence **out, const gs_index *index, gs_status *st)
{
    *out = NULL;
    gs_doc_presence *p = NULL;
    GS_TRY(gs_mem_new(&p, sizeof *p, "documents", st));
    p->index = index;
    (void)pthread_mutex_init(&p->mutex, NULL);
    *out = p;
    return GS_OK;
}

static void forget(gs_doc_presence *p)
{
    for (size_t i = 0; i < p->chunk_count; i++) {
        gs_mem_free(p->chunks[i].few);
        gs_mem_free(p->chunks[i].bits);
    }
    gs_mem_free(p->chunks);
    gs_mem_free(p->table);
    p->chunks = NULL;
    p->table = NULL;
    p->chunk_count = p->chunk_capacity = p->table_items = 0;
}

void gs_doc_presence_free(gs_doc_presence *p)
{
    if (p == NULL)
        return;
    forget(p);
    (void)pthread_mutex_destroy(&p->mutex);
    gs_mem_free(p);
}

/* --- adding ------------------------------------------------------------------------ */

/* The item of the table that has the chunk, or is free for it. */
static uint32_t *find_item(const gs_doc_presence *p, uint32_t number)
{
    const size_t mask = p->table_items - 1;
    size_t at = (number * UINT32_C(0x9e3779b1) >> 7) & mask;
    while (p->table[at] != 0 && p->chunks[p->table[at] - 1].number != number)
        at = (at + 1) & mask;
    return &p->table[at];
}

/* At most half of the table is ever full. */
static gs_code grow_table(gs_doc_presence *p, gs_status *st)
{
    const size_t items = p->table_items > 0 ? 2 * p->table_items : TABLE_ITEMS;
    uint32_t *table = NULL;
    GS_TRY(gs_mem_new(&table, items * sizeof *table, "documents", st));
    gs_mem_free(p->table);
    p->table = table;
    p->table_items = items;
    for (size_t i = 0; i < p->chunk_count; i++)
        *find_item(p, p->chunks[i].number) = (uint32_t)i + 1;
    return GS_OK;
}

static gs_code find_chunk(gs_doc_presence *p, uint32_t number, chunk **out, gs_status *st)
{
    if (2 * p->chunk_count >= p->table_items)
        GS_TRY(grow_table(p, st));
    uint32_t *const item = find_item(p, number);
    if (*item == 0) {
        GS_TRY(gs_mem_grow(&p->chunks, &p->chunk_capacity, p->chunk_count + 1,
                           "documents", st));
        p->chunks[p->chunk_count] = (chunk){.number = number};
        *item = (uint32_t)++p->chunk_count;
    }
    *out = &p->chunks[*item - 1];
    return GS_OK;
}

static int by_number(const void *a, const void *b)
{
    const uint32_t x = ((const chunk *)a)->number, y = ((const chunk *)b)->number;
    return (x > y) - (x < y);
}

static void put_in_order(gs_doc_presence *p)
{
    if (p->chunk_count > 0)
        qsort(p->chunks, p->chunk_count, sizeof *p->chunks, by_number);
    gs_mem_free(p->table);
    p->table = NULL;
    p->table_items = 0;
}

static inline void set_bit(chunk *c, uint32_t at)
{
    c->bits[at / 64] |= UINT64_C(1) << (at % 64);
}

static gs_code use_bits(chunk *c, gs_status *st)
{
    GS_TRY(gs_mem_new(&c->bits, CHUNK_DOCS / 8, "documents", st));
    for (uint32_t i = 0; i < c->count; i++)
        set_bit(c, c->few[i]);
    gs_mem_free(c->few);
    c->few = NULL;
    return GS_OK;
}

/* The place of the first number that is not less. */
static uint32_t place_of(const chunk *c, uint32_t at)
{
    uint32_t begin = 0, n = c->count;
    while (n > 0) {
        const uint32_t half = n / 2;
        const bool is_less = c->few[begin + half] < at;
        begin += is_less ? half + 1 : 0;
        n = is_less ? n - half - 1 : half;
    }
    return begin;
}

static gs_code add_to_few(chunk *c, uint32_t at, gs_status *st)
{
    const uint32_t place = place_of(c, at);
    if (place < c->count && c->few[place] == at)
        return GS_OK;
    if (c->count == FEW_MAX) {
        GS_TRY(use_bits(c, st));
        set_bit(c, at);
        return GS_OK;
    }
    if (c->count == c->capacity) {
        const uint32_t more = c->capacity > 0 ? 2 * c->capacity : 4;
        GS_TRY(gs_mem_resize(&c->few, more * sizeof *c->few, "documents", st));
        c->capacity = more;
    }
    memmove(&c->few[place + 1], &c->few[place], (c->count - place) * sizeof *c->few);
    c->few[place] = (uint16_t)at;
    c->count++;
    return GS_OK;
}

static gs_code add_list(gs_doc_presence *p, gs_posting_list *list, gs_status *st)
{
    chunk *c = NULL;
    for (;;) {
        GS_TRY(gs_posting_list_block(list, st));
        if (list->count == 0)
            return GS_OK;
        if (list->docs[list->count - 1] >= GS_INDEX_DOCS_MAX)
            return gs_index_damaged(p->index, GS_INDEX_POSTINGS, "a docID is too large",
                                    st);
        for (size_t i = 0; i < list->count; i++) {
            const uint32_t number = (uint32_t)(list->docs[i] / CHUNK_DOCS);
            const uint32_t at = (uint32_t)(list->docs[i] % CHUNK_DOCS);
            if (c == NULL || c->number != number)
                GS_TRY(find_chunk(p, number, &c, st));
            if (c->bits != NULL)
                set_bit(c, at);
            else
                GS_TRY(add_to_few(c, at, st));
        }
    }
}

static gs_code read_lists(gs_doc_presence *p, gs_term_cursor *terms,
                          gs_posting_list *list, gs_status *st)
{
    GS_TRY(gs_term_cursor_first(terms, st));
    while (terms->has_term) {
        GS_TRY(gs_posting_list_start(list, p->index, &terms->info, st));
        GS_TRY(add_list(p, list, st));
        GS_TRY(gs_term_cursor_next(terms, st));
    }
    return GS_OK;
}

/* The first to ask does it; the others wait. */
static gs_code find_out(gs_doc_presence *p, gs_status *st)
{
    gs_posting_list list = {0};
    gs_term_cursor *terms = NULL;
    pthread_mutex_lock(&p->mutex);
    if (!atomic_load(&p->is_known)) {
        if (gs_term_cursor_new(&terms, p->index, st) == GS_OK &&
            read_lists(p, terms, &list, st) == GS_OK) {
            put_in_order(p);
            atomic_store(&p->is_known, true);
        } else {
            forget(p);
        }
        gs_term_cursor_free(terms);
        gs_posting_list_release(&list);
    }
    pthread_mutex_unlock(&p->mutex);
    return st->code;
}

/* --- asking ------------------------------------------------------------------------ */

/* The first number of the chunk that is not less, or CHUNK_DOCS. */
static uint32_t next_in_chunk(const chunk *c, uint32_t at)
{
    if (c->bits == NULL) {
        const uint32_t place = place_of(c, at);
        return place < c->count ? c->few[place] : CHUNK_DOCS;
    }
    uint64_t word = c->bits[at / 64] >> (at % 64) << (at % 64);
    uint32_t i = at / 64;
    while (word == 0 && ++i < CHUNK_DOCS / 64)
        word = c->bits[i];
    return word == 0 ? CHUNK_DOCS : i * 64 + (uint32_t)__builtin_ctzll(word);
}

static uint64_t next_known(const gs_doc_presence *p, uint64_t doc)
{
    size_t begin = 0, n = p->chunk_count;
    while (n > 0) {
        const size_t half = n / 2;
        const bool is_less = p->chunks[begin + half].number < doc / CHUNK_DOCS;
        begin += is_less ? half + 1 : 0;
        n = is_less ? n - half - 1 : half;
    }
    /* A chunk has at least one, so that is this chunk's or the next one's. */
    for (; begin < p->chunk_count; begin++) {
        const chunk *const c = &p->chunks[begin];
        const uint64_t first = (uint64_t)c->number * CHUNK_DOCS;
        const uint32_t at = next_in_chunk(c, doc > first ? (uint32_t)(doc - first) : 0);
        if (at < CHUNK_DOCS)
            return first + at;
    }
    return GS_NO_DOC;
}

gs_code gs_doc_presence_next(gs_doc_presence *p, uint64_t doc, uint64_t *out,
                             gs_status *st)
{
    const gs_index_header *const header = gs_index_header_of(p->index);
    *out = GS_NO_DOC;
    if (header->has_names) {
        *out = doc < header->documents ? doc : GS_NO_DOC;
        return GS_OK;
    }
    if (!atomic_load_explicit(&p->is_known, memory_order_acquire))
        GS_TRY(find_out(p, st));
    *out = next_known(p, doc);
    return GS_OK;
}
