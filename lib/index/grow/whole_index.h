/* SPDX-License-Identifier: MIT */
/*
 * whole_index: an index that has grown, for who can read only one segment.
 *
 * What was built and has not grown is given as it is. Otherwise its segments are merged
 * first, and the result is lent while it is needed. It lies beside a name of the caller's
 * then, as NAME.whole.tmp-XXXXXX, and is removed whatever happens
 * (lib/index/folder/index_leftover.h).
 */
#ifndef GS_LIB_INDEX_GROW_WHOLE_INDEX_H
#define GS_LIB_INDEX_GROW_WHOLE_INDEX_H

#include "lib/index/merge/merges.h"

/* Of a merge: memory, threads and who watches; folder is the name. Calls `fn` once, with
 * the folder of an index of one segment. */
GS_MUST_CHECK gs_code gs_whole_index(const gs_index_merge_options *options,
                                     const char *index, gs_index_lent_fn *fn,
                                     void *context, gs_status *st);

#endif
