/* SPDX-License-Identifier: MIT */
/*
 * index_folder: a folder that appears under its name when it is complete, or not at all.
 */
#ifndef GS_LIB_INDEX_INDEX_FOLDER_H
#define GS_LIB_INDEX_INDEX_FOLDER_H

#include <stdbool.h>

#include "lib/base/status.h"

typedef struct gs_index_folder {
    const char *name; /* the final one, borrowed */
    char *target;     /* what it stands for, if it is there: links are followed */
    char temporary[4400];
    int pending_slot;
    bool is_open;
} gs_index_folder;

/* Makes the temporary folder beside the final one. Fails if something has the final name,
 * but for a folder with `replace` that holds an index and nothing else. */
GS_MUST_CHECK gs_code gs_index_folder_open(gs_index_folder *f, const char *name,
                                           bool replace, gs_status *st);
/* Gives it its name, which nothing else may have taken meanwhile. */
GS_MUST_CHECK gs_code gs_index_folder_commit(gs_index_folder *f, gs_status *st);
/* Without a commit: removes it with the files of an index in it. */
void gs_index_folder_close(gs_index_folder *f);

/* Async-signal-safe: removes the temporary folders that exist now. */
void gs_index_folder_remove_pending(void);

#endif
