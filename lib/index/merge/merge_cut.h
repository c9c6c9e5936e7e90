/* SPDX-License-Identifier: MIT */
/*
 * merge_cut: where to cut the terms of several indexes, so that the ranges are about
 * equally much work.
 *
 * Of every index some blocks of the dictionary are looked at, evenly spread; each weighs
 * as many bytes of postings and positions as lie up to the next one. Sorted by their
 * first terms they say how much lies before any of these terms.
 */
#ifndef GS_LIB_INDEX_MERGE_MERGE_CUT_H
#define GS_LIB_INDEX_MERGE_MERGE_CUT_H

#include "lib/index/merge/term_merge.h"

/* At most range_max - 1 bounds, ascending strictly, behind `from` and before `to`. */
GS_MUST_CHECK gs_code gs_merge_cut(gs_index *const *indexes, size_t index_count,
                                   const gs_term_bound *from, const gs_term_bound *to,
                                   unsigned range_max, gs_term_bound *bounds,
                                   unsigned *bound_count, gs_status *st);

#endif
