/* SPDX-License-Identifier: MIT */
/* clang-format off */
/*
 * index_manifest: manifest.json, which says what an index that has grown is made of.
 *
 * What a build makes is one segment, and the folder itself: it has no manifest, and is an
 * index all the same. To append documents is to build a segment of them beside it, inside
 * the folder, and to write a manifest that names both:
 *
 *      built              DIR/  header.json terms postings documents sums
 *
 *      one append later   DIR/  header.json terms postings documents sums     segment 0
 *                               segment-1/  header.json terms postings ...    segment 1
 *                               manifest.json                                 0, 1
 *
 *      some deleted       DIR/  ... segment-1/  deleted-2
 *                               manifest.json                 0 with deleted-2, 1
 *
 *      merged             DIR/  segment-3/  manifest.json                     3
 *
 * Segments stand in the order of their documents: those of the index as a whole are
 * numbered on from segment to segment, and a deleted one has no number. What the first is
 * called outside, doc_base, is told by the header of the first segment; every segment
 * that is made has it, since those before it may go. Every segment is an index of its
 * own, whole and never changed (lib/index/format/index_format.h). Of a segment the
 * deleted documents lie in one file (lib/index/format/tombstones.h), which is not changed
 * either: who deletes more writes another.
 *
 *     {
 *       "format": "gpusort index manifest", "version": 1,
 *       "next": N,
 *       "segments": [
 *         {"segment": N, "header": "16 hex digits", "documents": N, "deleted": N,
 *          "deletions": N, "xxh3": "16 hex digits"}, ...          (each in one line)
 *       ],
 *       "manifest_xxh3": "16 hex digits"
 *     }
 *
 * `next` is a number that no folder or file has had so far; each change of the manifest
 * takes one, so it tells manifests of a folder from each other. `header` is the sum of
 * the segment's header. `deletions` is the number of the file with the `deleted` ones,
 * `xxh3` its checksum; 0 both: nothing was deleted.
 *
 * A change is there when the manifest is: it is written under a temporary name, synced,
 * renamed over the old one, and the folder is synced. What it names is on the disk before.
 * What it does not name any more is removed after. So whenever the program or the machine
 * stops there is one index, the old or the new one; what else lies in the folder under
 * names of segments is a leftover, and the next change removes it. Who changes an index
 * holds the lock of its folder (lib/index/folder/index_leftover.h). Who reads holds none:
 * a reader that finds a segment gone reads the manifest again, which then is another.
 */
/* clang-format on */
#ifndef GS_LIB_INDEX_FORMAT_INDEX_MANIFEST_H
#define GS_LIB_INDEX_FORMAT_INDEX_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/status.h"

#define GS_INDEX_MANIFEST_NAME "manifest.json"

enum {
    GS_INDEX_PATH_BYTES = 4400,
    GS_INDEX_SEGMENTS_MAX = 4096, /* of one index; merges keep them few */
};

typedef struct gs_manifest_segment {
    uint64_t number; /* 0: the folder itself */
    uint64_t header_sum;
    uint64_t documents, deleted; /* of the documents so many are */
    uint64_t deletions;          /* number of the file; 0: nothing is deleted */
    uint64_t deletions_sum;
} gs_manifest_segment;

typedef struct gs_index_manifest {
    uint64_t next;
    gs_manifest_segment *segments; /* from gs_mem */
    size_t count, capacity;
} gs_index_manifest;

/* *is_there is false if the folder has none, or is none. */
GS_MUST_CHECK gs_code gs_index_manifest_read(gs_index_manifest *m, const char *folder,
                                             bool *is_there, gs_status *st);
/* Takes the place of the one that is there. Durable when it returns; after a failure the
 * old one is there again, unless that fails, too. */
GS_MUST_CHECK gs_code gs_index_manifest_write(const gs_index_manifest *m,
                                              const char *folder, gs_status *st);
/* What is there was perhaps written by a program that was stopped: it is on the disk. */
GS_MUST_CHECK gs_code gs_index_manifest_settle(const char *folder, gs_status *st);
/* A segment at the end. */
GS_MUST_CHECK gs_code gs_index_manifest_add(gs_index_manifest *m,
                                            const gs_manifest_segment *segment,
                                            gs_status *st);
/* Takes out segments [from, to), and puts `instead` in their place; NULL: nothing. */
void gs_index_manifest_replace(gs_index_manifest *m, size_t from, size_t to,
                               const gs_manifest_segment *instead);
void gs_index_manifest_release(gs_index_manifest *m); /* a zeroed one is fine */

/* Where the segment is, and the file with its deletions. False if the name is too long.
 */
bool gs_index_segment_path(char path[GS_INDEX_PATH_BYTES], const char *folder,
                           uint64_t number);
bool gs_index_deletions_path(char path[GS_INDEX_PATH_BYTES], const char *folder,
                             uint64_t number);

/* What a name in the folder of an index can be. */
typedef enum gs_grown_name {
    GS_GROWN_OTHER,
    GS_GROWN_MANIFEST,
    GS_GROWN_UNFINISHED, /* a manifest or deletions that are being written */
    GS_GROWN_SEGMENT,
    GS_GROWN_UNFINISHED_SEGMENT, /* one that is being made or removed */
    GS_GROWN_DELETIONS,
} gs_grown_name;

/* *number is that of the segment or of the deletions. Async-signal-safe. */
gs_grown_name gs_index_grown_name(const char *name, uint64_t *number);

#endif
