/* SPDX-License-Identifier: MIT */
/*
 * bucket_emit: sort a chunk bucket by bucket and send its records to a sink, all threads
 * at once.
 *
 * Buckets come in order and each is one piece of the sink. Plain text goes straight from
 * the arena into the blocks of the stream: its length is known from the elements.
 */
#ifndef GS_LIB_SORT_FORM_BUCKET_EMIT_H
#define GS_LIB_SORT_FORM_BUCKET_EMIT_H

#include "lib/base/team.h"
#include "lib/sort/bucket/buckets.h"
#include "lib/sort/run/runs.h"

typedef struct gs_emit_options {
    bool is_unique; /* of equal records only the first */
    bool has_top;   /* only the first top_count records */
    uint64_t top_count;
    uint64_t first_ticket; /* of the sink's pieces */
    bool is_last_use;      /* of the chunk, whose pages may go back meanwhile */
    gs_witness *witness;   /* sees what is left out as equal; may be NULL */
    const volatile int *cancel;
} gs_emit_options;

/* Plain text goes into the stream as it is, at a place that is known as soon as the
 * records are, before they are in order. */
static inline bool gs_emit_is_text(const gs_sink *sink)
{
    return sink->run == NULL && !sink->is_zstd && !sink->has_counts;
}

/* Uses up the buckets. With has_top and
 * enough records, *last_kept is where the last one kept lies, else 0. */
GS_MUST_CHECK gs_code gs_bucket_emit(const gs_buckets *buckets, gs_team *team,
                                     gs_sink *sink, const gs_emit_options *options,
                                     uint64_t *last_kept, gs_status *st);

#endif
