/* SPDX-License-Identifier: MIT */
#include "lib/base/checksum.h"

#include "lib/base/checksum_avx2.h"

uint64_t gs_checksum(const void *data, size_t bytes, uint64_t seed)
{
#if GS_CHECKSUM_HAS_AVX2
    if (__builtin_cpu_supports("avx2"))
        return gs_checksum_avx2(data, bytes, seed);
#endif
    return XXH3_64bits_withSeed(data, bytes, seed);
}

void gs_checksum_add(XXH3_state_t *state, const void *data, size_t bytes)
{
#if GS_CHECKSUM_HAS_AVX2
    if (__builtin_cpu_supports("avx2")) {
        gs_checksum_add_avx2(state, data, bytes);
        return;
    }
#endif
    (void)XXH3_64bits_update(state, data, bytes);
}
