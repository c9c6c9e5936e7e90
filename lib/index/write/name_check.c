/* SPDX-License-Identifier: MIT */
#include "lib/index/write/name_check.h"

#include <xxhash.h>

#include "lib/base/mem.h"

enum { HASH_BITS = 64, AHEAD = 16 /* names whose places are fetched before */ };

static const size_t kept_bytes = GS_NAMES_KEPT_MAX * sizeof(gs_kept_name);

static bool is_kept(const gs_name_check *c, uint64_t hash)
{
    return c->given_up == 0 || hash >> (HASH_BITS - c->given_up) == c->range;
}

static size_t names_max(const gs_name_check *c)
{
    return c->names_max > 0 ? c->names_max : GS_NAMES_KEPT_MAX;
}

void gs_name_check_begin(gs_name_check *c, unsigned bits, uint64_t range)
{
    c->count = 0;
    c->documents = 0;
    c->given_up = bits;
    c->range = range;
    c->is_range = true;
    c->is_full = false;
}

static void give_half_up(gs_name_check *c)
{
    size_t left = 0;
    c->given_up++;
    for (size_t i = 0; i < c->count; i++) {
        if (is_kept(c, c->kept[i].hash))
            c->kept[left++] = c->kept[i];
    }
    c->count = left;
}

gs_code gs_name_check_add(gs_name_check *c, const void *name, size_t bytes, gs_status *st)
{
    return gs_name_check_add_hash(c, gs_name_hash(name, bytes), st);
}

uint64_t gs_name_hash(const void *name, size_t bytes)
{
    return XXH3_64bits(name, bytes);
}

gs_code gs_name_check_add_hash(gs_name_check *c, uint64_t hash, gs_status *st)
{
    const uint64_t doc = c->documents++;
    if (!is_kept(c, hash))
        return GS_OK;
    if (c->kept == NULL) {
        GS_TRY(gs_mem_map(&c->kept, kept_bytes, true, "names of documents", st));
    }
    /* Names that are all the same cannot be halved: those that are kept tell enough. */
    while (c->count == names_max(c) && !c->is_range && c->given_up < HASH_BITS - 1)
        give_half_up(c);
    c->is_full |= c->count == names_max(c);
    if (c->count < names_max(c) && is_kept(c, hash))
        c->kept[c->count++] = (gs_kept_name){hash, doc};
    return GS_OK;
}

/* What is looked for, and the table: numbers in it are counted from 1. */
typedef struct finder {
    gs_same_name_fn *same;
    void *context;
    uint32_t *table;
    size_t mask;
} finder;

/* The slot of a name in the table: an equal one's, or an empty one. */
static gs_code find_slot(const gs_name_check *c, const finder *f,
                         const gs_kept_name *name, size_t *slot, gs_status *st)
{
    for (*slot = name->hash & f->mask; f->table[*slot] != 0;
         *slot = (*slot + 1) & f->mask) {
        const gs_kept_name *const other = &c->kept[f->table[*slot] - 1];
        bool is_same = other->hash == name->hash;
        if (is_same && f->same != NULL)
            GS_TRY(f->same(f->context, other->doc, name->doc, &is_same, st));
        if (is_same)
            break;
    }
    return GS_OK;
}

/* Puts the names into the table, one after the other: a name that finds its place taken
 * by an equal one comes again. */
static gs_code find_in(const gs_name_check *c, const finder *f, gs_repeated_names *out,
                       gs_status *st)
{
    for (size_t i = 0; i < c->count; i++) {
        if (i + AHEAD < c->count)
            __builtin_prefetch(&f->table[c->kept[i + AHEAD].hash & f->mask], 1);
        const gs_kept_name *const name = &c->kept[i];
        size_t slot;
        GS_TRY(find_slot(c, f, name, &slot, st));
        if (f->table[slot] == 0) {
            f->table[slot] = (uint32_t)i + 1;
            continue;
        }
        if (out->count++ == 0) {
            out->first = c->kept[f->table[slot] - 1].doc;
            out->again = name->doc;
        }
    }
    return GS_OK;
}

gs_code gs_name_check_find(const gs_name_check *c, gs_same_name_fn *same, void *context,
                           gs_repeated_names *out, gs_status *st)
{
    void *table = NULL;
    size_t slots = 64;
    *out = (gs_repeated_names){.is_estimate = c->given_up > 0};
    if (c->count < 2)
        return GS_OK;
    while (slots < 2 * c->count)
        slots *= 2;
    GS_TRY(gs_mem_map(&table, slots * sizeof(uint32_t), true, "names of documents", st));
    const finder f = {same, context, table, slots - 1};
    GS_NOTED(find_in(c, &f, out, st));
    gs_mem_unmap(table, slots * sizeof(uint32_t));
    if (!c->is_range)
        out->count <<= c->given_up;
    return st->code;
}

void gs_name_check_release(gs_name_check *c)
{
    gs_mem_unmap(c->kept, kept_bytes);
    *c = (gs_name_check){0};
}
