/* SPDX-License-Identifier: MIT */
/*
 * join_fields: a line cut into fields, as join(1) cuts it.
 *
 *      blanks      "  a  bb "   ->  a | bb |          blanks in front are none, behind
 * one delimiter   ",a,,bb"     ->   | a |  | bb      every one ends a field
 *      '\n'        "a  bb"      ->  a  bb             the line is its only field
 *      CSV         a,"b,""c"    ->  a | "b,""c"       as they are written
 *     tuples       12345678     ->  1234 | 5678       as the order's byte_keys say
 *
 * An empty line has no fields; the CR of a CSV line's end belongs to none. One thread.
 */
#ifndef GS_LIB_JOIN_JOIN_FIELDS_H
#define GS_LIB_JOIN_JOIN_FIELDS_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "lib/sort/key/keys.h"

typedef struct gs_join_field {
    const uint8_t *data;
    size_t bytes;
} gs_join_field;

/* Zeroed at first; released at the end. */
typedef struct gs_join_fields {
    gs_join_field *at; /* point into the line */
    size_t count, capacity;
} gs_join_fields;

/* Of the order form and delimiter are looked at, as in join_options.h, or of tuples size
 * and byte_keys. */
GS_MUST_CHECK gs_code gs_join_fields_cut(gs_join_fields *fields, const gs_order *order,
                                         const uint8_t *line, size_t bytes,
                                         gs_status *st);
/* One of them; of no bytes if the line has it not. Not of tuples. */
gs_join_field gs_join_field_find(const gs_order *order, const uint8_t *line, size_t bytes,
                                 size_t field);
void gs_join_fields_release(gs_join_fields *fields);

#endif
