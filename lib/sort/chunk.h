/* SPDX-License-Identifier: MIT */
/*
 * chunk: the memory in which one run is formed.
 *
 *      arena       | record | record | record | ...                (see record.h)
 *      elements    | e0 | e1 | e2 | ...      one a record, in input order
 *      scratch     | as many |               where the sort moves them to and fro
 *      bucket ids  | 2 bytes each |
 *
 * Each is a map of addresses for the whole budget, of which pages are taken when first
 * touched; what counts is the sum. Pages that an earlier run used and this one does not
 * are given back before others are taken, so the sum holds from run to run.
 *
 * Reservations come from one thread at a time; the reserved parts are filled by many.
 */
#ifndef GS_LIB_SORT_CHUNK_H
#define GS_LIB_SORT_CHUNK_H

#include "lib/base/status.h"
#include "lib/sort/element.h"
#include "lib/sort/record.h"

typedef struct gs_chunk {
    gs_record_layout layout;
    size_t budget_bytes;
    size_t soft_bytes; /* enough to end the chunk, unless it holds nothing yet */
    uint8_t *arena;
    gs_element *elements, *scratch;
    uint16_t *bucket_ids;
    size_t arena_bytes, element_count; /* in use */

    size_t arena_touched_bytes, elements_touched; /* since pages were last given back */
    size_t arena_map_bytes, element_capacity;
} gs_chunk;

GS_MUST_CHECK gs_code gs_chunk_init(gs_chunk *chunk, const gs_record_layout *layout,
                                    size_t budget_bytes, size_t soft_bytes,
                                    gs_status *st);
void gs_chunk_release(gs_chunk *chunk); /* a zeroed chunk is fine */

/* Empties it for the next run. */
void gs_chunk_reset(gs_chunk *chunk);

/* Room for `bytes` of records and `count` elements behind what is there; false if the
 * budget does not allow it. */
bool gs_chunk_reserve(gs_chunk *chunk, size_t bytes, size_t count, size_t *arena_offset,
                      size_t *element_index);

#endif
