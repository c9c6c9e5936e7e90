/* SPDX-License-Identifier: MIT */
/*
 * segment_terms: the terms of all segments of an index in one order, and how many
 * documents with each are left.
 *
 *      segment 0    apple, bee        ->   apple (0), bee (0, 1), cat (1)
 *      segment 1    bee, cat
 *
 * A cursor on each segment; the least of their terms is next. Segments are few, so each
 * is looked at. Postings of documents that are deleted still lie in the lists: those are
 * counted by leaping from deleted document to posting and back, which reads no block
 * without any. A term can come of which nothing is left.
 *
 * Call order: new, seek, next until there is none, seek again, free. One thread.
 */
#ifndef GS_LIB_INDEX_SEGMENT_SEGMENT_TERMS_H
#define GS_LIB_INDEX_SEGMENT_SEGMENT_TERMS_H

#include "lib/index/segment/segment_set.h"

enum { GS_TERM_MEMO_BYTES = 39, GS_TERM_MEMO_COUNT = 512 };

/* What was found out of a term before. */
typedef struct gs_term_memo {
    uint64_t df;
    uint8_t bytes; /* 0: of none */
    uint8_t term[GS_TERM_MEMO_BYTES];
} gs_term_memo;

/* For others: has_term, term and bytes, is_here and cursors. */
typedef struct gs_segment_terms {
    const gs_segments *segments;
    gs_term_cursor **cursors; /* of each segment */
    bool *is_here;            /* its cursor stands at the term */
    bool has_term;
    const uint8_t *term; /* of one of the cursors */
    size_t bytes;
    gs_posting_list list; /* of a count */
    gs_term_memo *memo;   /* by hash */
} gs_segment_terms;

/* Borrows the segments until free(). */
GS_MUST_CHECK gs_code gs_segment_terms_new(gs_segment_terms **out,
                                           const gs_segments *segments, gs_status *st);
void gs_segment_terms_free(gs_segment_terms *t); /* NULL is fine */

/* To the first term that is not less. */
GS_MUST_CHECK gs_code gs_segment_terms_seek(gs_segment_terms *t, const void *term,
                                            size_t bytes, gs_status *st);
GS_MUST_CHECK gs_code gs_segment_terms_next(gs_segment_terms *t, gs_status *st);
/* Whether it stands at this very term. */
bool gs_segment_terms_is_at(const gs_segment_terms *t, const void *term, size_t bytes);

/* Of the term it stands at: documents that are left, and how often it comes in them. */
GS_MUST_CHECK gs_code gs_segment_terms_count(gs_segment_terms *t, uint64_t *df,
                                             uint64_t *cf, gs_status *st);
/* Documents with a term that are left, wherever it stands; it may stand elsewhere then.
 * What was asked lately is remembered. */
GS_MUST_CHECK gs_code gs_segment_terms_df(gs_segment_terms *t, const void *term,
                                          size_t bytes, uint64_t *df, gs_status *st);

/* All terms of which something is left, and their postings. */
typedef struct gs_segments_counts {
    uint64_t terms, postings, tokens;
} gs_segments_counts;
GS_MUST_CHECK gs_code gs_segments_count(const gs_segments *s, gs_segments_counts *out,
                                        gs_status *st);

#endif
