/* SPDX-License-Identifier: MIT */
/*
 * mapped_merge: merge sorted files on all cores, where they are: in the page cache, into
 * which they are read ahead of the merge if they are not there.
 *
 *      cut           | piece 0 | piece 1 | piece 2 | ...     lib/sort/text/text_cut.h
 *      worker 0      merges piece 0         merges piece 2
 *      worker 1         merges piece 1         merges piece 3
 *      output        piece 0, once all of it was seen to be sorted, then piece 1, ...
 *
 * What files give that are not sorted is what the merge of one line after the other gives
 * (lib/sort/text/text_merge.h): a piece with a line out of place, and all that comes
 * after it, is merged again in that way. Up to there the two are the same.
 */
#ifndef GS_LIB_SORT_TEXT_MAPPED_MERGE_H
#define GS_LIB_SORT_TEXT_MAPPED_MERGE_H

#include "io/output.h"
#include "lib/sort/text/file_merge.h"
#include "lib/sort/text/ordered_copy.h"
#include "lib/sort/text/text_cursor.h"
#include "lib/sort/run/runs.h"

/* Of a piece, which so stays in the second-level cache on its way out. Builds that are
 * for testing cut much finer. */
#ifndef GS_MERGE_PIECE_MAX
#define GS_MERGE_PIECE_MAX ((size_t)1 << 20)
#endif

typedef struct gs_mapped_merge gs_mapped_merge;

/* *out is NULL if these inputs, or what is to become of them, are not for this way.
 * Borrows the merge until free(). `output` is where the lines will go. */
GS_MUST_CHECK gs_code gs_mapped_merge_new(gs_mapped_merge **out, gs_file_merge *merge,
                                          const gs_output *output, gs_status *st);
/* The same of runs, which are in order: `texts`, copied, each with an end-of-line byte
 * behind its last line. Their records have been told to the witness of the sink; the
 * statistics hear only how many bytes are merged. */
GS_MUST_CHECK gs_code gs_mapped_merge_new_runs(gs_mapped_merge **out,
                                               gs_file_merge *merge, const gs_text *texts,
                                               size_t text_count, gs_status *st);
void gs_mapped_merge_free(gs_mapped_merge *m); /* NULL is fine */

/* What the output has already, all of it; NULL: nothing, and it is to be merged. */
const gs_ordered_copy *gs_mapped_merge_copied(const gs_mapped_merge *m);

/* By which the output is to be made. */
const gs_memory_plan *gs_mapped_merge_plan(const gs_mapped_merge *m);

/* Of all that is mapped. */
uint64_t gs_mapped_merge_bytes(const gs_mapped_merge *m);
/* Is there room in the page cache for as much once more, at the price of a copy? */
bool gs_mapped_merge_fills_cache(const gs_mapped_merge *m);

/* Merges all, as pieces from number `ticket` on. Once. */
GS_MUST_CHECK gs_code gs_mapped_merge_run(gs_mapped_merge *m, gs_sink *sink,
                                          uint64_t ticket, gs_status *st);
/* It failed since what was guessed to be in order is not: merge->has_guessed_wrong is to
 * be set, and it is to be made anew. */
bool gs_mapped_merge_was_wrong(const gs_mapped_merge *m);
/* Then, the number of the piece that comes next. */
uint64_t gs_mapped_merge_next_ticket(const gs_mapped_merge *m);

#endif
