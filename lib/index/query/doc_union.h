/* SPDX-License-Identifier: MIT */
/*
 * doc_union: the documents of several posting lists, each once, in their order.
 *
 * In windows of 4096 documents: every list sets its bits, then the bits are walked. That
 * costs about as much as reading the lists, however many there are. One thread.
 */
#ifndef GS_LIB_INDEX_QUERY_DOC_UNION_H
#define GS_LIB_INDEX_QUERY_DOC_UNION_H

#include "lib/index/read/readers.h"

enum { GS_UNION_DOCS = 4096 };

typedef struct gs_doc_union {
    gs_posting_list *readers; /* borrowed */
    size_t count;
    uint64_t base; /* of the window */
    unsigned at;   /* bits before it are done */
    uint64_t bits[GS_UNION_DOCS / 64];
} gs_doc_union;

/* The readers are at no document yet. */
GS_MUST_CHECK gs_code gs_doc_union_start(gs_doc_union *u, gs_posting_list *readers,
                                         size_t count, gs_status *st);
/* The next document, or GS_NO_DOC. */
GS_MUST_CHECK gs_code gs_doc_union_next(gs_doc_union *u, uint64_t *doc, gs_status *st);
/* Instead of next: how many there are, by the bits of each window. */
GS_MUST_CHECK gs_code gs_doc_union_count(gs_doc_union *u, uint64_t *count, gs_status *st);

#endif
