/* SPDX-License-Identifier: MIT */
/*
 * segment_set: an index as its readers see it: one or several segments, and what of their
 * documents is left.
 *
 *      segment 0           0  1  2  3            documents of the segment
 *                          0  x  1  2            of the index: 1 is deleted
 *      segment 1                       0  1  2
 *                                      3  4  x
 *
 * An index that was built and has not grown is a set of one. What is open stays as it is,
 * whatever is appended or deleted meanwhile. It is read-only and may be used by any
 * number of threads.
 */
#ifndef GS_LIB_INDEX_SEGMENT_SEGMENT_SET_H
#define GS_LIB_INDEX_SEGMENT_SEGMENT_SET_H

#include "lib/index/read/readers.h"

typedef struct gs_segment {
    gs_index *index;
    gs_tombstones deleted;
    uint64_t base;      /* the number of its first document in the whole */
    uint64_t documents; /* that are left */
} gs_segment;

typedef struct gs_segments {
    char *folder;
    gs_segment *items;
    size_t count;                   /* at least 1 */
    bool is_plain;                  /* it is one, and nothing is deleted */
    uint64_t documents, length_sum; /* of what is left */
} gs_segments;

/* As gs_index_open. While it is opened it may be changed: then it is what it was before
 * or what it is after. */
GS_MUST_CHECK gs_code gs_segments_open(gs_segments **out, const char *folder,
                                       gs_status *st);
void gs_segments_close(gs_segments *s); /* NULL is fine */

/* What all segments have in common: rules, and whether there are names, positions and
 * texts. Counts are those of the first. */
const gs_index_header *gs_segments_header(const gs_segments *s);

/* gs_index_doc_id: what a document of the whole is called outside. */
static inline uint64_t gs_segments_doc_id(const gs_segments *s, uint64_t doc)
{
    return gs_index_doc_id(s->items[0].index, doc);
}

/* The same of each index. */
GS_MUST_CHECK gs_code gs_segments_check_unchanged(const gs_segments *s, gs_status *st);
GS_MUST_CHECK gs_code gs_segments_check_sums(const gs_segments *s, gs_status *st);

/* The segment that a document of the whole is in, and its number there. There are more
 * documents than that. */
const gs_segment *gs_segments_find(const gs_segments *s, uint64_t doc, uint64_t *there);
/* The number in the whole of a document of the segment that is not deleted. */
static inline uint64_t gs_segment_number(const gs_segment *s, uint64_t there)
{
    return s->base + there - gs_tombstones_before(&s->deleted, there);
}
/* gs_index_document_name, of a document of the whole. */
GS_MUST_CHECK gs_code gs_segments_name(const gs_segments *s, uint64_t doc,
                                       gs_document_name *name, gs_status *st);
/* gs_index_document_name_soon, of one. */
void gs_segments_name_soon(const gs_segments *s, uint64_t doc);
/* gs_index_find_names in what is left. */
GS_MUST_CHECK gs_code gs_segments_find_names(const gs_segments *s,
                                             const gs_text_span *names, size_t count,
                                             uint64_t *docs, gs_status *st);

#endif
