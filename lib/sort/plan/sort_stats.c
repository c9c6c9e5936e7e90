/* SPDX-License-Identifier: MIT */
#include "lib/sort/plan/sort_stats.h"

void gs_sort_stats_reset(gs_sort_stats *stats)
{
    if (stats == NULL)
        return;
    atomic_store(&stats->input_bytes, 0);
    atomic_store(&stats->records, 0);
    atomic_store(&stats->text_bytes, 0);
    atomic_store(&stats->runs, 0);
    atomic_store(&stats->spill_bytes, 0);
    atomic_store(&stats->passes, 0);
}
