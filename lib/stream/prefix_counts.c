/* SPDX-License-Identifier: MIT */
#include "lib/stream/prefix_counts.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

void gs_prefix_counts_release(gs_prefix_counts *c)
{
    for (size_t i = 0; i < GS_PREFIX_LEVELS_MAX; i++)
        gs_text_counts_release(&c->levels[i]);
}

void gs_prefix_counts_reset(gs_prefix_counts *c)
{
    for (size_t i = 0; i < GS_PREFIX_LEVELS_MAX; i++)
        gs_text_counts_reset(&c->levels[i]);
}

gs_code gs_prefix_counts_take(gs_prefix_counts *c, const gs_text_counts *values,
                              gs_status *st)
{
    gs_prefixes cut;
    for (size_t i = 0; i < values->count; i++) {
        const gs_text_count *const e = &values->entries[i];
        gs_prefix_cut(&c->by, gs_text_counts_text(values, i), e->bytes, &cut);
        for (size_t p = 0; p < cut.count; p++) {
            const gs_slice text = cut.texts[p];
            gs_text_counts *const level = &c->levels[cut.levels[p]];
            GS_TRY(gs_text_counts_add(level, gs_text_hash(text.data, text.bytes),
                                      text.data, text.bytes, e->count, st));
            level->values += e->count;
        }
    }
    return GS_OK;
}

gs_code gs_prefix_counts_merge(gs_prefix_counts *c, const gs_prefix_counts *other,
                               size_t counters, gs_status *st)
{
    for (size_t i = 0; i < GS_PREFIX_LEVELS_MAX; i++) {
        gs_text_counts *const level = &c->levels[i];
        GS_TRY(gs_text_counts_merge(level, &other->levels[i], st));
        if (counters > 0 && level->count > 2 * counters)
            GS_TRY(gs_text_counts_prune(level, counters, st));
    }
    return GS_OK;
}

gs_code gs_prefix_counts_prune(gs_prefix_counts *c, size_t counters, gs_status *st)
{
    for (size_t i = 0; i < GS_PREFIX_LEVELS_MAX; i++)
        GS_TRY(gs_text_counts_prune(&c->levels[i], counters, st));
    return GS_OK;
}

size_t gs_prefix_counts_levels(const gs_prefix_counts *c)
{
    size_t levels = GS_PREFIX_LEVELS_MAX;
    while (levels > 0 && c->levels[levels - 1].count == 0 &&
           c->levels[levels - 1].lost == 0)
        levels--;
    return levels;
}

size_t gs_prefix_counts_bytes(const gs_prefix_counts *c)
{
    size_t sum = 0;
    for (size_t i = 0; i < GS_PREFIX_LEVELS_MAX; i++)
        sum += gs_text_counts_bytes(&c->levels[i]);
    return sum;
}

/* --- answers ------------------------------------------------------------------------ */

void gs_heavy_finder_release(gs_heavy_finder *f)
{
    gs_text_counts_release(&f->level);
    gs_text_counts_release(&f->heavy);
    gs_mem_free(f->prefixes);
    *f = (gs_heavy_finder){.capacity = 0};
}

/* Those of all levels that may be heavy, in one table. */
static gs_code gather_heavy(gs_heavy_finder *f, const gs_prefix_counts *c,
                            const gs_prefix_counts *other, double least, uint64_t *lost,
                            gs_status *st)
{
    gs_text_counts_reset(&f->heavy);
    *lost = 0;
    for (size_t i = 0; i < GS_PREFIX_LEVELS_MAX; i++) {
        gs_text_counts *const level = &f->level;
        gs_text_counts_reset(level);
        GS_TRY(gs_text_counts_merge(level, &c->levels[i], st));
        if (other != NULL)
            GS_TRY(gs_text_counts_merge(level, &other->levels[i], st));
        if (level->lost > *lost)
            *lost = level->lost;
        for (size_t k = 0; k < level->count; k++) {
            const gs_text_count *const e = &level->entries[k];
            if ((double)(e->count + level->lost) >= least)
                GS_TRY(gs_text_counts_add(&f->heavy, e->hash,
                                          gs_text_counts_text(level, k), e->bytes,
                                          e->count, st));
        }
    }
    return GS_OK;
}

/* What each has below it goes off the next one above that is heavy. */
static void take_off_those_below(gs_heavy_finder *f, const gs_hierarchy *by)
{
    gs_prefixes cut;
    for (size_t i = 0; i < f->heavy.count; i++) {
        const gs_text_count *const e = &f->heavy.entries[i];
        gs_prefix_cut(by, gs_text_counts_text(&f->heavy, i), e->bytes, &cut);
        for (size_t p = 1; p < cut.count; p++) {
            const gs_slice text = cut.texts[p];
            const size_t at = gs_text_counts_find(
                &f->heavy, gs_text_hash(text.data, text.bytes), text.data, text.bytes);
            if (at == SIZE_MAX)
                continue;
            uint64_t *const own = &f->prefixes[at].own;
            *own = *own > e->count ? *own - e->count : 0;
            break;
        }
    }
}

static int compare(const void *a, const void *b)
{
    const gs_heavy_prefix *const x = a, *const y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    const int order = memcmp(x->text, y->text, x->bytes < y->bytes ? x->bytes : y->bytes);
    return order != 0 ? order : (x->bytes > y->bytes) - (x->bytes < y->bytes);
}

gs_code gs_heavy_find(gs_heavy_finder *f, const gs_prefix_counts *c,
                      const gs_prefix_counts *other, double least, gs_heavy_prefixes *out,
                      gs_status *st)
{
    GS_TRY(gather_heavy(f, c, other, least, &out->lost, st));
    const size_t count = f->heavy.count;
    GS_TRY(gs_mem_grow(&f->prefixes, &f->capacity, count + 1, "prefixes", st));
    for (size_t i = 0; i < count; i++) {
        const gs_text_count *const e = &f->heavy.entries[i];
        f->prefixes[i] = (gs_heavy_prefix){gs_text_counts_text(&f->heavy, i), e->bytes,
                                           e->count, e->count};
    }
    take_off_those_below(f, &c->by);
    if (count > 1)
        qsort(f->prefixes, count, sizeof *f->prefixes, compare);
    out->prefixes = f->prefixes;
    out->count = count;
    return GS_OK;
}
