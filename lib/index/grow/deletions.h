/* SPDX-License-Identifier: MIT */
/*
 * deletions: documents of the segments of an index that are about to be deleted.
 *
 * Call order: open, names*, write, close. One thread. In memory is a bit for each
 * document of the segments that something is deleted of. Nothing is deleted before the
 * manifest that write has changed is committed.
 */
#ifndef GS_LIB_INDEX_GROW_DELETIONS_H
#define GS_LIB_INDEX_GROW_DELETIONS_H

#include "lib/index/grow/index_growth.h"

typedef struct gs_deletions {
    gs_segments *segments; /* as they were when it was opened */
    gs_tombstones *made;   /* of each; own is NULL: nothing is deleted */
    uint64_t count;        /* documents, so far */
} gs_deletions;

/* The manifest of the index is that of the growth. Close it also after a failure. */
GS_MUST_CHECK gs_code gs_deletions_open(gs_deletions *d, const gs_growth *g,
                                        gs_status *st);
void gs_deletions_close(gs_deletions *d); /* a zeroed one is fine */

/* All documents that have one of the names. is_there[i] is set if some document has, or
 * had before this was opened, names[i]; NULL: nobody asks. */
GS_MUST_CHECK gs_code gs_deletions_names(gs_deletions *d, const gs_text_span *names,
                                         size_t count, bool *is_there, gs_status *st);
/* To files, which the manifest names then. */
GS_MUST_CHECK gs_code gs_deletions_write(gs_deletions *d, gs_growth *g, gs_status *st);

#endif
