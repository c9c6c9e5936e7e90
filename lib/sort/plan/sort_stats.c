/* SPDX-License-Identifier: MIT */
#include "lib/sort/plan/sort_stats.h"

#include "lib/base/machine.h"

void gs_sort_stats_begin_phase(gs_sort_stats *stats, gs_sort_phase phase,
                               uint64_t *begin_ns)
{
    const uint64_t now = gs_machine_now_ns();
    if (stats != NULL) {
        const int before = atomic_exchange(&stats->phase, (int)phase);
        atomic_fetch_add(&stats->phase_ns[before], now - *begin_ns);
    }
    *begin_ns = now;
}

/* Not looked at here, but set once or told anew: phase, phase_ns, input_bytes_total,
 * merge_bytes_total, memory_limit_bytes, threads, engine, verified, has_output_sum,
 * output_sum. And what a sort does not take back, but a build of an index does:
 * merge_bytes, output_bytes, output_records. */
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
