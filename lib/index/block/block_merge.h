/* SPDX-License-Identifier: MIT */
/*
 * block_merge: the term blocks of all threads as one sequence of terms and postings.
 *
 *      thread 0   apple: 3 9   | pear: 4     |             documents of batches 0, 3, 4
 *      thread 1   apple: 5     |             | plum: 7     documents of batches 1, 2, 5
 *      together   apple: 3 5 9 | pear: 4     | plum: 7
 *
 * The terms are cut into ranges by what they weigh, so that several threads merge
 * ranges of their own. Ranges never share a term.
 */
#ifndef GS_LIB_INDEX_BLOCK_BLOCK_MERGE_H
#define GS_LIB_INDEX_BLOCK_BLOCK_MERGE_H

#include "lib/base/team.h"
#include "lib/index/format/formats.h"
#include "lib/index/block/term_block.h"

/* For each range and block the first of its terms: range r of block b goes from
 * starts[r * block_count + b] to starts[(r + 1) * block_count + b]. */
typedef struct gs_block_ranges {
    size_t block_count, range_count;
    size_t *starts;
} gs_block_ranges;

/* Cuts into about `wanted` ranges, at least 1, that take about as long: terms and
 * postings count, however many blocks have the same terms. The team weighs them. `out` is
 * zeroed by the caller. */
GS_MUST_CHECK gs_code gs_block_ranges_cut(gs_block_ranges *out,
                                          const gs_term_block *blocks, size_t block_count,
                                          size_t wanted, gs_team *team, gs_status *st);
void gs_block_ranges_release(gs_block_ranges *ranges);

/* One thread's state. */
typedef struct gs_block_merger gs_block_merger;
GS_MUST_CHECK gs_code gs_block_merger_new(gs_block_merger **out,
                                          const gs_term_block *blocks, size_t block_count,
                                          gs_status *st);
void gs_block_merger_free(gs_block_merger *m); /* NULL is fine */

/* Gathers all of a range, up to gs_posting_gather_end. */
GS_MUST_CHECK gs_code gs_block_merger_run(gs_block_merger *m,
                                          const gs_block_ranges *ranges, size_t range,
                                          gs_posting_gather *gather, gs_status *st);

#endif
