/* SPDX-License-Identifier: MIT */
/*
 * chunk_emit: sort a chunk bucket by bucket and send its records to a sink, all threads
 * at once.
 *
 * Buckets come in order and each is one piece of the sink. Plain text goes straight from
 * the arena into the blocks of the stream: its length is known from the elements.
 */
#ifndef GS_LIB_SORT_FORM_CHUNK_EMIT_H
#define GS_LIB_SORT_FORM_CHUNK_EMIT_H

#include "lib/base/team.h"
#include "lib/sort/form/chunk.h"
#include "lib/sort/form/early_split.h"
#include "lib/sort/run/runs.h"

typedef struct gs_chunk_emit_options {
    bool is_unique; /* of equal records only the first */
    bool has_top;   /* only the first top_count records */
    uint64_t top_count;
    uint64_t first_ticket; /* of the sink's pieces */
    size_t copy_bytes;     /* for each worker to copy a bucket's records; may be 0 */
    bool is_last_use;      /* of the chunk, whose pages may go back meanwhile */
    gs_early_split *early; /* holds the records instead of elements; or NULL */
    gs_witness *witness;   /* sees what is left out as equal; may be NULL */
    const volatile int *cancel;
} gs_chunk_emit_options;

/* Uses up the chunk's elements, or the early ones. *next_ticket is that of the piece
 * after the last. With has_top and enough records, *last_kept is where the last one kept
 * lies, else 0. */
GS_MUST_CHECK gs_code gs_chunk_emit(gs_chunk *chunk, gs_team *team, gs_sink *sink,
                                    const gs_chunk_emit_options *options,
                                    uint64_t *next_ticket, uint64_t *last_kept,
                                    gs_status *st);

#endif
