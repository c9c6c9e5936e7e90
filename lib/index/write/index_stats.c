/* SPDX-License-Identifier: MIT */
#include "lib/index/write/index_stats.h"

#include "lib/base/machine.h"

void gs_index_stats_begin_phase(gs_index_stats *stats, gs_sort_phase phase,
                                uint64_t *begin_ns)
{
    const uint64_t now = gs_machine_now_ns();
    if (stats != NULL) {
        const int before = atomic_exchange(&stats->sort.phase, (int)phase);
        atomic_fetch_add(&stats->sort.phase_ns[before], now - *begin_ns);
    }
    *begin_ns = now;
}
