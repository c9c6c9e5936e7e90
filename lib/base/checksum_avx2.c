/* SPDX-License-Identifier: MIT */
#include "lib/base/checksum_avx2.h"

#if GS_CHECKSUM_HAS_AVX2
/* What the compiler knows already stays as it is; the library's code becomes code of this
 * file. */
#include <stdlib.h>
#include <string.h>

#pragma GCC target("avx2")
#define XXH_INLINE_ALL
#define XXH_VECTOR 2 /* XXH_AVX2, which the header has no name for yet */
#include <xxhash.h>

uint64_t gs_checksum_avx2(const void *data, size_t bytes, uint64_t seed)
{
    return seed == 0 ? XXH3_64bits(data, bytes) : XXH3_64bits_withSeed(data, bytes, seed);
}

void gs_checksum_add_avx2(void *state, const void *data, size_t bytes)
{
    (void)XXH3_64bits_update(state, data, bytes);
}
#endif
