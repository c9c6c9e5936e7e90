/* SPDX-License-Identifier: MIT */
/*
 * list_reorder: the posting list of a term, with documents at other places.
 *
 *      documents   2 5 9        places   7 0 3       written   0 (5) 3 (9) 7 (2)
 *
 * A list that memory has no room for is read several times, for so many places at a time.
 * Call order: new, (term)*, free. One thread.
 */
#ifndef GS_LIB_INDEX_REORDER_LIST_REORDER_H
#define GS_LIB_INDEX_REORDER_LIST_REORDER_H

#include "lib/index/read/readers.h"
#include "lib/index/write/writers.h"

typedef struct gs_list_reorder gs_list_reorder;

typedef struct gs_list_reorder_options {
    const gs_index *index;
    const uint32_t *places; /* of every document */
    uint32_t doc_count;
    size_t memory_bytes; /* at least GS_LIST_REORDER_BYTES_MIN */
    const volatile int *cancel;
} gs_list_reorder_options;

enum { GS_LIST_REORDER_BYTES_MIN = 64 << 10 };

/* Borrows what the options point to until free(). */
GS_MUST_CHECK gs_code gs_list_reorder_new(gs_list_reorder **out,
                                          const gs_list_reorder_options *options,
                                          gs_status *st);
void gs_list_reorder_free(gs_list_reorder *l); /* NULL is fine */

/* The term that the cursor is at, with all its postings, comes to the part. Terms ascend,
 * or begin anew: pages of the index that lie behind are let go. */
GS_MUST_CHECK gs_code gs_list_reorder_term(gs_list_reorder *l, const gs_term_cursor *term,
                                           gs_index_part *part, gs_status *st);

#endif
