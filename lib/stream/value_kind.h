/* SPDX-License-Identifier: MIT */
/*
 * value_kind: what a text looks like: nothing, a number, a date, or just text.
 */
#ifndef GS_LIB_STREAM_VALUE_KIND_H
#define GS_LIB_STREAM_VALUE_KIND_H

#include <stddef.h>
#include <stdint.h>

typedef enum gs_value_kind {
    GS_KIND_EMPTY,   /* or blanks alone */
    GS_KIND_INTEGER, /* digits, with a sign perhaps */
    GS_KIND_DECIMAL, /* any other number: a point, an exponent, inf */
    GS_KIND_DATE,    /* 2024-02-29, with a time perhaps: 2024-02-29T23:59 */
    GS_KIND_TEXT,
    GS_KIND_COUNT,
} gs_value_kind;

/* *key is that of a number, as of GS_NUMBER_F64. Up to 16 bytes beyond may be read. */
gs_value_kind gs_value_kind_of(const uint8_t *text, size_t bytes, uint64_t *key);

#endif
