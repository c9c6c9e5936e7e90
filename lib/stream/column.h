/* SPDX-License-Identifier: MIT */
/*
 * column: which part of a record is the value.
 *
 * The whole record, or a field: between separators, between runs of blanks, or of CSV
 * (RFC 4180), where a field may stand in quotes, with separators, ends of lines and
 * doubled quotes in it. Any number of threads.
 */
#ifndef GS_LIB_STREAM_COLUMN_H
#define GS_LIB_STREAM_COLUMN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

typedef struct gs_column {
    const char *name; /* in the header; NULL: the field counts */
    size_t field;     /* from 1; 0: the whole record */
} gs_column;

typedef struct gs_column_format {
    bool has_separator; /* else fields stand between runs of blanks */
    uint8_t separator;
    bool is_csv;
} gs_column_format;

typedef struct gs_slice {
    const uint8_t *data;
    size_t bytes;
} gs_slice;

enum { GS_COLUMN_SLACK = 16 }; /* may be read beyond a field that is found */

/* For fields with doubled quotes in them, which lie nowhere as they are meant. */
typedef struct gs_column_room {
    uint8_t *data;
    size_t capacity;
} gs_column_room;

/* Finds a field, from 1, or the whole record with 0. *found is false if there are fewer.
 * What it gives is good until the next call with this room. */
GS_MUST_CHECK gs_code gs_column_find(const gs_column_format *format, size_t field,
                                     const uint8_t *record, size_t bytes,
                                     gs_column_room *room, gs_slice *out, bool *found,
                                     gs_status *st);

/* The field at *at, which begins with the record and moves to the next field, or to NULL;
 * *found is false behind the last. What it gives is good until the next call. */
GS_MUST_CHECK gs_code gs_column_next(const gs_column_format *format, const uint8_t **at,
                                     const uint8_t *end, gs_column_room *room,
                                     gs_slice *out, bool *found, gs_status *st);

#endif
