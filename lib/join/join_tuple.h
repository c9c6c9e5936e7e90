/* SPDX-License-Identifier: MIT */
/*
 * join_tuple: binary tuples, whose fields are numbers or bytes of fixed size.
 *
 * A key becomes bytes that are equal where the numbers are, whatever their sizes, and in
 * their order:
 *
 *      integers   | 0: negative, 1 | 8 bytes, big-endian |
 *      floats     | 8 bytes of a double, so turned that they are in order |    -0 is 0
 *      bytes      | as they are |
 *
 * As text a float has the fewest digits that are read back as the same float of its size;
 * what that text says is also the number of a band.
 */
#ifndef GS_LIB_JOIN_JOIN_TUPLE_H
#define GS_LIB_JOIN_JOIN_TUPLE_H

#include "lib/join/join_number.h"
#include "lib/sort/key/keys.h"

enum {
    GS_TUPLE_NUMBER_BYTES = 9, /* of the key of a number, at most */
    GS_TUPLE_TEXT_BYTES = 32,  /* of a number as text, with its zero */
};

/* Integers of up to 8 bytes, floats, or bytes: `data` has field->length of them. */

/* Writes the key of a number. Not for bytes. */
size_t gs_join_tuple_key(const gs_byte_key *field, const uint8_t *data, uint8_t *to);
/* False: it is not from -2^63 up to 2^63. Not for bytes. */
bool gs_join_tuple_number(const gs_byte_key *field, const uint8_t *data,
                          gs_join_number *out);
/* Writes a number as text, and returns its length. Not for bytes. */
size_t gs_join_tuple_print(const gs_byte_key *field, const uint8_t *data,
                           char text[GS_TUPLE_TEXT_BYTES]);

/* May keys of two fields be compared? */
bool gs_join_tuple_is_like(const gs_byte_key *a, const gs_byte_key *b);

#endif
