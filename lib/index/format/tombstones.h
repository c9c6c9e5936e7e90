/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * tombstones: which documents of a segment are deleted.
 *
 * A bit for each document, in lines of 64 bytes, one of a cache: 448 bits, and before
 * them how many documents of the lines before are deleted. So a line tells whether a
 * document is there still, and which number it has among those that are.
 *
 *      +------+-----------------------------+-----------------------------+-----
 *      | head | deleted before u64 | 7 words | deleted before u64 | 7 words | ...
 *      +------+-----------------------------+-----------------------------+-----
 *
 * The head has the number of documents, of those deleted, and the sum of their lengths.
 * All numbers are little-endian. The checksum of the file is in the manifest, which names
 * it (lib/index/format/index_manifest.h), and is compared when it is opened.
 *
 * One that is open is read-only and may be used by any number of threads; one that is
 * being made belongs to one thread.
 */
/* clang-format on */
#ifndef GS_LIB_INDEX_FORMAT_TOMBSTONES_H
#define GS_LIB_INDEX_FORMAT_TOMBSTONES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

#define GS_TOMBSTONES_MAGIC "gsDELET1"

enum { GS_TOMBSTONE_WORDS = 7, GS_TOMBSTONE_DOCS = GS_TOMBSTONE_WORDS * 64 };

typedef struct gs_tombstone_head {
    char magic[8];
    uint64_t documents, deleted;
    uint64_t length_sum; /* of the deleted ones */
    uint64_t reserved[4];
} gs_tombstone_head;

_Static_assert(sizeof(gs_tombstone_head) == 64, "on disk");

typedef struct gs_tombstone_line {
    uint64_t before;
    uint64_t bits[GS_TOMBSTONE_WORDS];
} gs_tombstone_line;

_Static_assert(sizeof(gs_tombstone_line) == 64, "on disk");

/* Zeroed: nothing is deleted. */
typedef struct gs_tombstones {
    gs_tombstone_head head;
    const gs_tombstone_line *lines; /* NULL: nothing is deleted */
    gs_tombstone_line *own;         /* of one that is being made: the same */
    uint8_t *file;                  /* of one that is open: a copy */
    size_t bytes;                   /* of either */
} gs_tombstones;

/* The file of a segment that has so many documents; GS_ERR_FORMAT: it is not the one with
 * this checksum, of that segment. */
GS_MUST_CHECK gs_code gs_tombstones_open(gs_tombstones *t, const char *path,
                                         uint64_t documents, uint64_t checksum,
                                         gs_status *st);
void gs_tombstones_close(gs_tombstones *t); /* a zeroed one is fine; of one made too */

/* Of a segment with so many documents: as `from` says, to which more are added. */
GS_MUST_CHECK gs_code gs_tombstones_make(gs_tombstones *t, const gs_tombstones *from,
                                         uint64_t documents, gs_status *st);
/* False if it was deleted before. */
bool gs_tombstones_add(gs_tombstones *t, uint64_t doc, uint32_t length);
/* To a file, which must be new, durable but for its name. */
GS_MUST_CHECK gs_code gs_tombstones_write(gs_tombstones *t, const char *path,
                                          uint64_t *checksum, gs_status *st);

static inline bool gs_tombstones_has(const gs_tombstones *t, uint64_t doc)
{
    if (t->lines == NULL)
        return false;
    const uint64_t bit = doc % GS_TOMBSTONE_DOCS;
    return (t->lines[doc / GS_TOMBSTONE_DOCS].bits[bit / 64] >> bit % 64 & 1) != 0;
}

/* The checksum of one that is open. */
uint64_t gs_tombstones_sum(const gs_tombstones *t);

/* How many before this document are deleted. */
uint64_t gs_tombstones_before(const gs_tombstones *t, uint64_t doc);
/* The document that has this number among those that are left, which there are. */
uint64_t gs_tombstones_left(const gs_tombstones *t, uint64_t number);
/* The first deleted document that is not less than `doc`; UINT64_MAX if there is none. */
uint64_t gs_tombstones_next(const gs_tombstones *t, uint64_t doc);

#endif
