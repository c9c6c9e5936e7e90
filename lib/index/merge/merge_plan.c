/* SPDX-License-Identifier: MIT */
#include "lib/index/merge/merge_plan.h"

#include "lib/base/share.h"
#include "lib/index/merge/list_merge.h"

enum {
    MIB = 1024 * 1024,
    PARTS_A_WORKER = 4,
    KEPT_PARTS_MIN = 16,                 /* each of which need not be made again */
    PART_BYTES = 3 * ((64 << 10) + 128), /* buffers of the writer, at least */
    WINDOW_BYTES_MIN = MIB,
    WINDOW_BYTES_MAX = 32 * MIB,
    TEXT_BYTES = 4 * MIB,        /* to pack texts anew, and to copy blocks */
    SMALL_INPUT_BYTES = 2 * MIB, /* not worth a second thread */
};

/* Of a worker, whatever its window. */
static size_t worker_bytes(const gs_merge_plan_wish *wish)
{
    const size_t source =
        GS_TERM_MERGE_SOURCE_BYTES + (wish->keeps_ids ? GS_LIST_MERGE_SOURCE_BYTES : 0);
    return PARTS_A_WORKER * PART_BYTES + wish->merge->input_count * source;
}

static unsigned choose_workers(const gs_merge_plan_wish *wish, size_t usable)
{
    unsigned workers = gs_share_workers(wish->merge->threads);
    if (wish->merge->threads == 0 && wish->input_bytes <= SMALL_INPUT_BYTES)
        workers = 1;
    while (workers > 1 && workers * worker_bytes(wish) > usable / 2)
        workers /= 2;
    return workers;
}

gs_code gs_merge_plan_make(gs_merge_plan *p, const gs_merge_plan_wish *wish,
                           gs_status *st)
{
    const gs_memory_share memory = gs_machine_memory_share(wish->merge->memory_bytes);
    const size_t usable = memory.usable_bytes;
    *p = (gs_merge_plan){.limit_bytes = memory.limit_bytes,
                         .workers = choose_workers(wish, usable)};
    const size_t fixed =
        p->workers * worker_bytes(wish) + (wish->has_texts ? TEXT_BYTES : 0);
    const size_t left = usable > fixed ? usable - fixed : 0;
    p->window_bytes = gs_clamp(left / 4 / p->workers, WINDOW_BYTES_MIN, WINDOW_BYTES_MAX);
    p->writer_bytes = gs_clamp(left / 4, 2 * MIB, 64 * MIB);
    unsigned wanted = p->workers == 1 ? 1 : PARTS_A_WORKER * p->workers;
    if (wish->merge->checkpoint != NULL && wanted < KEPT_PARTS_MIN)
        wanted = KEPT_PARTS_MIN;
    return gs_index_parts_fit(&p->part_count, wanted, wish->has_positions, st);
}
