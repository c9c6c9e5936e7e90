/* SPDX-License-Identifier: MIT */
/*
 * top_docs: the k best documents so far.
 *
 * The better has the higher score or, of equal ones, the lower docID. Documents may come
 * in any order, but for those of segments, which come one segment after the other. Memory
 * grows with what is kept, not with k.
 *
 * A few are a heap: the worst of them is known at any time, and it is what others have to
 * be better than. Many are kept as they come, with some too many, and cut to the k best
 * when there are half as many again: a heap would move each of them ten times.
 */
#ifndef GS_LIB_INDEX_QUERY_TOP_DOCS_H
#define GS_LIB_INDEX_QUERY_TOP_DOCS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "lib/index/segment/segments.h"

typedef struct gs_scored_doc {
    double score;
    uint64_t doc;
} gs_scored_doc;

typedef struct gs_top_docs {
    size_t limit;        /* k, at least 1 */
    gs_scored_doc *docs; /* until sorted, a heap, the worst first, or in no order */
    size_t count, capacity;
    bool is_heap;
    gs_scored_doc
        worst;     /* where there is no room: of the k best when that was looked at */
    bool has_room; /* for more, whatever they are */
    /* What is added is of this segment: deleted documents are left out, and the others
     * have their numbers in the whole. NULL: numbers are what they are. */
    const gs_segment *segment;
} gs_top_docs;

void gs_top_docs_release(gs_top_docs *top); /* a zeroed one is fine */
void gs_top_docs_clear(gs_top_docs *top, size_t limit);
GS_MUST_CHECK gs_code gs_top_docs_add(gs_top_docs *top, uint64_t doc, double score,
                                      gs_status *st);
/* The best first; nothing is added afterwards. */
void gs_top_docs_sort(gs_top_docs *top);

/* The score that a document behind all others has to exceed; below 0 while there is
 * room. */
static inline double gs_top_docs_threshold(const gs_top_docs *top)
{
    return top->has_room ? -1.0 : top->worst.score;
}

#endif
