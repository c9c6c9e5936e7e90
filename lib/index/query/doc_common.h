/* SPDX-License-Identifier: MIT */
/*
 * doc_common: the documents that all of several posting lists have, in their order.
 *
 * A block of the shortest list at a time: its documents are looked for in the other
 * lists, one after the other, and those that a list lacks are dropped. One thread.
 */
#ifndef GS_LIB_INDEX_QUERY_DOC_COMMON_H
#define GS_LIB_INDEX_QUERY_DOC_COMMON_H

#include "lib/index/query/search_plan.h"

typedef struct gs_doc_common {
    gs_search_plan *plan; /* borrowed: the lists are those of its slots */
    bool has_ended;       /* a list has: what is here is all there is */
    size_t count, at;     /* documents that all lists have, and those that are done */
    uint64_t docs[GS_INDEX_BLOCK];
} gs_doc_common;

/* The lists of all slots of a plan, at least one. */
GS_MUST_CHECK gs_code gs_doc_common_start(gs_doc_common *c, gs_search_plan *plan,
                                          gs_status *st);
/* The next document, or GS_NO_DOC. */
GS_MUST_CHECK gs_code gs_doc_common_next(gs_doc_common *c, uint64_t *doc, gs_status *st);
/* Instead of next: how many there are. */
GS_MUST_CHECK gs_code gs_doc_common_count(gs_doc_common *c, uint64_t *count,
                                          gs_status *st);

#endif
