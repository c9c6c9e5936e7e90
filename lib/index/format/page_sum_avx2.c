/* SPDX-License-Identifier: MIT */
#include "lib/index/format/page_sum_avx2.h"

#if GS_PAGE_SUM_HAS_AVX2
/* What the compiler knows already stays as it is; the library's code becomes code of this
 * file. */
#include <stdlib.h>
#include <string.h>

#pragma GCC target("avx2")
#define XXH_INLINE_ALL
#define XXH_VECTOR 2 /* XXH_AVX2, which the header has no name for yet */
#include <xxhash.h>

uint32_t gs_page_sum_avx2(const uint8_t *page, size_t bytes)
{
    return (uint32_t)XXH3_64bits(page, bytes);
}
#endif
