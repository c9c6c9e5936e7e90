/* SPDX-License-Identifier: MIT */
/*
 * gen_record: the 100-byte records of the Sort Benchmark, laid out as its generator does.
 *
 *      binary    0         10      12                     44            48        96
 *               | key     | 00 11 | record number, 32 hex | 88 99 AA BB | filler | CC DD
 *                                                                       12 x 4    EE FF
 *      text      0         10      12                     44      46              98
 *               | key     | 2 sp. | record number, 32 hex | 2 sp. | filler 13 x 4 | CR LF
 *
 * Record i belongs to the i-th number of a 128-bit linear congruential sequence that
 * starts from 0; its top 10 bytes are the binary key, its low hex digits the filler.
 */
#ifndef GS_LIB_DATA_GEN_RECORD_H
#define GS_LIB_DATA_GEN_RECORD_H

#include <stdbool.h>

#include "lib/data/gen_random.h"

enum { GS_GEN_RECORD_BYTES = 100, GS_GEN_RECORD_KEY_BYTES = 10 };

/* The number after `steps` steps from 0, and the next one. */
gs_gen_u128 gs_gen_sequence_at(gs_gen_u128 steps);
gs_gen_u128 gs_gen_sequence_next(gs_gen_u128 x);

/* One record. `x` is the number of the sequence that belongs to it. */
void gs_gen_put_record(uint8_t *to, gs_gen_u128 x, uint64_t number, bool is_text);
/* Replaces the key: `value` in 8 bytes, high first, and two of zero; as text, 10 digits
 * of base 95. Keys compare as the values do. */
void gs_gen_put_record_key(uint8_t *to, uint64_t value, bool is_text);

#endif
