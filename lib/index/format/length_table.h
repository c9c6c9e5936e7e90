/* SPDX-License-Identifier: MIT */
/*
 * length_table: the lengths of documents while their postings are written, a byte each.
 *
 * They are wanted for every posting, so they stay in memory, and memory is bounded: the
 * table has 16 Mi places. When they are taken, two neighbours share one, with the shorter
 * length, and so on; a bound that is made of it stays a bound. What a document's place
 * says depends on the lengths alone.
 *
 * Filled by one thread; then any number may look.
 */
#ifndef GS_LIB_INDEX_FORMAT_LENGTH_TABLE_H
#define GS_LIB_INDEX_FORMAT_LENGTH_TABLE_H

#include "lib/base/status.h"
#include "lib/index/format/impact.h"

enum { GS_LENGTH_TABLE_PLACES = 1 << 24 };

typedef struct gs_length_table {
    uint8_t *codes; /* NULL: none yet */
    uint64_t count; /* of documents */
    unsigned shift; /* 2^shift documents share a place */
} gs_length_table;

/* The next document's. */
GS_MUST_CHECK gs_code gs_length_table_add(gs_length_table *t, uint32_t length,
                                          gs_status *st);
void gs_length_table_release(gs_length_table *t); /* a zeroed one is fine */

/* At most the length of the document; 0 if the table does not have it. */
static inline uint8_t gs_length_table_code(const gs_length_table *t, uint64_t doc)
{
    return doc < t->count ? t->codes[doc >> t->shift] : 0;
}

#endif
