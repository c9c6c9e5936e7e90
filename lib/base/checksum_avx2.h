/* SPDX-License-Identifier: MIT */
/*
 * checksum_avx2: checksums by vectors of 32 bytes. Internal to checksum.
 *
 * The library's XXH3 is compiled for any processor. Of what is looked at for the first
 * time it takes about twice as long as this, which gives the same numbers.
 */
#ifndef GS_LIB_BASE_CHECKSUM_AVX2_H
#define GS_LIB_BASE_CHECKSUM_AVX2_H

#include <stddef.h>
#include <stdint.h>

/* Where a whole file can be compiled for other processors than the rest. */
#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define GS_CHECKSUM_HAS_AVX2 1
#else
#define GS_CHECKSUM_HAS_AVX2 0
#endif

#if GS_CHECKSUM_HAS_AVX2
/* The processor must have AVX2. `state` is an XXH3_state_t of the library's. */
uint64_t gs_checksum_avx2(const void *data, size_t bytes, uint64_t seed);
void gs_checksum_add_avx2(void *state, const void *data, size_t bytes);
#endif

#endif
