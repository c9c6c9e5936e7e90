/* SPDX-License-Identifier: MIT */
/*
 * number_text: numbers as text and as bytes, to keys that compare as the numbers do, and
 * back.
 *
 * A key is an unsigned number: equal numbers have one key, and a smaller number has a
 * smaller one. That is what engines sort. Doubles are what strtod makes of the text, to
 * the last bit; a NaN is no number, and text that overflows is none either.
 */
#ifndef GS_LIB_STREAM_NUMBER_TEXT_H
#define GS_LIB_STREAM_NUMBER_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum gs_number_type {
    GS_NUMBER_F64, /* what text is read as, unless another type is named */
    GS_NUMBER_I64,
    GS_NUMBER_U64,
    GS_NUMBER_U32,
    GS_NUMBER_TYPE_COUNT,
} gs_number_type;

enum {
    GS_NUMBER_TEXT_BYTES = 32, /* of any number as text, with its zero */
    GS_NUMBER_SLACK = 16,      /* may be read beyond a text */
};

const char *gs_number_type_name(gs_number_type type);

/* Of a binary little-endian one. */
static inline size_t gs_number_type_bytes(gs_number_type type)
{
    return type == GS_NUMBER_U32 ? 4 : 8;
}

/* Blanks around it do not count. False: it is no number of that type. */
bool gs_number_parse_text(gs_number_type type, const uint8_t *text, size_t bytes,
                          uint64_t *key);

/* Little-endian numbers to keys; false at the first that is a NaN, which *bad names. */
bool gs_number_parse_binary(gs_number_type type, const uint8_t *data, size_t count,
                            uint64_t *keys, size_t *bad);

/* The shortest decimal that reads back as the same number. Returns its length. */
size_t gs_number_print(gs_number_type type, uint64_t key,
                       char text[GS_NUMBER_TEXT_BYTES]);

double gs_number_as_double(gs_number_type type, uint64_t key);
uint64_t gs_number_of_double(double value);
/* The key of the largest number that is not above `value`, no NaN; false: all are
 * above it. */
bool gs_number_up_to(gs_number_type type, double value, uint64_t *key);

#endif
