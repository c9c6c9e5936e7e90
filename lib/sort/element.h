/* SPDX-License-Identifier: MIT */
/*
 * element: what is moved while sorting, one a record.
 *
 *      63                                   0   63                24 23         0
 *     +---------------------------------------+---------------------+------------+
 *     | prefix: 8 bytes of the record's       | where: offset into  | length, or |
 *     | string at the current depth,          | the arena           | 0xFFFFFF   |
 *     | big-endian, zero-padded               |                     |            |
 *     +---------------------------------------+---------------------+------------+
 *
 * Comparing two prefixes as integers compares those 8 bytes. In a backwards order the
 * prefix is complemented. Elements start in input order and every step of the sort is
 * stable, so equal records stay in input order.
 */
#ifndef GS_LIB_SORT_ELEMENT_H
#define GS_LIB_SORT_ELEMENT_H

#include <stddef.h>
#include <stdint.h>

typedef struct gs_element {
    uint64_t prefix;
    uint64_t where;
} gs_element;

_Static_assert(sizeof(gs_element) == 16, "two elements a 32-byte vector");

/* Sorts by prefix, stably. `scratch` has room for element_count and is overwritten;
 * the result is in `elements`. No allocation; one thread. */
void gs_element_sort(gs_element *elements, gs_element *scratch, size_t element_count);

#endif
