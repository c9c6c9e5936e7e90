/* SPDX-License-Identifier: MIT */
/*
 * join_number: keys that are numbers, exact to 18 decimals.
 *
 * A number is kept as a count of 10^-18, so that sums and comparisons have no error: 0.3
 * is 0.1 and 0.2, which it is not in binary. It lies in -2^63 <= x < 2^63; decimals past
 * the 18th are rounded. As the string of a key it is
 *
 *      | its floor, 8 bytes, big-endian, sign turned | 0 |                        whole
 *      | its floor                                   | 1 | the rest, 8 bytes |    others
 *
 * so that strings of numbers are in the order of the numbers, and whole ones are short.
 */
#ifndef GS_LIB_JOIN_JOIN_NUMBER_H
#define GS_LIB_JOIN_JOIN_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

__extension__ typedef __int128 gs_join_number;

/* Further from any number than any other: the open end of a band. */
#define GS_JOIN_NUMBER_FAR ((gs_join_number)1 << 125)

enum { GS_JOIN_NUMBER_BYTES = 17 }; /* of the longest string */

/* Digits with a point among them or none, a sign in front, an exponent ("-1.5e3") behind,
 * blanks around. False: it is something else, or out of the range. */
bool gs_join_number_parse(const uint8_t *text, size_t bytes, gs_join_number *out);

/* A whole number of up to 15 digits and no sign that a text begins with, up to its end or
 * to `delimiter`. False: something else is there. Up to GS_KEY_READ_SLACK bytes behind
 * the text are read. */
bool gs_join_number_take_whole(const uint8_t *text, size_t bytes, uint8_t delimiter,
                               int64_t *out);
gs_join_number gs_join_number_of_whole(int64_t whole);

/* Writes the string, and returns its length. */
size_t gs_join_number_encode(gs_join_number number, uint8_t *to);
size_t gs_join_number_encode_whole(int64_t whole, uint8_t *to);
/* Parse and encode in one; 0: it is no number. */
size_t gs_join_number_encode_text(const uint8_t *text, size_t bytes, uint8_t *to);
gs_join_number gs_join_number_decode(const uint8_t *string);

#endif
