/* SPDX-License-Identifier: MIT */
#include "lib/sort/run/range_cut.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

enum { RANGES_MAX = 1 << 16 };

/* One bound, with how much lies before it. */
typedef struct split_point {
    const gs_run_entry *entry;
    uint64_t stored_bytes, record_bytes, records;
} split_point;

static int compare_entries(const void *a, const void *b, void *context)
{
    const gs_record_layout *const layout = context;
    const gs_run_entry *const x = ((const split_point *)a)->entry;
    const gs_run_entry *const y = ((const split_point *)b)->entry;
    const int d = gs_string_compare(x->key, x->key_bytes, y->key, y->key_bytes, 0);
    return layout->is_backwards ? -d : d;
}

/* How much of an entry's key is to be a bound after `last`: the first bound among records
 * that belong together stands before all of them. */
static size_t bound_bytes(const gs_range_cut *c, const gs_run_entry *e,
                          const gs_range_bound *last)
{
    if (c->kept_together == NULL)
        return e->key_bytes;
    const size_t together = c->kept_together(e->key, e->key_bytes);
    const bool goes_on = !last->is_open && last->bytes >= together &&
                         memcmp(last->string, e->key, together) == 0;
    return goes_on ? e->key_bytes : together;
}

/* Puts ranges together to portions. A portion begins where a bound stands before all
 * that belongs together. */
static gs_code cut_portions(gs_range_cut *c, gs_status *st)
{
    const size_t wanted =
        c->range_count < c->portion_max ? c->range_count : c->portion_max;
    GS_TRY(
        gs_mem_new_array(&c->portions, wanted + 1, sizeof *c->portions, "portions", st));
    size_t count = 1; /* the first begins with range 0 */
    for (size_t r = 1; r < c->range_count; r++) {
        const gs_range_bound *const bound = &c->bounds[r];
        const bool may_begin =
            c->kept_together(bound->string, bound->bytes) == bound->bytes;
        if (may_begin && count < wanted && r >= c->range_count * count / wanted)
            c->portions[count++] = r;
    }
    c->portions[count] = c->range_count;
    c->portion_count = count;
    return GS_OK;
}

/* Takes every step-th block of every run, with what the blocks since the last have, and
 * puts them in the order of their first keys; returns how many. */
static size_t take_points(const gs_range_cut *c, size_t step, split_point *points)
{
    size_t count = 0;
    for (size_t r = 0; r < c->run_count; r++) {
        const gs_run *const run = &c->runs[r];
        for (size_t i = step - 1; i < run->entry_count; i += step) {
            split_point *const p = &points[count++];
            *p = (split_point){&run->entries[i],
                               (uint64_t)run->entries[i].stored_bytes * step,
                               (uint64_t)run->entries[i].record_bytes * step, 0};
            for (size_t b = i + 1 - step; b <= i; b++)
                p->records += run->entries[b].record_count;
        }
    }
    qsort_r(points, count, sizeof *points, compare_entries, (void *)(uintptr_t)c->layout);
    return count;
}

/* How many records may lie before a bound, beyond those of the points before it: of the
 * blocks up to the next point of each run, and of one that reaches into the first range.
 */
static uint64_t uncounted_records(const gs_range_cut *c, size_t step)
{
    uint64_t sum = 0;
    for (size_t r = 0; r < c->run_count; r++) {
        uint64_t most = 0;
        for (size_t b = 0; b < c->runs[r].entry_count; b++)
            if (c->runs[r].entries[b].record_count > most)
                most = c->runs[r].entries[b].record_count;
        sum += most * (step - 1 + !c->begin.is_open);
    }
    return sum;
}

/* Of points from `i` on whose keys are the same. What is kept of a key is its beginning,
 * and backwards the whole key comes before that. */
