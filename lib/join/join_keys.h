/* SPDX-License-Identifier: MIT */
/*
 * join_keys: the strings by which the lines of both inputs are sorted as one: the key of
 * the line and the byte that says of which side it is (join_match.h).
 */
#ifndef GS_LIB_JOIN_JOIN_KEYS_H
#define GS_LIB_JOIN_JOIN_KEYS_H

#include "lib/join/join_options.h"
#include "lib/sort/key/keys.h"

/* What one side needs; stays where it is until release. */
typedef struct gs_join_side_key {
    gs_order order;
    gs_key key;
    gs_key_encoder *bare;     /* the key alone */
    const gs_byte_key *field; /* of tuples; else NULL */
    uint8_t tag;
    gs_key_encoder *encoder; /* and with the byte behind it */
} gs_join_side_key;

/* Release it also after a failure. */
GS_MUST_CHECK gs_code gs_join_side_key_init(gs_join_side_key *k,
                                            const gs_join_options *options,
                                            gs_join_side side, gs_status *st);
/* The key is of another field, as the options say by now; before the first line. */
GS_MUST_CHECK gs_code gs_join_side_key_place(gs_join_side_key *k,
                                             const gs_join_options *options,
                                             gs_join_side side, gs_status *st);
void gs_join_side_key_release(gs_join_side_key *k);

/* How many bytes of such a string, or of its beginning, are the key. */
size_t gs_join_key_bytes(const uint8_t *string, size_t bytes);

#endif
