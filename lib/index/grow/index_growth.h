/* SPDX-License-Identifier: MIT */
/*
 * index_growth: an index that is about to be changed: its lock, its manifest, and what
 * changes that were killed have left in it (lib/index/format/index_manifest.h).
 *
 * Call order: open, then (a segment or deletions are written, the manifest is changed,
 * commit)*, close. One thread. Of two programs that change an index one waits until the
 * other is done.
 */
#ifndef GS_LIB_INDEX_GROW_INDEX_GROWTH_H
#define GS_LIB_INDEX_GROW_INDEX_GROWTH_H

#include "lib/base/log.h"
#include "lib/index/folder/folders.h"
#include "lib/index/segment/segments.h"

typedef struct gs_growth {
    const char *folder; /* borrowed */
    const gs_log *log;
    int fd;                     /* of the folder; holds its lock */
    bool is_locked;             /* if the file system has locks */
    bool has_manifest;          /* on the disk */
    uint64_t next;              /* what that has */
    gs_index_manifest manifest; /* of what was built, one as it would be */
    gs_index_header header;     /* of its first segment */
} gs_growth;

/* Waits for the lock, until *cancel (NULL is fine) is not 0, and removes leftovers.
 * Whether an index of this kind can be changed so is up to the caller, by the header.
 * After a failure it is closed. */
GS_MUST_CHECK gs_code gs_growth_open(gs_growth *g, const char *folder, const gs_log *log,
                                     const volatile int *cancel, gs_status *st);
void gs_growth_close(gs_growth *g);

/* A number for a new segment or deletions. */
uint64_t gs_growth_take_number(gs_growth *g);
/* The segment that was built with the number just taken is not wanted: both go. */
void gs_growth_give_back(gs_growth *g, uint64_t number);
/* The manifest as it is now becomes that of the folder, and what it does not name any
 * more goes. Fails if somebody else has changed the index meanwhile, which is possible
 * where the file system has no locks. */
GS_MUST_CHECK gs_code gs_growth_commit(gs_growth *g, gs_status *st);

/* What the manifest says of a segment that was just written. */
GS_MUST_CHECK gs_code gs_growth_describe(const gs_growth *g, uint64_t number,
                                         gs_manifest_segment *out, gs_status *st);

#endif
