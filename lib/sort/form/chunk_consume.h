/* SPDX-License-Identifier: MIT */
/*
 * chunk_consume: a chunk that is not written but looked at: its records, sorted, go to a
 * consumer, as those of merged runs do (run/range_merge.h).
 *
 * First all buckets are put in order, by all threads; then some of them, one after the
 * other, make a portion. Where portions are to be short, each bucket is cut into as many
 * slices, and a slice makes one. What belongs together with the last record of a portion
 * comes with it, from what is behind, whose own portions leave it out.
 *
 * Call order: order, consume as often as you like, release. The chunk is borrowed until
 * then, and its elements are used up.
 */
#ifndef GS_LIB_SORT_FORM_CHUNK_CONSUME_H
#define GS_LIB_SORT_FORM_CHUNK_CONSUME_H

#include "lib/base/team.h"
#include "lib/sort/form/chunk.h"
#include "lib/sort/run/runs.h"

/* A chunk whose buckets are all in order. */
typedef struct gs_ordered_chunk {
    const gs_chunk *chunk;
    gs_bucket_split split;
    gs_bucket_list list;
    bool is_ordered;
} gs_ordered_chunk;

/* `ordered` is zeroed; release it also after a failure. */
GS_MUST_CHECK gs_code gs_chunk_order(gs_ordered_chunk *ordered, const gs_chunk *chunk,
                                     gs_team *team, const volatile int *cancel,
                                     gs_status *st);
GS_MUST_CHECK gs_code gs_chunk_consume(const gs_ordered_chunk *ordered, gs_team *team,
                                       const gs_range_consumer *consumer,
                                       const volatile int *cancel, gs_status *st);
void gs_ordered_chunk_release(gs_ordered_chunk *ordered);

#endif
