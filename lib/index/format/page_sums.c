/* SPDX-License-Identifier: MIT */
#include "lib/index/format/page_sums.h"

#include "lib/base/checksum.h"
#include "lib/base/mem.h"

enum { CAPACITY_MIN = 256 };

uint32_t gs_page_sum(const uint8_t *page, size_t bytes)
{
    return (uint32_t)gs_checksum(page, bytes, 0);
}

static gs_code make_room(gs_page_sums *s, size_t count, gs_status *st)
{
    size_t capacity = s->capacity + s->capacity / 2;
    if (s->count + count <= s->capacity)
        return GS_OK;
    if (capacity < s->count + count)
        capacity = s->count + count;
    if (capacity < CAPACITY_MIN)
        capacity = CAPACITY_MIN;
    GS_TRY(gs_mem_resize(&s->sums, capacity * sizeof *s->sums, "sums of pages", st));
    s->capacity = capacity;
    return GS_OK;
}

void gs_page_sums_of(uint32_t *to, const uint8_t *data, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += GS_SUM_PAGE_BYTES) {
        const size_t left = bytes - at;
        *to++ =
            gs_page_sum(data + at, left < GS_SUM_PAGE_BYTES ? left : GS_SUM_PAGE_BYTES);
    }
}

gs_code gs_page_sums_add_later(gs_page_sums *s, size_t bytes, size_t *first,
                               gs_status *st)
{
    const size_t count = (size_t)gs_sum_pages(bytes);
    GS_TRY(make_room(s, count, st));
    *first = s->count;
    s->count += count;
    return GS_OK;
}

gs_code gs_page_sums_add(gs_page_sums *s, const uint8_t *data, size_t bytes,
                         gs_status *st)
{
    size_t first;
    GS_TRY(gs_page_sums_add_later(s, bytes, &first, st));
    if (bytes > 0) /* of nothing there are no sums, perhaps no room for any */
        gs_page_sums_of(s->sums + first, data, bytes);
    return GS_OK;
}

void gs_page_sums_release(gs_page_sums *s)
{
    gs_mem_free(s->sums);
    *s = (gs_page_sums){0};
}
