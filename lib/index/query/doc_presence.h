/* SPDX-License-Identifier: MIT */
/*
 * doc_presence: which documents of an index there are.
 *
 * An index of documents has every number below their count. One of tuples has the numbers
 * that come in postings, which may lie far apart: 3 and 2^39. Those are found by reading
 * every list once, when somebody first asks, and kept in chunks of 65536 numbers: few as
 * they are, two bytes each, many as a bit each. So both time and memory follow the
 * postings, not the range of the numbers.
 *
 * Call order: new, next, free. Any number of threads may ask.
 */
#ifndef GS_LIB_INDEX_QUERY_DOC_PRESENCE_H
#define GS_LIB_INDEX_QUERY_DOC_PRESENCE_H

#include "lib/index/read/readers.h"

typedef struct gs_doc_presence gs_doc_presence;

/* Borrows the index. */
GS_MUST_CHECK gs_code gs_doc_presence_new(gs_doc_presence **out, const gs_index *index,
                                          gs_status *st);
void gs_doc_presence_free(gs_doc_presence *p); /* NULL is fine */

/* The first document that is not less than `doc`, or GS_NO_DOC. */
GS_MUST_CHECK gs_code gs_doc_presence_next(gs_doc_presence *p, uint64_t doc,
                                           uint64_t *out, gs_status *st);

#endif
