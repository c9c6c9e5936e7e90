/* SPDX-License-Identifier: MIT */
/*
 * keyed_look: are lines in the order of their keys? Without making the keys, where what
 * two neighbours have in common tells.
 *
 *      line before    alpha \t 4096 \t x
 *      line           alpha \t 4711 \t a      differ first in field 1, which is a number
 *                               ^             of as many digits: 0 is less than 7
 *
 * Neighbours in order share much. Where they differ first, in the 64 bytes that are
 * looked at, says in which field that is: keys of the fields before it are equal, and the
 * first key of that field mostly decides. Where it does not, since a key is of a field
 * further on, a number is not just digits, or all 64 bytes are the same, the strings of
 * both are made (lib/sort/key/line_string.h) and compared.
 *
 * For keys that are whole fields, or the rest of the line from one on, by their bytes or
 * by -n, and machines with AVX-512.
 */
#ifndef GS_LIB_SORT_WITNESS_KEYED_LOOK_H
#define GS_LIB_SORT_WITNESS_KEYED_LOOK_H

#include "lib/sort/key/keys.h"
#include "lib/sort/record/records.h"
#include "lib/sort/witness/record_look.h"

enum { GS_KEYED_FIELDS = 16 }; /* lines that differ further on have their strings made */

/* What decides about two lines, by the field in which they differ first. */
typedef struct gs_keyed_decider {
    bool is_known, is_complemented, is_rest, is_number;
} gs_keyed_decider;

typedef struct gs_keyed_look {
    const gs_record_layout *layout;
    const gs_key_encoder *encoder;
    uint8_t delimiter;
    gs_keyed_decider deciders[GS_KEYED_FIELDS + 1];
    gs_line_string strings[2]; /* of two neighbours; */
    size_t made[2];            /* 1 + which lines these are */
} gs_keyed_look;

/* Can it be done for these keys, here? Borrows both. */
bool gs_keyed_look_init(gs_keyed_look *k, const gs_record_layout *layout,
                        const gs_key_encoder *encoder);
void gs_keyed_look_release(gs_keyed_look *k); /* a zeroed one is fine */

/* *disorder is the number, from 1, of the first line that may not follow the one before
 * it; 0: there is none. The first line follows none. Lines as gs_look_at_text has them.
 */
GS_MUST_CHECK gs_code gs_keyed_look_at_text(gs_keyed_look *k, const uint8_t *text,
                                            const uint32_t *ends, size_t count,
                                            gs_look_order order, size_t *disorder,
                                            gs_status *st);
/* The string of one of these lines, which is there until lines are looked at again. */
GS_MUST_CHECK gs_code gs_keyed_look_string(gs_keyed_look *k, const uint8_t *text,
                                           const uint32_t *ends, size_t line,
                                           gs_seen_string *out, gs_status *st);

#endif
