/* SPDX-License-Identifier: MIT */
/*
 * csv_value: the values of the fields of a CSV record, and the parts of them that are
 * keys.
 *
 * A value is a field without the quotes around it, and with one quote where two are
 * written. What a key takes of one field is pointed to where it is, if nothing in it is
 * written twice; of several fields it is made elsewhere: their values, with the separator
 * between them. The CR of a line end belongs to no field; fields that a record does not
 * have are empty.
 *
 * Records are whole, and not broken (gs_csv_iter saw them).
 */
#ifndef GS_LIB_SORT_KEY_CSV_VALUE_H
#define GS_LIB_SORT_KEY_CSV_VALUE_H

#include "lib/sort/key/order.h"
#include "lib/sort/record/records.h"

typedef struct gs_csv_walk {
    const uint8_t *record;
    size_t bytes;
    uint8_t separator;
    size_t field, begin; /* this one begins there; at `bytes` if there are fewer */
    size_t at;           /* of the 64 bytes whose separators are in the mask */
    uint64_t ahead;      /* separators that are not passed */
    uint64_t inside;     /* those 64 bytes end between quotes: all ones */
} gs_csv_walk;

typedef struct gs_csv_value {
    const uint8_t *from, *end;
} gs_csv_value;

/* GS_CSV_SLACK bytes behind the record may be read. */
gs_csv_walk gs_csv_walk_begin(const uint8_t *record, size_t bytes, uint8_t separator);

/* The value of a field. `room` takes one that has to be made; it has as many bytes as the
 * record. Fields are found sooner from left to right. */
gs_csv_value gs_csv_walk_value(gs_csv_walk *w, size_t field, uint8_t *room);

/* Has the record this field? */
bool gs_csv_walk_has(gs_csv_walk *w, size_t field);

/* What a key takes. Characters are counted in the value of the field that they are of,
 * and end with it. */
gs_csv_value gs_csv_walk_key(gs_csv_walk *w, const gs_key *key, uint8_t *room);

#endif
