/* SPDX-License-Identifier: MIT */
#include "lib/sort/record/heap_bytes.h"

#include <string.h>

#include "io/block.h"
#include "lib/base/mem.h"

enum { MAP_MIN = 4 << 20 };

void gs_heap_bytes_release(gs_heap_bytes *b)
{
    if (b->is_map)
        gs_mem_unmap(b->data, b->capacity);
    else
        gs_mem_free(b->data);
    *b = (gs_heap_bytes){0};
}

gs_code gs_heap_bytes_resize(gs_heap_bytes *b, size_t capacity, gs_status *st)
{
    if (!b->is_map && capacity < MAP_MIN) {
        GS_TRY(gs_mem_resize(&b->data, capacity, "a long record", st));
    } else {
        capacity = (capacity + GS_BLOCK_ALIGN - 1) / GS_BLOCK_ALIGN * GS_BLOCK_ALIGN;
        if (b->is_map) {
            GS_TRY(
                gs_mem_map_resize(&b->data, b->capacity, capacity, "a long record", st));
        } else {
            uint8_t *map = NULL;
            GS_TRY(gs_mem_map(&map, capacity, false, "a long record", st));
            if (b->bytes > 0)
                memcpy(map, b->data, b->bytes);
            gs_mem_free(b->data);
            b->data = map;
            b->is_map = true;
        }
    }
    b->capacity = capacity;
    return GS_OK;
}

gs_code gs_heap_bytes_append(gs_heap_bytes *to, const uint8_t *data, size_t bytes,
                             gs_status *st)
{
    const size_t want = to->bytes + bytes;
    if (to->capacity < want)
        GS_TRY(gs_heap_bytes_resize(to, want + want / 2 + 4096, st));
    if (bytes > 0)
        memcpy(to->data + to->bytes, data, bytes);
    to->bytes += bytes;
    return GS_OK;
}
