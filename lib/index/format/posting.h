/* SPDX-License-Identifier: MIT */
/*
 * posting: what an index holds of a term in a document, some hundreds at a time.
 *
 * A batch has parallel arrays: documents, how often the term comes in each, and, if
 * positions are kept, where: as many positions as the frequencies add up to.
 */
#ifndef GS_LIB_INDEX_FORMAT_POSTING_H
#define GS_LIB_INDEX_FORMAT_POSTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "lib/index/format/impact.h"

enum {
    GS_POSTINGS_MAX = 256, /* in a batch */
    /* A batch with so many takes no further posting: hundreds of postings of a frequent
     * term in long documents would be hundreds of megabytes. */
    GS_POSITIONS_MAX = 1 << 15,
};

#define GS_DOCUMENTS_MAX (UINT64_C(1) << 40) /* docIDs are below */

typedef struct gs_posting_batch {
    size_t count;
    uint64_t docs[GS_POSTINGS_MAX];
    uint32_t tfs[GS_POSTINGS_MAX];
    uint32_t *positions;
    size_t position_count, position_capacity;
    size_t mapped_bytes; /* of very many positions, which are a map */
} gs_posting_batch;

/* A full block of a posting list as an index stores it, with its positions, if there are
 * any. */
typedef struct gs_stored_block {
    const uint8_t *data, *places;
    size_t bytes, place_bytes;
} gs_stored_block;

/* One that somebody else has made, another index or a GPU, and what its postings are to
 * be here. */
typedef struct gs_foreign_block {
    const uint64_t *docs;
    const uint32_t *tfs;
    uint64_t first_number; /* their first doc number there */
    gs_stored_block stored;
    const gs_impacts *impacts; /* what they can add to scores here; NULL: not known */
    uint64_t tokens;           /* their frequencies together, if that is */
} gs_foreign_block;

void gs_posting_batch_release(gs_posting_batch *batch); /* a zeroed one is fine */

/* Room for `more` positions behind those there are. */
GS_MUST_CHECK gs_code gs_posting_batch_grow(gs_posting_batch *batch, size_t more,
                                            gs_status *st);

/* Keeps the memory, unless it was for one of very many positions. */
static inline void gs_posting_batch_clear(gs_posting_batch *batch)
{
    batch->count = batch->position_count = 0;
    if (__builtin_expect(batch->mapped_bytes > 0, 0))
        gs_posting_batch_release(batch);
}

static inline bool gs_posting_batch_is_full(const gs_posting_batch *batch)
{
    return batch->count == GS_POSTINGS_MAX || batch->position_count >= GS_POSITIONS_MAX;
}

/* The caller has made sure that there is room. */
static inline void gs_posting_batch_add(gs_posting_batch *batch, uint64_t doc,
                                        uint32_t tf)
{
    batch->docs[batch->count] = doc;
    batch->tfs[batch->count++] = tf;
}

GS_MUST_CHECK static inline gs_code
gs_posting_batch_add_position(gs_posting_batch *batch, uint32_t position, gs_status *st)
{
    if (__builtin_expect(batch->position_count == batch->position_capacity, 0))
        GS_TRY(gs_posting_batch_grow(batch, 1, st));
    batch->positions[batch->position_count++] = position;
    return GS_OK;
}

#endif
