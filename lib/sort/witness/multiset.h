/* SPDX-License-Identifier: MIT */
/*
 * multiset: which records there are, whatever their order, as three numbers.
 *
 * How many records, how many bytes they have, and the sum, modulo 2^64, of their hashes
 * (lib/sort/witness/record_hash.h). The same records give the same numbers in any order,
 * and what was read can be compared with what was written. A record that is lost, doubled
 * or changed in any byte is noticed but for one in 2^32; so are pieces of records that
 * have changed places. What is not told apart is the order, and where equal records came
 * from.
 *
 * Records count without their end-of-line byte. One thread a multiset; parts made by
 * several threads are joined.
 */
#ifndef GS_LIB_SORT_WITNESS_MULTISET_H
#define GS_LIB_SORT_WITNESS_MULTISET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct gs_multiset {
    uint64_t records, bytes, sum;
} gs_multiset;

/* How records are told apart in a text. */
typedef struct gs_record_form {
    size_t record_size; /* > 0: of each record, without an end-of-line byte */
    uint8_t eol;
    bool is_csv; /* a record ends with an eol that is not between quotes */
    uint8_t separator;
} gs_record_form;

enum { GS_MULTISET_SLACK = 64 }; /* bytes beyond what is added that can be read */

/* All records of a text. The last line may lack its eol. */
void gs_multiset_add_text(gs_multiset *m, const gs_record_form *form, const uint8_t *text,
                          size_t bytes);

/* One record, `times` times. */
void gs_multiset_add(gs_multiset *m, const uint8_t *record, size_t bytes, uint64_t times);

void gs_multiset_join(gs_multiset *to, const gs_multiset *from);

static inline bool gs_multiset_is_equal(const gs_multiset *a, const gs_multiset *b)
{
    return a->records == b->records && a->bytes == b->bytes && a->sum == b->sum;
}

#endif
