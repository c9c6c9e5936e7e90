/* SPDX-License-Identifier: MIT */
#include "lib/join/join_tuple.h"

#include <endian.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/assertion.h"

enum { BITS = 64, BYTE_BITS = 8 };

/* The bytes as a number, with the sign of a signed one in all that are not there. */
static uint64_t bits_of(const gs_byte_key *field, const uint8_t *data)
{
    const size_t n = field->length;
    uint64_t bits = 0;
    gs_assert(n <= sizeof bits && field->type != GS_FIELD_BYTES);
    for (size_t i = 0; i < n; i++)
        bits = bits << BYTE_BITS | data[field->is_little_endian ? n - 1 - i : i];
    const unsigned over = BITS - BYTE_BITS * (unsigned)n;
    return field->type == GS_FIELD_SIGNED ? (uint64_t)((int64_t)(bits << over) >> over)
                                          : bits;
}

static double double_of(const gs_byte_key *field, uint64_t bits)
{
    double value;
    float narrow;
    const uint32_t low = (uint32_t)bits;
    memcpy(&value, &bits, sizeof value);
    memcpy(&narrow, &low, sizeof narrow);
    return field->length == sizeof narrow ? (double)narrow : value;
}

size_t gs_join_tuple_key(const gs_byte_key *field, const uint8_t *data, uint8_t *to)
{
    const uint64_t sign = (uint64_t)1 << (BITS - 1);
    uint64_t bits = bits_of(field, data);
    if (field->type != GS_FIELD_FLOAT) {
        const bool is_negative = field->type == GS_FIELD_SIGNED && (bits & sign) != 0;
        const uint64_t big = htobe64(bits);
        *to = !is_negative;
        memcpy(to + 1, &big, sizeof big);
        return 1 + sizeof big;
    }
    double value = double_of(field, bits);
    value = isnan(value) ? (double)NAN : value == 0 ? 0 : value;
    memcpy(&bits, &value, sizeof bits);
    const uint64_t big = htobe64((bits & sign) != 0 ? ~bits : bits | sign);
    memcpy(to, &big, sizeof big);
    return sizeof big;
}

/* --- text ----------------------------------------------------------------------- */

static size_t print_float(const gs_byte_key *field, double value,
                          char text[GS_TUPLE_TEXT_BYTES])
{
    const bool is_narrow = field->length == sizeof(float);
    const int most = is_narrow ? 9 : 17;
    int n = 0;
    for (int digits = is_narrow ? 6 : 15; digits <= most; digits++) {
        n = snprintf(text, GS_TUPLE_TEXT_BYTES, "%.*g", digits, value);
        const double back = is_narrow ? (double)strtof(text, NULL) : strtod(text, NULL);
        if (back >= value && back <= value)
            break;
    }
    return (size_t)n;
}

size_t gs_join_tuple_print(const gs_byte_key *field, const uint8_t *data,
                           char text[GS_TUPLE_TEXT_BYTES])
{
    const uint64_t bits = bits_of(field, data);
    if (field->type == GS_FIELD_FLOAT)
        return print_float(field, double_of(field, bits), text);
    return (size_t)(field->type == GS_FIELD_SIGNED
                        ? snprintf(text, GS_TUPLE_TEXT_BYTES, "%" PRId64, (int64_t)bits)
                        : snprintf(text, GS_TUPLE_TEXT_BYTES, "%" PRIu64, bits));
}

bool gs_join_tuple_number(const gs_byte_key *field, const uint8_t *data,
                          gs_join_number *out)
{
    const uint64_t bits = bits_of(field, data);
    if (field->type == GS_FIELD_FLOAT) {
        char text[GS_TUPLE_TEXT_BYTES];
        const size_t bytes = print_float(field, double_of(field, bits), text);
        return gs_join_number_parse((const uint8_t *)text, bytes, out);
    }
    *out = gs_join_number_of_whole((int64_t)bits);
    return field->type == GS_FIELD_SIGNED || bits <= INT64_MAX;
}

bool gs_join_tuple_is_like(const gs_byte_key *a, const gs_byte_key *b)
{
    const bool a_is_whole = a->type == GS_FIELD_SIGNED || a->type == GS_FIELD_UNSIGNED;
    const bool b_is_whole = b->type == GS_FIELD_SIGNED || b->type == GS_FIELD_UNSIGNED;
    if (a_is_whole || b_is_whole)
        return a_is_whole && b_is_whole;
    return a->type == b->type && (a->type == GS_FIELD_FLOAT || a->length == b->length);
}
