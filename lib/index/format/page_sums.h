/* SPDX-License-Identifier: MIT */
/*
 * page_sums: a checksum for each page of a file of an index.
 *
 * Pages are of GS_SUM_PAGE_BYTES, whatever the machine's are; the last one is as long as
 * the file reaches. A sum is the low half of XXH3 (64 bits) of the page's bytes.
 */
#ifndef GS_LIB_INDEX_FORMAT_PAGE_SUMS_H
#define GS_LIB_INDEX_FORMAT_PAGE_SUMS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

enum { GS_SUM_PAGE_BYTES = 4096 };

/* Of the pages of one file, in order. Zeroed: there are none. */
typedef struct gs_page_sums {
    uint32_t *sums;
    size_t count, capacity;
} gs_page_sums;

/* How many pages so many bytes are. */
static inline uint64_t gs_sum_pages(uint64_t bytes)
{
    return bytes / GS_SUM_PAGE_BYTES + (bytes % GS_SUM_PAGE_BYTES != 0);
}

uint32_t gs_page_sum(const uint8_t *page, size_t bytes);

/* Adds those of the next pages; only the last bytes of a file may be less than a page. */
GS_MUST_CHECK gs_code gs_page_sums_add(gs_page_sums *s, const uint8_t *data, size_t bytes,
                                       gs_status *st);
/* The same in two: room for those of so many bytes, from *first on, and later, on any
 * thread, what they are. */
GS_MUST_CHECK gs_code gs_page_sums_add_later(gs_page_sums *s, size_t bytes, size_t *first,
                                             gs_status *st);
void gs_page_sums_of(uint32_t *to, const uint8_t *data, size_t bytes);
void gs_page_sums_release(gs_page_sums *s);

#endif
