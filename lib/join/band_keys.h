/* SPDX-License-Identifier: MIT */
/*
 * band_keys: the strings by which one side of a band join is sorted: its numbers
 * (join_number.h); and which of its lines get one.
 */
#ifndef GS_LIB_JOIN_BAND_KEYS_H
#define GS_LIB_JOIN_BAND_KEYS_H

#include "lib/join/band_sieve.h"
#include "lib/join/join_options.h"
#include "lib/sort/form/forms.h"
#include "lib/sort/key/keys.h"

/* Stays where it is until release. */
typedef struct gs_band_key {
    const gs_join_options *options; /* borrowed */
    gs_join_side side;
    bool has_plain_end; /* digits end a field nowhere */
    uint8_t delimiter;  /* behind a field, or one of those; of whole lines their end */
    gs_key_encoder *encoder;
    gs_line_sieve line_sieve; /* does what follows; to be used if it does something */
    /* The caller sets these, all borrowed: */
    gs_band_sieve *asked;  /* says which lines stay; NULL: all */
    gs_band_sieve *marked; /* hears of the numbers of these; NULL */
    bool is_look;          /* and no line stays */
} gs_band_key;

/* `skipped` counts lines that are left out since they have no number; borrowed. NULL:
 * they are left out and not counted. */
GS_MUST_CHECK gs_code gs_band_key_init(gs_band_key *k, const gs_join_options *options,
                                       gs_join_side side, _Atomic uint64_t *skipped,
                                       gs_status *st);
void gs_band_key_release(gs_band_key *k);

/* The number of a line, if it is whole, short, and in the first field: most are. Which
 * field it is may be known only once the header was read. Up to GS_KEY_READ_SLACK bytes
 * behind the line are read. */
static inline bool gs_band_key_take_whole(const gs_band_key *k, const uint8_t *line,
                                          size_t bytes, int64_t *whole)
{
    return k->has_plain_end && k->options->key_field[k->side] == 0 &&
           gs_join_number_take_whole(line, bytes, k->delimiter, whole);
}
/* That of any line, but of a tuple; false if it has none. */
bool gs_band_key_read(const gs_band_key *k, const uint8_t *line, size_t bytes,
                      gs_join_number *number);

#endif
