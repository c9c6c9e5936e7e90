/* SPDX-License-Identifier: MIT */
/*
 * chunk: the memory in which one run is formed.
 *
 *      arena       | record | record | record | ...                (see record.h)
 *               or | the mapped files, records where they are | records | ...
 *      elements    | e0 | e1 | e2 | ...      one a record, in input order
 *      scratch     | as many |               where the sort moves them to and fro
 *      bucket ids  | 2 bytes each |
 *
 * The scratch is filled at a thousand places at once, and a huge page at each would take
 * all of its memory at the start; so its pages are small, and while it fills, those of
 * the elements can be given back (bucket_split.h).
 *
 * Each is a map of addresses for the whole budget, of which pages are taken when first
 * touched; what counts is the sum. Pages that an earlier run used and this one does not
 * are given back before others are taken, so the sum holds from run to run.
 *
 * An element costs twice its size, for the scratch, or a little more than once where
 * pages are given back. That costs time if the memory is needed again for the next run,
 * so it is counted on only if the whole input then fits: the chunk is stretched.
 *
 * Reservations come from one thread at a time; the reserved parts are filled by many.
 */
#ifndef GS_LIB_SORT_FORM_CHUNK_H
#define GS_LIB_SORT_FORM_CHUNK_H

#include "io/file_map.h"
#include "lib/base/status.h"
#include "lib/sort/bucket/buckets.h"
#include "lib/sort/record/records.h"

typedef struct gs_chunk {
    gs_record_layout layout;
    size_t budget_bytes;
    size_t soft_bytes; /* enough to end the chunk, unless it holds nothing yet */
    uint8_t *arena;
    size_t copies_begin; /* where records that are copied begin in the arena */
    gs_element *elements, *scratch;
    uint16_t *bucket_ids;
    size_t copied_bytes, mapped_bytes; /* of records, in use */
    size_t element_count;
    bool is_stretched; /* there is no room for all of the scratch at once */
    uint64_t
        input_bytes;     /* of all that is to come, if this may be the only run; else 0 */
    uint64_t text_bytes; /* of input, in use */
    size_t stretched_cost; /* beside elements, of a chunk that is stretched */

    size_t copied_touched_bytes, elements_touched; /* since pages were last given back */
    size_t element_capacity;
    size_t copies_max;
    size_t beside_bytes; /* what workers hold of very long records */
    unsigned workers;
    size_t arena_map_bytes; /* 0: the arena is a map of files, and not ours */
} gs_chunk;

/* Text that comes at once is more only where a record is very long. */
enum { GS_CHUNK_USUAL_BYTES = 2 << 20 };

typedef struct gs_chunk_limits {
    size_t budget_bytes;
    size_t soft_bytes;       /* enough to end the chunk, unless it holds nothing yet */
    size_t first_copies_max; /* an empty chunk takes up to this, beyond its budget */
    uint64_t input_bytes;    /* > 0: of the whole input, for which it may be stretched */
    unsigned workers;        /* who will sort it */
    bool is_small;           /* all that comes is not worth a large page */
} gs_chunk_limits;

/* How much room for copies a chunk asks for. */
size_t gs_chunk_copy_bytes(const gs_chunk_limits *limits);
/* `map` is NULL, or has room for as many copies, and is borrowed. */
GS_MUST_CHECK gs_code gs_chunk_init(gs_chunk *chunk, const gs_record_layout *layout,
                                    const gs_chunk_limits *limits, const gs_file_map *map,
                                    gs_status *st);
void gs_chunk_release(gs_chunk *chunk); /* a zeroed chunk is fine */

/* Empties it for the next run. */
void gs_chunk_reset(gs_chunk *chunk);

typedef struct gs_chunk_want {
    size_t copied_bytes, mapped_bytes; /* of records: one of them is 0 */
    size_t count;                      /* of elements */
    size_t text_bytes;                 /* of input that they are made of */
} gs_chunk_want;

/* Room behind what is there, for copies at *arena_offset; false if the budget does not
 * allow it. An empty chunk takes what is larger than that, as far as it has addresses. */
bool gs_chunk_reserve(gs_chunk *chunk, const gs_chunk_want *want, size_t *arena_offset,
                      size_t *element_index);

/* How much of the budget is left while it is sorted. */
size_t gs_chunk_spare_bytes(const gs_chunk *chunk);

/* Of all records in it. */
static inline size_t gs_chunk_record_bytes(const gs_chunk *chunk)
{
    return chunk->copied_bytes + chunk->mapped_bytes;
}

#endif
