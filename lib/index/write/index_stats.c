/* SPDX-License-Identifier: MIT */
#include "lib/index/write/index_stats.h"

#include "lib/index/format/formats.h"

void gs_index_stats_begin_phase(gs_index_stats *stats, gs_sort_phase phase,
                                uint64_t *begin_ns)
{
    gs_sort_stats_begin_phase(stats != NULL ? &stats->sort : NULL, phase, begin_ns);
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
