/* SPDX-License-Identifier: MIT */
#include "lib/index/posting.h"

#include "lib/base/mem.h"

void gs_posting_batch_release(gs_posting_batch *batch)
{
    gs_mem_free(batch->positions);
    batch->positions = NULL;
    batch->position_count = batch->position_capacity = 0;
}

gs_code gs_posting_batch_grow(gs_posting_batch *batch, size_t more, gs_status *st)
{
    if (batch->position_capacity - batch->position_count >= more)
        return GS_OK;
    const size_t want = batch->position_count + more;
    const size_t capacity = want + want / 2 + 1024;
    size_t bytes = 0;
    void *memory = batch->positions;
    GS_TRY(gs_mem_size_mul(&bytes, capacity, sizeof *batch->positions, st));
    GS_TRY(gs_mem_resize(&memory, bytes, "positions", st));
    batch->positions = memory;
    batch->position_capacity = capacity;
    return GS_OK;
}
