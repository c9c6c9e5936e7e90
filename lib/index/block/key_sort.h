/* SPDX-License-Identifier: MIT */
/*
 * key_sort: sort fixed-width keys on one CPU core, by the bits that matter.
 *
 * Bits below `low_bit` are carried along and keep their order (the sort is stable). Bits
 * that are the same in all keys cost nothing. `scratch` has room for as many keys; the
 * result is in `keys`.
 */
#ifndef GS_LIB_INDEX_BLOCK_KEY_SORT_H
#define GS_LIB_INDEX_BLOCK_KEY_SORT_H

#include <stddef.h>
#include <stdint.h>

#include "gpu/engine/engine.h"

void gs_key_sort_u32(uint32_t *keys, uint32_t *scratch, size_t count, unsigned low_bit);
void gs_key_sort_u64(uint64_t *keys, uint64_t *scratch, size_t count, unsigned low_bit);
/* `low_bit` is below 128 and counts from the lowest bit of `lo`. */
void gs_key_sort_u128(gs_u128 *keys, gs_u128 *scratch, size_t count, unsigned low_bit);

#endif
