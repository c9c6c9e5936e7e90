/* SPDX-License-Identifier: MIT */
/*
 * band_keys: the strings by which one side of a band join is sorted: its numbers
 * (join_number.h).
 */
#ifndef GS_LIB_JOIN_BAND_KEYS_H
#define GS_LIB_JOIN_BAND_KEYS_H

#include <stdatomic.h>

#include "lib/join/band_sieve.h"
#include "lib/join/join_options.h"
#include "lib/sort/key/keys.h"

/* Stays where it is until release. */
typedef struct gs_band_key {
    const gs_join_options *options; /* borrowed */
    gs_join_side side;
    gs_band_sieve
        *sieve; /* hears of right numbers, and says which left ones stay; NULL */
    gs_key_encoder *encoder;
} gs_band_key;

/* `skipped` counts lines that are left out since they have no number; borrowed, as is the
 * sieve. */
GS_MUST_CHECK gs_code gs_band_key_init(gs_band_key *k, const gs_join_options *options,
                                       gs_join_side side, gs_band_sieve *sieve,
                                       _Atomic uint64_t *skipped, gs_status *st);
void gs_band_key_release(gs_band_key *k);

#endif
