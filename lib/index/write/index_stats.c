/* SPDX-License-Identifier: MIT */
#include "lib/index/write/index_stats.h"

#include "lib/base/machine.h"
#include "lib/index/format/formats.h"

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

void gs_index_stats_tell(gs_index_stats *stats, const char *folder)
{
    uint64_t bytes = 0;
    gs_index_header h;
    gs_status ignored = {.code = GS_OK};
    /* The index is there and good: should it not be readable now, figures are missing. */
    if (gs_index_header_read(&h, folder, &ignored) != GS_OK)
        return;
    for (int file = 0; file < GS_INDEX_FILE_COUNT; file++)
        bytes += h.file_bytes[file];
    atomic_store(&stats->sort.records, h.documents);
    atomic_store(&stats->sort.output_records, h.postings);
    atomic_store(&stats->sort.output_bytes, bytes);
    atomic_store(&stats->tokens, h.tokens);
    gs_index_header_release(&h);
}
