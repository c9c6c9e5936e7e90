/* SPDX-License-Identifier: MIT */
#include "lib/index/write/name_check.h"

#include <xxhash.h>

#include "lib/base/mem.h"

enum { HASH_BITS = 64, AHEAD = 16 /* names whose places are fetched before */ };

static const size_t kept_bytes = GS_NAMES_KEPT_MAX * sizeof(gs_kept_name);

static bool is_kept(const gs_name_check *c, uint64_t hash)
{
    return c->given_up == 0 || hash >> (HASH_BITS - c->given_up) == 0;
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
    const uint64_t hash = XXH3_64bits(name, bytes), doc = c->documents++;
    if (!is_kept(c, hash))
        return GS_OK;
    if (c->kept == NULL) {
        GS_TRY(gs_mem_map(&c->kept, kept_bytes, true, "names of documents", st));
    }
    /* Names that are all the same cannot be halved: those that are kept tell enough. */
    while (c->count == GS_NAMES_KEPT_MAX && c->given_up < HASH_BITS - 1)
        give_half_up(c);
    if (c->count < GS_NAMES_KEPT_MAX && is_kept(c, hash))
        c->kept[c->count++] = (gs_kept_name){hash, doc};
    return GS_OK;
}

/* Puts the names into a table, one after the other: a name that finds its place taken
 * by an equal one comes again. Numbers in the table are counted from 1. */
static void find_in(const gs_name_check *c, uint32_t *table, size_t mask,
                    gs_repeated_names *out)
{
    for (size_t i = 0; i < c->count; i++) {
        if (i + AHEAD < c->count)
            __builtin_prefetch(&table[c->kept[i + AHEAD].hash & mask], 1);
        const gs_kept_name *const name = &c->kept[i];
        size_t slot = name->hash & mask;
        while (table[slot] != 0 && c->kept[table[slot] - 1].hash != name->hash)
            slot = (slot + 1) & mask;
        if (table[slot] == 0) {
            table[slot] = (uint32_t)i + 1;
            continue;
        }
        if (out->count++ == 0) {
            out->first = c->kept[table[slot] - 1].doc;
            out->again = name->doc;
        }
    }
}

gs_code gs_name_check_find(const gs_name_check *c, gs_repeated_names *out, gs_status *st)
{
    void *table = NULL;
    size_t slots = 64;
    *out = (gs_repeated_names){.is_estimate = c->given_up > 0};
    if (c->count < 2)
        return GS_OK;
    while (slots < 2 * c->count)
        slots *= 2;
    GS_TRY(gs_mem_map(&table, slots * sizeof(uint32_t), true, "names of documents", st));
    find_in(c, table, slots - 1, out);
    gs_mem_unmap(table, slots * sizeof(uint32_t));
    out->count <<= c->given_up;
    return GS_OK;
}

void gs_name_check_release(gs_name_check *c)
{
    gs_mem_unmap(c->kept, kept_bytes);
    *c = (gs_name_check){0};
}
