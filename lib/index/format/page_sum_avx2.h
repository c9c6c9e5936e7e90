/* SPDX-License-Identifier: MIT */
/*
 * page_sum_avx2: the sum of a page, by vectors of 32 bytes. Internal to page_sums.
 *
 * The library's XXH3 is compiled for any processor. Of a page that is looked at for the
 * first time it takes about twice as long as this, which gives the same number.
 */
#ifndef GS_LIB_INDEX_FORMAT_PAGE_SUM_AVX2_H
#define GS_LIB_INDEX_FORMAT_PAGE_SUM_AVX2_H

#include <stddef.h>
#include <stdint.h>

/* Where a whole file can be compiled for other processors than the rest. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define GS_PAGE_SUM_HAS_AVX2 1
#else
#define GS_PAGE_SUM_HAS_AVX2 0
#endif

#if GS_PAGE_SUM_HAS_AVX2
/* The processor must have AVX2. */
uint32_t gs_page_sum_avx2(const uint8_t *page, size_t bytes);
#endif

#endif
