/* SPDX-License-Identifier: MIT */
/*
 * merge_range: merges of some of the terms, and their results joined.
 *
 *      a  b  c      --from-term='' --to-term=m  ->  p: all documents, terms before m
 *                   --from-term=m --to-term=''  ->  q: all documents, terms from m on
 *      p  q         --join-terms                ->  what one merge of a, b, c gives
 *
 * Each machine so merges a range, and has an index of its own: of all documents, with all
 * of their lengths, names and texts, so that it answers and scores for its terms as the
 * whole does. What is joined has the same documents, and no term twice. How the threads
 * of one merge share its terms is another matter (lib/index/merge/merge_cut.h).
 */
#ifndef GS_LIB_INDEX_MERGE_MERGE_RANGE_H
#define GS_LIB_INDEX_MERGE_MERGE_RANGE_H

#include "lib/index/merge/index_merger.h"
#include "lib/index/merge/term_merge.h"

/* The bounds that the options name. */
GS_MUST_CHECK gs_code gs_merge_range_make(const gs_index_merge_options *options,
                                          gs_term_bound *from, gs_term_bound *to,
                                          gs_status *st);
/* Has index i the documents that index 0 has? */
GS_MUST_CHECK gs_code gs_merge_range_check_documents(gs_index *const *indexes, size_t i,
                                                     gs_status *st);
/* More than one index has the term at which the merge stands. */
gs_code gs_merge_range_fail_twice(const gs_term_merge *terms, gs_status *st);

#endif
