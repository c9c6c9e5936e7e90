/* SPDX-License-Identifier: MIT */
/*
 * doc_common: the documents that all of several posting lists have, in their order.
 *
 * A block of the shortest list at a time: its documents are looked for in the other
 * lists, one after the other, and those that a list lacks are dropped. One thread.
 *
 * Call order: start, then next*, or count, or (fill, tfs*)*, which give the documents of
 * a block and how often each has the term of a slot.
 */
#ifndef GS_LIB_INDEX_QUERY_DOC_COMMON_H
#define GS_LIB_INDEX_QUERY_DOC_COMMON_H

#include "lib/index/query/search_plan.h"

typedef struct gs_doc_common {
    gs_search_plan *plan; /* borrowed: the lists are those of its slots */
    bool has_ended;       /* a list has: what is here is all there is */
    size_t count, at;     /* documents that all lists have, and those that are done */
    uint64_t docs[GS_INDEX_BLOCK];
    bool wants_tfs;
    uint8_t ids[GS_INDEX_BLOCK]; /* if so: of the rows of frequencies, */
    uint64_t *tfs;               /* which are GS_INDEX_BLOCK of each slot; the plan's */
} gs_doc_common;

/* The lists of all slots of a plan, at least one. */
GS_MUST_CHECK gs_code gs_doc_common_start(gs_doc_common *c, gs_search_plan *plan,
                                          gs_status *st);
/* The next document, or GS_NO_DOC. */
GS_MUST_CHECK gs_code gs_doc_common_next(gs_doc_common *c, uint64_t *doc, gs_status *st);
/* Instead of next, of one that wants_tfs, which is set after start: the documents that
 * all lists have, of the next block of the shortest. None may be there, and more of
 * others. */
GS_MUST_CHECK gs_code gs_doc_common_fill(gs_doc_common *c, gs_status *st);
/* Of the documents that are there, in their order. */
void gs_doc_common_tfs(const gs_doc_common *c, size_t slot, uint64_t *tfs);
/* Instead of next: how many there are. */
GS_MUST_CHECK gs_code gs_doc_common_count(gs_doc_common *c, uint64_t *count,
                                          gs_status *st);

#endif
