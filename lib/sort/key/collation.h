/* SPDX-License-Identifier: MIT */
/*
 * collation: the order that a locale has, as keys whose memcmp order it is.
 *
 * What strcoll would say of two texts is what memcmp says of the strings that strxfrm
 * makes of them. A text with zeros in it is compared piece by piece, as GNU sort does:
 *
 *     string   (strxfrm(piece) 00 02)... strxfrm(last piece) 00 01    or 00 00: no text
 *
 * Numbers have the decimal point and the separator of thousands that the locale has, and
 * months its short names. A collation does not change and may be used by any thread.
 */
#ifndef GS_LIB_SORT_KEY_COLLATION_H
#define GS_LIB_SORT_KEY_COLLATION_H

#include "lib/sort/key/order.h"

/* A string has at most so many times the bytes of its text, and so many more: a character
 * of many meanings takes up to 22 times its own. */
enum { GS_COLLATION_FACTOR = 32, GS_COLLATION_EXTRA_BYTES = 64 };

/* The locale of the environment. *out is NULL if its order is that of bytes: C, POSIX. */
GS_MUST_CHECK gs_code gs_collation_new(gs_collation **out, gs_status *st);
void gs_collation_free(gs_collation *c); /* NULL is fine */
/* What the locale of the order is called. */
const char *gs_collation_name(const gs_collation *c);

/* Writes the string of a text, behind which there is room for a byte, and returns its
 * end. */
uint8_t *gs_collation_put(const gs_collation *c, uint8_t *text, size_t bytes,
                          uint8_t *to);

/* Are numbers written as in C? If not, gs_collation_number writes what C would have read
 * of a text that is a number of this type, to where there is room for the text; returns
 * its length. */
bool gs_collation_has_plain_numbers(const gs_collation *c);
size_t gs_collation_number(const gs_collation *c, gs_key_type type, const uint8_t *from,
                           const uint8_t *end, uint8_t *to);

/* The month, from 1, that a text begins with, blanks aside; 0: none. */
uint8_t gs_collation_month(const gs_collation *c, const uint8_t *from,
                           const uint8_t *end);

#endif
