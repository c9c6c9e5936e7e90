/* SPDX-License-Identifier: MIT */
/*
 * key_number: numbers as byte strings whose memcmp order is their numeric order.
 *
 * Decimal (-n), of any length:
 *
 *      zero        80
 *      positive    81+n | n significant bytes, big-endian (n = 0 .. 8) | fraction
 *                  8a   | u64 count of digits | digits, two a byte     | fraction
 *      fraction    two digits a byte, 1 + 10 * d1 + d2, trailing zeros dropped, then 00
 *      negative    the positive's bytes complemented
 *
 * Human (-h): the order of the unit (80 + 0 .. 10, less than 80 for negative ones), then
 * the decimal. General (-g): see lib/encode/general_key.h. All are prefix-free.
 */
#ifndef GS_LIB_SORT_KEY_KEY_NUMBER_H
#define GS_LIB_SORT_KEY_KEY_NUMBER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    GS_NUMBER_EXTRA_BYTES =
        32,                    /* an encoding is at most this much longer than its text */
    GS_GENERAL_BYTES_MAX = 40, /* of an encoding */
    GS_GENERAL_SCRATCH_BYTES = 1, /* beyond the text: a terminator */
};

/* Leading blanks are skipped. Text ends at `end`, and eight bytes more may be read. Each
 * returns the length written. */
size_t gs_number_encode_decimal(const uint8_t *text, const uint8_t *end, uint8_t *to);
/* With `fold`, units may be in lower case. */
size_t gs_number_encode_human(const uint8_t *text, const uint8_t *end, bool fold,
                              uint8_t *to);
/* Without strtold, unless that alone can tell. `scratch` has room for the text and
 * GS_GENERAL_SCRATCH_BYTES, and does not overlap. */
size_t gs_number_encode_general(const uint8_t *text, const uint8_t *end, uint8_t *scratch,
                                uint8_t *to);

#endif
