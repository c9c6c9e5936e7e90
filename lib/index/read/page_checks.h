/* SPDX-License-Identifier: MIT */
/*
 * page_checks: the pages of a mapped file, each compared with its sum before it is used
 * for the first time.
 *
 * A bit for each page tells that it was good, so that afterwards a look at a bit is all.
 * Any number of threads; that two of them compare the same page does no harm. A page that
 * was good once is not compared again; the stamp of the file tells whether it was written
 * to later.
 */
#ifndef GS_LIB_INDEX_READ_PAGE_CHECKS_H
#define GS_LIB_INDEX_READ_PAGE_CHECKS_H

#include <stdatomic.h>
#include <stdbool.h>

#include "lib/index/format/formats.h"

typedef struct gs_page_checks {
    const uint8_t *data;
    uint64_t bytes;
    const uint32_t *sums;   /* borrowed; one a page */
    _Atomic uint64_t *good; /* a bit a page */
} gs_page_checks;

GS_MUST_CHECK gs_code gs_page_checks_open(gs_page_checks *c, const uint8_t *data,
                                          uint64_t bytes, const uint32_t *sums,
                                          gs_status *st);
void gs_page_checks_close(gs_page_checks *c); /* a zeroed one is fine */

/* Are all of them known to be good? False only says that they have to be compared. Not
 * for 0 bytes. */
static inline bool gs_page_checks_know(const gs_page_checks *c, uint64_t offset,
                                       uint64_t bytes)
{
    const uint64_t first = offset / GS_SUM_PAGE_BYTES;
    const uint64_t last = (offset + bytes - 1) / GS_SUM_PAGE_BYTES;
    const uint64_t mask = UINT64_MAX << first % 64 & UINT64_MAX >> (63 - last % 64);
    return first / 64 == last / 64 &&
           (mask & ~atomic_load_explicit(&c->good[first / 64], memory_order_relaxed)) ==
               0;
}

/* The same of an item that lies in one page, as aligned numbers do. */
static inline bool gs_page_checks_know_at(const gs_page_checks *c, uint64_t offset)
{
    const uint64_t page = offset / GS_SUM_PAGE_BYTES;
    const uint64_t word = atomic_load_explicit(&c->good[page / 64], memory_order_relaxed);
    return (word >> page % 64 & 1) != 0;
}

/* Looks at the pages that these bytes, which are in the file, lie in; UINT64_MAX, or the
 * first page that is not what it was when it was written. */
uint64_t gs_page_checks_find_bad(const gs_page_checks *c, uint64_t offset,
                                 uint64_t bytes);

/* Compares a page, whatever is known of it. */
bool gs_page_checks_is_good(const gs_page_checks *c, uint64_t page);
/* All are good: somebody has compared the whole file. */
void gs_page_checks_trust(const gs_page_checks *c);

#endif
