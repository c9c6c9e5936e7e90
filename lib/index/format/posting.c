/* SPDX-License-Identifier: MIT */
#include "lib/index/format/posting.h"

#include <string.h>

#include "lib/base/mem.h"

enum {
    PAGE_BYTES = 4096,
    MAP_MIN = 1 << 20, /* from then on pages that nothing touched count nothing, and
                        * growing copies nothing */
};

void gs_posting_batch_release(gs_posting_batch *batch)
{
    if (batch->mapped_bytes > 0)
        gs_mem_unmap(batch->positions, batch->mapped_bytes);
    else
        gs_mem_free(batch->positions);
    batch->positions = NULL;
    batch->position_count = batch->position_capacity = batch->mapped_bytes = 0;
}

static gs_code grow_map(gs_posting_batch *batch, size_t bytes, gs_status *st)
{
    bytes = (bytes + PAGE_BYTES - 1) / PAGE_BYTES * PAGE_BYTES;
    if (batch->mapped_bytes > 0) {
        GS_TRY(gs_mem_map_resize(&batch->positions, batch->mapped_bytes, bytes,
                                 "positions", st));
    } else {
        uint32_t *map = NULL;
        GS_TRY(gs_mem_map(&map, bytes, false, "positions", st));
        if (batch->position_count > 0)
            memcpy(map, batch->positions, batch->position_count * sizeof *map);
        gs_mem_free(batch->positions);
        batch->positions = map;
    }
    batch->mapped_bytes = bytes;
    batch->position_capacity = bytes / sizeof *batch->positions;
    return GS_OK;
}

gs_code gs_posting_batch_grow(gs_posting_batch *batch, size_t more, gs_status *st)
{
    if (batch->position_capacity - batch->position_count >= more)
        return GS_OK;
    const size_t want = batch->position_count + more;
    const size_t capacity = want + want / 2 + 1024;
    size_t bytes = 0;
    GS_TRY(gs_mem_size_mul(&bytes, capacity, sizeof *batch->positions, st));
    if (bytes >= MAP_MIN)
        return grow_map(batch, bytes, st);
    GS_TRY(gs_mem_resize(&batch->positions, bytes, "positions", st));
    batch->position_capacity = capacity;
    return GS_OK;
}
