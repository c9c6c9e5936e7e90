/* SPDX-License-Identifier: MIT */
/*
 * index_compact: all segments of an index to one, of which nothing is deleted.
 *
 * What comes out takes the place of the whole folder, as a merge that replaces its input
 * does: it is the same bytes as one build of what is left, in that order.
 *
 * And merges of some of its segments, as the policy says (merge_policy.h). What is merged
 * becomes a new segment, and the manifest then names that instead.
 */
#ifndef GS_LIB_INDEX_GROW_INDEX_COMPACT_H
#define GS_LIB_INDEX_GROW_INDEX_COMPACT_H

#include "lib/index/grow/index_growth.h"
#include "lib/index/merge/merges.h"

/* Of a merge: folder, memory, threads and who watches. The rest is not for the caller. */
GS_MUST_CHECK gs_code gs_index_compact(const gs_index_merge_options *options,
                                       gs_status *st);

/* Until the policy picks nothing more. For append and delete, which are done by then: if
 * it fails that is a warning, and the index is what it was before the merge. */
GS_MUST_CHECK gs_code gs_growth_merge(gs_growth *g, const gs_index_merge_options *options,
                                      gs_status *st);

#endif
