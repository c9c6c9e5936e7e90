/* SPDX-License-Identifier: MIT */
#include "lib/index/format/page_sums.h"

#include <xxhash.h>

#include "lib/base/mem.h"
#include "lib/index/format/page_sum_avx2.h"

enum { CAPACITY_MIN = 256 };

uint32_t gs_page_sum(const uint8_t *page, size_t bytes)
{
#if GS_PAGE_SUM_HAS_AVX2
    if (__builtin_cpu_supports("avx2"))
        return gs_page_sum_avx2(page, bytes);
#endif
    return (uint32_t)XXH3_64bits(page, bytes);
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

gs_code gs_page_sums_add(gs_page_sums *s, const uint8_t *data, size_t bytes,
                         gs_status *st)
{
    GS_TRY(make_room(s, (size_t)gs_sum_pages(bytes), st));
    for (size_t at = 0; at < bytes; at += GS_SUM_PAGE_BYTES) {
        const size_t left = bytes - at;
        s->sums[s->count++] =
            gs_page_sum(data + at, left < GS_SUM_PAGE_BYTES ? left : GS_SUM_PAGE_BYTES);
    }
    return GS_OK;
}

void gs_page_sums_release(gs_page_sums *s)
{
    gs_mem_free(s->sums);
    *s = (gs_page_sums){0};
}
