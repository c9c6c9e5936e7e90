/* SPDX-License-Identifier: MIT */
#include "lib/stream/count_summary.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/assertion.h"
#include "lib/base/mem.h"
#include "lib/stream/nth_count.h"

void gs_count_summary_release(gs_count_summary *s)
{
    gs_mem_free(s->entries);
    gs_mem_free(s->room);
    *s = (gs_count_summary){0};
}

size_t gs_count_summary_bytes(const gs_count_summary *s)
{
    return s->capacity * sizeof *s->entries + s->room_capacity * sizeof *s->room;
}

static gs_code reserve(gs_count_summary *s, size_t count, gs_status *st)
{
    return gs_mem_grow(&s->entries, &s->capacity, count, "counts of values", st);
}

gs_code gs_count_summary_take(gs_count_summary *s, const uint64_t *keys, size_t count,
                              gs_status *st)
{
    size_t distinct = count > 0;
    for (size_t i = 1; i < count; i++)
        distinct += keys[i] != keys[i - 1];
    GS_TRY(reserve(s, distinct, st));
    size_t n = 0;
    for (size_t begin = 0; begin < count;) {
        size_t end = begin + 1;
        while (end < count && keys[end] == keys[begin])
            end++;
        s->entries[n++] = (gs_key_count){keys[begin], end - begin};
        begin = end;
    }
    s->count = n;
    s->values = count;
    s->lost = 0;
    return GS_OK;
}

gs_code gs_count_summary_merge(gs_count_summary *out, const gs_count_summary *a,
                               const gs_count_summary *b, gs_status *st)
{
    gs_assert(out != a && out != b);
    GS_TRY(reserve(out, a->count + b->count, st));
    out->count = gs_count_merge(gs_count_merge_best_way(), out->entries, a->entries,
                                a->count, b->entries, b->count);
    out->values = a->values + b->values;
    out->lost = a->lost + b->lost;
    return GS_OK;
}

gs_code gs_count_summary_prune(gs_count_summary *s, size_t counters, gs_status *st)
{
    gs_assert(counters > 0);
    if (s->count <= counters)
        return GS_OK;
    GS_TRY(gs_mem_grow(&s->room, &s->room_capacity, s->count, "counts of values", st));
    for (size_t i = 0; i < s->count; i++)
        s->room[i] = s->entries[i].count;
    const uint64_t cut = gs_nth_largest(s->room, s->count, counters);
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        const gs_key_count e = s->entries[i];
        s->entries[kept] = (gs_key_count){e.key, e.count - cut};
        kept += e.count > cut;
    }
    s->count = kept;
    s->lost += cut;
    return GS_OK;
}

gs_code gs_count_summary_copy(gs_count_summary *to, const gs_count_summary *from,
                              gs_status *st)
{
    GS_TRY(reserve(to, from->count, st));
    if (from->count > 0)
        memcpy(to->entries, from->entries, from->count * sizeof *to->entries);
    to->count = from->count;
    to->values = from->values;
    to->lost = from->lost;
    return GS_OK;
}

gs_code gs_count_summary_trim(gs_count_summary *s, gs_status *st)
{
    gs_mem_free(s->room);
    s->room = NULL;
    s->room_capacity = 0;
    if (s->capacity == s->count || s->count == 0)
        return GS_OK;
    GS_TRY(gs_mem_resize(&s->entries, s->count * sizeof *s->entries, "counts of values",
                         st));
    s->capacity = s->count;
    return GS_OK;
}

static int compare_entries(const void *a, const void *b)
{
    const gs_key_count *const x = a, *const y = b;
    if (x->count != y->count)
        return x->count > y->count ? -1 : 1;
    return (x->key > y->key) - (x->key < y->key);
}

void gs_count_summary_rank(gs_count_summary *s)
{
    if (s->count > 1)
        qsort(s->entries, s->count, sizeof *s->entries, compare_entries);
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t x = ((const gs_key_count *)a)->key, y = ((const gs_key_count *)b)->key;
    return (x > y) - (x < y);
}

void gs_count_summary_order(gs_count_summary *s)
{
    if (s->count > 1)
        qsort(s->entries, s->count, sizeof *s->entries, compare_keys);
}
