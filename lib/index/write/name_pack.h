/* SPDX-License-Identifier: MIT */
/*
 * name_pack: names and lengths of documents that follow each other, as document_writer
 * stores them, made before it is their turn by any thread.
 *
 *      documents   | 27 28 ... 31 |  32 ............ 47  |  48 .... 50  |
 *                    lead           packed: 32 and 48 go by no name before them
 *
 * A name says how much of the name before it it shares, but for each
 * GS_INDEX_NAME_BLOCKth: up to the first of those names are kept as they are.
 *
 * Call order: (begin, add*, give to a document_writer)*, release. A zeroed pack is empty.
 */
#ifndef GS_LIB_INDEX_WRITE_NAME_PACK_H
#define GS_LIB_INDEX_WRITE_NAME_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"
#include "lib/index/format/formats.h"

enum { GS_NAME_HEAD_BYTES_MAX = 2 * GS_VARINT_BYTES_MAX };

/* How many bytes a name begins with that the one before it, `last`, begins with too. */
static inline size_t gs_name_shared(const uint8_t *last, size_t last_bytes,
                                    const uint8_t *name, size_t bytes)
{
    const size_t most = bytes < last_bytes ? bytes : last_bytes;
    size_t shared = 0;
    while (shared < most && name[shared] == last[shared])
        shared++;
    return shared;
}

/* What comes before the rest of a name. Returns the end. */
static inline uint8_t *gs_name_head_put(uint8_t *to, size_t shared, size_t bytes)
{
    return gs_varint_put(gs_varint_put(to, shared), bytes - shared);
}

typedef struct gs_name_pack {
    uint64_t first; /* number of the first document */
    size_t count;
    uint32_t *lengths; /* of all */
    size_t length_capacity;

    size_t lead, lead_max; /* documents whose names are kept as they are, */
    uint8_t *lead_names;   /* one behind the other */
    size_t lead_bytes, lead_capacity;
    size_t *lead_ends;
    size_t lead_end_capacity;

    uint8_t *packed;
    size_t packed_bytes, packed_capacity;
    uint64_t *hashes; /* of the names that are packed */
    size_t hash_capacity;
    uint64_t *starts; /* of blocks of names, in bytes of what is packed */
    size_t start_count, start_capacity;
    uint8_t *last; /* the last name that was packed */
    size_t last_bytes, last_capacity;
} gs_name_pack;

/* Empties it. With `packs`; otherwise all names are kept as they are. */
void gs_name_pack_begin(gs_name_pack *p, uint64_t first, bool packs);
GS_MUST_CHECK gs_code gs_name_pack_add(gs_name_pack *p, const void *name, size_t bytes,
                                       uint32_t length, gs_status *st);
void gs_name_pack_release(gs_name_pack *p);

/* Of document `index` of the lead. */
const uint8_t *gs_name_pack_lead(const gs_name_pack *p, size_t index, size_t *bytes);

#endif
