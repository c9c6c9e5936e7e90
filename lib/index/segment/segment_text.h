/* SPDX-License-Identifier: MIT */
/*
 * segment_text: what all segments of an index hold, as lines of text: the same lines as
 * those of one index of what is left (lib/index/read/index_text.h).
 */
#ifndef GS_LIB_INDEX_SEGMENT_SEGMENT_TEXT_H
#define GS_LIB_INDEX_SEGMENT_SEGMENT_TEXT_H

#include "lib/index/segment/segment_terms.h"

/* gs_index_dump */
GS_MUST_CHECK gs_code gs_segments_dump(const gs_segments *s, bool positions,
                                       gs_text_out *out, const volatile int *cancel,
                                       gs_status *st);

/* gs_index_lookup_sought: the line of one term, to which `terms` was sent. */
GS_MUST_CHECK gs_code gs_segments_lookup_sought(gs_segment_terms *terms, const void *term,
                                                size_t bytes, gs_lookup_shape shape,
                                                gs_text_out *out, gs_status *st);
/* gs_index_lookup_here: of the term that it stands at; no line if nothing is left of it.
 */
GS_MUST_CHECK gs_code gs_segments_lookup_here(gs_segment_terms *terms,
                                              gs_lookup_shape shape, gs_text_out *out,
                                              gs_status *st);

/* The postings of a term that `terms` stands at, of documents that are left, in their
 * order: begin, then next until *doc is GS_NO_DOC. */
typedef struct gs_segment_postings {
    const gs_segment_terms *terms;
    size_t segment;       /* that is gone through */
    bool is_open;         /* its list is */
    gs_posting_list list; /* its postings; the one that next gave is list.docs[at] */
    size_t at;
} gs_segment_postings;

void gs_segment_postings_begin(gs_segment_postings *p, const gs_segment_terms *terms);
GS_MUST_CHECK gs_code gs_segment_postings_next(gs_segment_postings *p, uint64_t *doc,
                                               uint64_t *tf, gs_status *st);
void gs_segment_postings_release(gs_segment_postings *p); /* a zeroed one is fine */

#endif
