/* SPDX-License-Identifier: MIT */
/*
 * checksum: XXH3 (64 bits) of much, as fast as the processor can.
 *
 * The numbers are the library's. Of little, which is not worth a question what the
 * processor has, it is called itself.
 */
#ifndef GS_LIB_BASE_CHECKSUM_H
#define GS_LIB_BASE_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>
#include <xxhash.h>

/* Seed 0: as if there were none. */
uint64_t gs_checksum(const void *data, size_t bytes, uint64_t seed);
/* To a state that the library has made. */
void gs_checksum_add(XXH3_state_t *state, const void *data, size_t bytes);

#endif
