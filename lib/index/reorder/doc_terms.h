/* SPDX-License-Identifier: MIT */
/*
 * doc_terms: which terms each document of an index has.
 *
 * Terms of very few documents say little, and there are many of them; those of very many
 * cost most and say least. What of both is left out follows from the memory there is and
 * from the index alone, so that the same index and memory give the same order.
 *
 *      begins   0      3   4        7      of each document, and the end
 *      terms    0 4 9  4   0 1 9           numbers of terms that were kept
 *
 * Call order: make, release.
 */
#ifndef GS_LIB_INDEX_REORDER_DOC_TERMS_H
#define GS_LIB_INDEX_REORDER_DOC_TERMS_H

#include "lib/base/team.h"
#include "lib/index/read/readers.h"

typedef struct gs_doc_terms {
    uint32_t doc_count, term_count;
    uint64_t posting_count;
    uint64_t *begins; /* one more than documents */
    uint32_t *terms;
    size_t begins_bytes, terms_bytes; /* as mapped */
} gs_doc_terms;

/* `memory_bytes` for postings, at 4 bytes each, and `bytes_a_term` of each term; of less
 * than 2^32 documents. */
GS_MUST_CHECK gs_code gs_doc_terms_make(gs_doc_terms *d, const gs_index *index,
                                        gs_team *team, size_t memory_bytes,
                                        size_t bytes_a_term, const volatile int *cancel,
                                        gs_status *st);
void gs_doc_terms_release(gs_doc_terms *d); /* a zeroed one is fine */

#endif
