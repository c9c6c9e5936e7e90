/* SPDX-License-Identifier: MIT */
/*
 * index_folder: a folder that appears under its name when it is complete, or not at all.
 *
 * It is made beside its place, under a name of index_leftover.h, and so is nothing but a
 * leftover until commit has given it its name. Commit keeps this order:
 *
 *     1. the entries of the new folder are on the disk (its files are before)
 *        the old one gets a mark, on the disk as well: from here on it may be a leftover
 *     2. the new one changes places with the old one, or takes its name if there is none
 *     3. the entries of the folder that both are in are on the disk
 *     4. the old one goes
 *
 * so that whenever the program or the machine stops, there is one whole index under the
 * name. Where the file system cannot let two names change places the old one first moves
 * aside: stopped right between, it is found there by the next build, or by a person.
 *
 * Call order: open, files are made in `temporary`, commit, close. One thread.
 */
#ifndef GS_LIB_INDEX_FOLDER_INDEX_FOLDER_H
#define GS_LIB_INDEX_FOLDER_INDEX_FOLDER_H

#include <stdbool.h>

#include "lib/base/log.h"

typedef struct gs_index_folder {
    const char *name;  /* the final one, borrowed */
    char target[4400]; /* what it stands for: links are followed if it is there */
    char temporary[4400];
    int fd; /* of the temporary folder; holds its lock */
    int pending_slot;
    bool is_replacing, is_open;
    /* The caller may set it after open: a descriptor by which it holds the lock of the
     * index that is replaced, so that nobody has changed that meanwhile. NULL: commit
     * takes the lock itself. */
    const int *held_lock;
} gs_index_folder;

/* Makes the temporary folder beside the final one, and removes what killed builds of it
 * have left. Fails if something has the final name, but for a folder with `replace` that
 * holds an index and nothing else. `log` may be NULL. */
GS_MUST_CHECK gs_code gs_index_folder_open(gs_index_folder *f, const char *name,
                                           bool replace, const gs_log *log,
                                           gs_status *st);
/* Gives it its name, which nothing else may have taken meanwhile. The files in it are on
 * the disk already. Durable when it returns; after a failure an old index is what and
 * where it was, or the message says where it is now. */
GS_MUST_CHECK gs_code gs_index_folder_commit(gs_index_folder *f, gs_status *st);
/* For an index that was committed before: makes its name durable, in case the program
 * that named it was stopped before that, and removes what was left beside it. */
GS_MUST_CHECK gs_code gs_index_folder_settle(const char *name, const gs_log *log,
                                             gs_status *st);
/* Without a commit: removes it with the files of an index in it. */
void gs_index_folder_close(gs_index_folder *f);

/* Async-signal-safe: removes the temporary folders that exist now. Waits for a commit
 * that is being made; afterwards no other one begins. */
void gs_index_folder_remove_pending(void);

#endif
