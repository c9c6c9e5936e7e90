/* SPDX-License-Identifier: MIT */
/*
 * chunk_buckets: the elements of a chunk as buckets, cut by all threads together.
 *
 * Where records lie far apart they are copied close together before they are sorted
 * (bucket_copy.h); else the elements point into the chunk as before.
 */
#ifndef GS_LIB_SORT_FORM_CHUNK_BUCKETS_H
#define GS_LIB_SORT_FORM_CHUNK_BUCKETS_H

#include "lib/sort/form/bucket_emit.h"
#include "lib/sort/form/chunk.h"

typedef struct gs_chunk_buckets {
    gs_buckets buckets;
    gs_bucket_split split;
    gs_bucket_list list;
    bool copies_alone; /* one bucket, where not some are brought together */
} gs_chunk_buckets;

/* For emitting into `sink`. Each worker has room_bytes for copies in any case. */
GS_MUST_CHECK gs_code gs_chunk_buckets_init(gs_chunk_buckets *b, gs_chunk *chunk,
                                            gs_team *team, const gs_sink *sink,
                                            const gs_emit_options *options,
                                            size_t room_bytes, gs_status *st);
void gs_chunk_buckets_release(gs_chunk_buckets *b);

#endif
