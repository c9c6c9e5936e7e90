/* SPDX-License-Identifier: MIT */
/*
 * element: what is moved while sorting, one a record.
 *
 *      63                  0   63                  0   63                24 23         0
 *     +----------------------+-----------------------+---------------------+------------+
 *     | prefix: 8 bytes of   | next: the 8 bytes     | where: offset into  | length, or |
 *     | the record's string, | after them            | the arena           | 0xFFFFFF   |
 *     | from `depth` on      |                       |                     |            |
 *     +----------------------+-----------------------+---------------------+------------+
 *
 * Both words are big-endian and zero-padded, so comparing them as integers compares those
 * bytes; in a backwards order they are complemented. Most records differ within sixteen
 * bytes, and then the sort never looks at the records themselves, which lie all over the
 * memory. Elements start in input order and every step of the sort is stable, so equal
 * records stay in input order.
 */
#ifndef GS_LIB_SORT_BUCKET_ELEMENT_H
#define GS_LIB_SORT_BUCKET_ELEMENT_H

#include <stddef.h>
#include <stdint.h>

/* Tests of what other machines do define GS_BUCKET_PLAIN. */
#if defined(__x86_64__) && !defined(GS_BUCKET_PLAIN)
#define GS_BUCKET_IS_X86 1
#else
#define GS_BUCKET_IS_X86 0
#endif

typedef struct gs_element {
    uint64_t prefix;
    uint64_t next;
    uint64_t where;
} gs_element;

_Static_assert(sizeof(gs_element) == 24, "three words");

/* Sorts by prefix, stably. `scratch` has room for element_count and is overwritten;
 * the result is in `elements`. No allocation; one thread. */
void gs_element_sort(gs_element *elements, gs_element *scratch, size_t element_count);

#endif
