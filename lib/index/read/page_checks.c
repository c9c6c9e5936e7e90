/* SPDX-License-Identifier: MIT */
#include "lib/index/read/page_checks.h"

#include "lib/base/mem.h"

enum { WORD_BITS = 64 };

static uint64_t word_count(const gs_page_checks *c)
{
    return (gs_sum_pages(c->bytes) + WORD_BITS - 1) / WORD_BITS;
}

gs_code gs_page_checks_open(gs_page_checks *c, const uint8_t *data, uint64_t bytes,
                            const uint32_t *sums, gs_status *st)
{
    *c = (gs_page_checks){.data = data, .bytes = bytes, .sums = sums};
    GS_TRY(
        gs_mem_new(&c->good, (size_t)word_count(c) * sizeof *c->good, "page checks", st));
    return GS_OK;
}

void gs_page_checks_close(gs_page_checks *c)
{
    gs_mem_free(c->good);
    *c = (gs_page_checks){0};
}

bool gs_page_checks_is_good(const gs_page_checks *c, uint64_t page)
{
    const uint64_t at = page * GS_SUM_PAGE_BYTES, left = c->bytes - at;
    const size_t bytes = left < GS_SUM_PAGE_BYTES ? (size_t)left : GS_SUM_PAGE_BYTES;
    return gs_page_sum(c->data + at, bytes) == c->sums[page];
}

uint64_t gs_page_checks_find_bad(const gs_page_checks *c, uint64_t offset, uint64_t bytes)
{
    if (bytes == 0)
        return UINT64_MAX;
    const uint64_t last = (offset + bytes - 1) / GS_SUM_PAGE_BYTES;
    for (uint64_t page = offset / GS_SUM_PAGE_BYTES; page <= last; page++) {
        _Atomic uint64_t *const word = &c->good[page / WORD_BITS];
        const uint64_t known = atomic_load_explicit(word, memory_order_relaxed);
        const uint64_t bit = UINT64_C(1) << page % WORD_BITS;
        if (known == UINT64_MAX) {
            page |= WORD_BITS - 1; /* to the last of the word */
        } else if ((known & bit) == 0) {
            if (!gs_page_checks_is_good(c, page))
                return page;
            (void)atomic_fetch_or_explicit(word, bit, memory_order_relaxed);
        }
    }
    return UINT64_MAX;
}

void gs_page_checks_trust(const gs_page_checks *c)
{
    for (uint64_t i = 0; i < word_count(c); i++)
        atomic_store_explicit(&c->good[i], UINT64_MAX, memory_order_relaxed);
}