static uint64_t records_alike(const gs_range_cut *c, const split_point *points, size_t i,
                              size_t count)
{
    uint64_t sum = 0;
    for (size_t k = i; k < count && c->layout->is_backwards &&
                       points[k].entry->key_bytes == points[i].entry->key_bytes &&
                       memcmp(points[k].entry->key, points[i].entry->key,
                              points[i].entry->key_bytes) == 0;
         k++)
        sum += points[k].records;
    return sum;
}

/* Does the block begin where merging has been already? */
static bool is_merged_before(const gs_range_cut *c, const gs_run_entry *e)
{
    if (c->begin.is_open)
        return false;
    const int d =
        gs_string_compare(e->key, e->key_bytes, c->begin.string, c->begin.bytes, 0);
    return c->layout->is_backwards ? d > 0 : d < 0;
}

/* Fills c->bounds: ranges of at most about `stored_max` stored and `raw_max` decoded
 * bytes, from every run's blocks in the order of their first keys. With has_top they end
 * before there could be more than records_most; if that leaves none or one, there is a
 * single one, with all. */
static gs_code cut_ranges(gs_range_cut *c, uint64_t stored_max, uint64_t raw_max,
                          gs_status *st)
{
    const bool has_top = c->has_top;
    size_t entries = 0;
    for (size_t r = 0; r < c->run_count; r++)
        entries += c->runs[r].entry_count;
    split_point *points = NULL;
    /* Every k-th block is enough to cut by, however many there are. */
    const size_t step = entries / (4 * RANGES_MAX) + 1;
    GS_TRY(gs_mem_new_array(&points, entries / step + c->run_count + 1, sizeof *points,
                            "range points", st));
    const size_t count = has_top && !c->may_share ? 0 : take_points(c, step, points);
    GS_TRY_OR_FAIL(gs_mem_new_array(&c->bounds, RANGES_MAX + 2, sizeof *c->bounds,
                                    "range bounds", st));
    c->bounds[0] = c->begin;
    size_t bounds = 1;
    uint64_t stored = 0, raw = 0;
    uint64_t records = has_top ? uncounted_records(c, step) : 0;
    bool is_all = true;
    for (size_t i = 0; i < count && is_all; i++) {
        const gs_run_entry *const e = points[i].entry;
        if (is_merged_before(c, e))
            continue;
        const gs_range_bound *const last = &c->bounds[bounds - 1];
        const size_t key_bytes = bound_bytes(c, e, last);
        const bool is_new =
            last->is_open ||
            gs_string_compare(e->key, key_bytes, last->string, last->bytes, 0) != 0;
        if ((stored >= stored_max || raw >= raw_max) && is_new && bounds < RANGES_MAX) {
            is_all = !has_top ||
                     records + records_alike(c, points, i, count) <= c->records_most;
            if (is_all)
                c->bounds[bounds++] = (gs_range_bound){false, e->key, key_bytes};
            stored = raw = 0;
        }
        stored += points[i].stored_bytes;
        raw += points[i].record_bytes;
        records += points[i].records;
    }
    is_all = is_all && (!has_top || (count > 0 && records <= c->records_most));
    c->is_single = !is_all && bounds < 3;
    if (c->is_single)
        bounds = 1;
    if (is_all || c->is_single)
        c->bounds[bounds++].is_open = true;
    c->range_count = bounds - 1;
fail:
    gs_mem_free(points);
    return st->code;
}

gs_code gs_range_cut_make(gs_range_cut *c, uint64_t stored_max, uint64_t raw_max,
                          gs_status *st)
{
    c->bounds = NULL;
    c->portions = NULL;
    GS_TRY_OR_FAIL(cut_ranges(c, stored_max, raw_max, st));
    c->portion_count = c->range_count;
    if (c->kept_together != NULL)
        GS_TRY_OR_FAIL(cut_portions(c, st));
    return GS_OK;
fail:
    gs_range_cut_release(c);
    return st->code;
}

void gs_range_cut_release(gs_range_cut *c)
{
    gs_mem_free(c->portions);
    gs_mem_free(c->bounds);
    c->portions = NULL;
    c->bounds = NULL;
}
