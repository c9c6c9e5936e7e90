/* SPDX-License-Identifier: MIT */
#include "lib/sort/run/merged_space.h"

#include "lib/base/mem.h"

enum { DROP_STEPS = 64 }; /* into how many parts the giving back of space is cut */

gs_code gs_merged_space_init(gs_merged_space *s, const gs_range_cut *cut, gs_spill *spill,
                             gs_status *st)
{
    *s = (gs_merged_space){.cut = cut, .spill = spill};
    GS_TRY(gs_mem_new_array(&s->is_merged, cut->range_count, sizeof *s->is_merged,
                            "merged ranges", st));
    pthread_mutex_init(&s->mutex, NULL);
    return GS_OK;
}

void gs_merged_space_release(gs_merged_space *s)
{
    pthread_mutex_destroy(&s->mutex);
    gs_mem_free(s->is_merged);
}

void gs_merged_space_note(gs_merged_space *s, size_t range)
{
    const gs_range_cut *const cut = s->cut;
    pthread_mutex_lock(&s->mutex);
    s->is_merged[range] = true;
    while (s->merged < cut->range_count && s->is_merged[s->merged])
        s->merged++;
    const size_t from = s->dropped, to = s->merged;
    const bool is_due =
        to < cut->range_count && to - from > cut->range_count / DROP_STEPS;
    if (is_due)
        s->dropped = to;
    pthread_mutex_unlock(&s->mutex);
    if (!is_due)
        return;
    const gs_range_bound open = {.is_open = true};
    for (size_t r = 0; r < cut->run_count; r++) {
        const gs_run *const run = &cut->runs[r];
        size_t before, after, end;
        gs_run_find_range(run, cut->layout, &cut->bounds[from], &open, &before, &end);
        gs_run_find_range(run, cut->layout, &cut->bounds[to], &open, &after, &end);
        if (before < after && after < run->entry_count)
            gs_spill_drop(s->spill, &run->extent, run->entries[before].offset,
                          run->entries[after].offset);
    }
}
